// Pages of Markdown: whatever the text and the budget, they join to the whole, and they keep to the
// budget.
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { type MarkdownPage, cutMarkdownPage, renderMarkdownPage } from './markdown-text.ts';

const allPages = (whole: string, maxTokens: number): MarkdownPage[] => {
  const pages = [cutMarkdownPage(whole, { maxTokens })];
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
    pages.push(cutMarkdownPage(whole, { maxTokens, cursor: next }));
  return pages;
};

const WORDS =
  'the page of every kind holds more than it shows, and whoever reads it should learn about the rest without asking twice'.split(
    ' ',
  );
const words = (max: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: max })
    .map((picked) => picked.join(' '));

const block = fc.oneof(
  words(40),
  words(3).map((text) => `## ${text}`),
  fc
    .array(words(5), { minLength: 1, maxLength: 10 })
    .map((items) => items.map((item) => `- ${item}`).join('\n')),
  fc
    .array(words(4), { minLength: 1, maxLength: 10 })
    .map((lines) => `\`\`\`js\n# ${lines.join('\n')}\n\`\`\``),
  fc
    .constantFrom(
      'Съешь же ещё этих мягких французских булок. ',
      '私はガラスを食べられます。それは私を傷つけません。',
      'أنا قادر على أكل الزجاج. ',
    )
    .map((text) => text.repeat(6)),
);

const strange = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  .map((text) => text.replace(/\s+/g, ' '));

it('join to the whole for any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(block, strange), { maxLength: 30 }),
      fc.integer({ min: 60, max: 400 }),
      (blocks, maxTokens) => {
        const whole = blocks.join('\n\n');
        expect(
          allPages(whole, maxTokens)
            .map(({ body }) => body)
            .join(''),
        ).toBe(whole);
      },
    ),
    { numRuns: 150 },
  );
});

/** 103 tokens, which are estimated as 102. */
const SHORT_LINES = [
  '## the',
  '## the the',
  '```js\n# the the\nthe\ntwice the\nthe the the\nthe\n```',
  '- the the the the the\n- the the the the the\n- the the the\n- the the the the the',
  '- the the the\n- the\n- the the\n- the the',
  '```js\n# the the the the\nthe the the\nthe\nthe\nshows, the the the\nthe the the\nthe shows, the\n```',
];

it('keep to the budget, outline and last line included', () => {
  fc.assert(
    fc.property(
      fc.array(block, { minLength: 5, maxLength: 30 }),
      fc.integer({ min: 100, max: 400 }),
      (blocks, maxTokens) => {
        for (const page of allPages(blocks.join('\n\n'), maxTokens))
          expect(encode(renderMarkdownPage(page)).length).toBeLessThanOrEqual(maxTokens);
      },
    ),
    { numRuns: 80, examples: [[SHORT_LINES, 102]] },
  );
});

it('show a text below the limit unchanged', () => {
  const text = '# A\n\nShort.';
  expect(renderMarkdownPage(cutMarkdownPage(text, { maxTokens: 100 }))).toBe(text);
});

it('have an outline of headings, not of code, as deep as there is room', () => {
  const section = (n: number): string =>
    `## Part ${n}\n\n### Detail ${n}\n\n\`\`\`\n# no heading\n\`\`\`\n\n${'word '.repeat(120)}`;
  const whole = `# Top\n\n${Array.from({ length: 20 }, (_, i) => section(i)).join('\n\n')}`;
  const { outline } = cutMarkdownPage(whole, { maxTokens: 2500 });
  expect(outline.slice(0, 3)).toEqual(['0 # Top', '7 ## Part 0', '18 ### Detail 0']);
  expect(
    cutMarkdownPage(whole, { maxTokens: 500 }).outline.every((line) => !line.includes('###')),
  ).toBe(true);
  expect(cutMarkdownPage(whole, { maxTokens: 100 }).outline).toEqual(['0 # Top']);
});

it('never end on a heading', () => {
  const whole = Array.from(
    { length: 30 },
    (_, i) => `## Part ${i}\n\n${'word '.repeat(30).trim()}`,
  ).join('\n\n');
  for (const { body } of allPages(whole, 200))
    expect(body.trimEnd().split('\n').at(-1)).not.toMatch(/^#/);
});

it('reject cursors that were never returned', () => {
  const whole = 'word '.repeat(1000);
  for (const cursor of ['x', '-1', '5-', '99999999', '5-zzzzzzz'])
    expect(() => cutMarkdownPage(whole, { maxTokens: 100, cursor })).toThrow();
});
