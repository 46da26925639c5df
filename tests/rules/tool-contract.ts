// What every tool's declaration must be, as a list of complaints.
import type { Tool } from '../../src/toolkit/define-tool.ts';

/** Before a tool search, hosts load this much of a description. */
const FIRST_LOOK_CHARS = 200;
/** One popular host cuts descriptions here. */
const MAX_DESCRIPTION_BYTES = 2048;

export const complaintsAbout = (tool: Tool): string[] => {
  const complaints: string[] = [];
  const must = (holds: boolean, otherwise: string): void =>
    void (holds || complaints.push(`${tool.name}: ${otherwise}`));
  const description = tool.description?.trim() ?? '';
  const firstSentence = /^.*?[.:](?=\s|$)/s.exec(description)?.[0] ?? description;

  must(/^[a-z]+(?:_[a-z]+)*$/.test(tool.name), 'the name is not lower_snake_case');
  must(description !== '', 'there is no description');
  must(
    description === '' || firstSentence.split(/\s+/).length >= 3,
    'the first sentence says too little',
  );
  must(
    firstSentence.length <= FIRST_LOOK_CHARS,
    `the first sentence ends after ${FIRST_LOOK_CHARS} characters`,
  );
  must(
    !/^(?:this tool|a tool|tool (?:to|for|that))\b/i.test(description),
    'the description begins with words that say nothing',
  );
  must(
    Buffer.byteLength(description) < MAX_DESCRIPTION_BYTES,
    `the description has ${MAX_DESCRIPTION_BYTES} bytes or more`,
  );
  must(tool.examples.length > 0, 'there is no example');
  for (const example of tool.examples) {
    const parsed = tool.input.strict().safeParse(example);
    must(
      parsed.success,
      `the example ${JSON.stringify(example)} is not valid: ${parsed.error?.issues[0]?.message}`,
    );
  }
  return complaints;
};
