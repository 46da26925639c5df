// Decides which words after `fill` are the label of a field: the longest label of the page wins.
import type { DaemonClient } from '../client.ts';

/** A line of the tool that finds elements: `e2 textbox "First name" ...`. */
const FOUND_LINE = /^(e\d+) \S+ "([^"\\]{1,200})"/;

const MAX_FIELDS = 100;

/** Labels often end with a colon or a star. */
const cleanLabel = (text: string): string => {
  const words = text.split(/[\s:*]/).filter((word) => word !== '');
  return words.join(' ').toLowerCase();
};

export interface SplitWords {
  readonly ref: string;
  readonly value: string;
}

/** Returns undefined if no label of the page starts the words; the first word is then the label. */
export const splitLabelWords = async (
  client: DaemonClient,
  words: readonly string[],
  signal: AbortSignal,
): Promise<SplitWords | undefined> => {
  const [first = ''] = words;
  const args = { query: first, role: 'field', limit: MAX_FIELDS };
  const { content, isError } = await client.callTool('find', args, { signal });
  const [block] = content;
  if (isError || block?.type !== 'text') return undefined;
  const labels = block.text.split('\n').flatMap((line) => {
    const [, ref = '', label = ''] = FOUND_LINE.exec(line) ?? [];
    return ref === '' ? [] : [{ ref, label: cleanLabel(label) }];
  });
  for (let count = words.length - 1; count > 0; count--) {
    const wanted = cleanLabel(words.slice(0, count).join(' '));
    const found = labels.find(({ label }) => label === wanted);
    if (found) return { ref: found.ref, value: words.slice(count).join(' ') };
  }
  return undefined;
};
