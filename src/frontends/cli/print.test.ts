// How answers are printed: pictures as files, and everything in one piece for programs.
import { expect, it } from 'vitest';
import type { ToolAnswer } from './client.ts';
import { printAnswer, type PrintOptions, renderJson } from './print.ts';
import { renderProgress } from './amounts.ts';
import type { Terminal } from './terminal.ts';

const COMMAND: PrintOptions['command'] = {
  path: ['look'],
  summary: 'Look',
  tool: 'look',
  positionals: [],
  fields: [],
  fixed: {},
  examples: [],
};

const PICTURE = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;

const print = async (
  answer: ToolAnswer,
  format: 'text' | 'json',
  more: Partial<PrintOptions['command']> = {},
): Promise<{ out: string; err: string }> => {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    interactive: false,
    columns: 80,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    status: () => {},
    paint: (_, text) => text,
    paintError: (_, text) => text,
  };
  await printAnswer(answer, {
    terminal,
    format,
    command: { ...COMMAND, ...more },
    savePicture: async ({ mimeType }) => ({ path: '/p.png', mimeType, sizeBytes: 3 }),
  });
  return { out: out.join('\n'), err: err.join('\n') };
};

it('saves a picture and prints its path, never its bytes', async () => {
  expect(await print({ content: [PICTURE] }, 'text')).toEqual({ out: '/p.png', err: '' });
  expect(await print({ content: [PICTURE] }, 'json')).toEqual({
    out: '{"path":"/p.png","mimeType":"image/png","sizeBytes":3}',
    err: '',
  });
});

it('keeps the text of a reply with a picture, and prints notes after it on stderr', async () => {
  const content = [
    { type: 'text', text: 'scaled' },
    PICTURE,
    { type: 'text', text: 'a note' },
  ] as const;
  expect(await print({ content }, 'text')).toEqual({ out: 'scaled\n/p.png', err: 'a note' });
  expect(JSON.parse((await print({ content }, 'json')).out)).toMatchObject({
    path: '/p.png',
    text: 'scaled',
  });
  expect(await print({ content: [PICTURE, { type: 'text', text: 'a note' }] }, 'text')).toEqual({
    out: '/p.png',
    err: 'a note',
  });
});

it('prints the JSON form of a text for programs, and the text for people', async () => {
  const answer = {
    content: [{ type: 'text', text: 'clicked e5' }],
    structuredContent: { receipt: { did: 'clicked' } },
  } as const;
  expect((await print(answer, 'json')).out).toBe('{"receipt":{"did":"clicked"}}');
  expect((await print(answer, 'text')).out).toBe('clicked e5');
});

it.each([
  ['{"a":1}', '{"a":1}'],
  ['42', '42'],
  ['null', 'null'],
  ['"quoted"', '"quoted"'],
  ['- Page URL: x', '"- Page URL: x"'],
  ['{not json', '"{not json"'],
  ['', '""'],
])('%s is %s for programs', async (text, out) => {
  expect((await print({ content: [{ type: 'text', text }] }, 'json')).out).toBe(out);
});

it('formats JSON for people, and keeps short values on one line', () => {
  const tabs = [
    { tabId: 'A', url: 'http://x/' },
    { tabId: 'B', title: 'A longer title', empty: {}, none: null },
  ];
  expect(renderJson({ session: 'default', tabs }, 50)).toBe(
    [
      '{',
      '  "session": "default",',
      '  "tabs": [',
      '    { "tabId": "A", "url": "http://x/" },',
      '    {',
      '      "tabId": "B",',
      '      "title": "A longer title",',
      '      "empty": {},',
      '      "none": null',
      '    }',
      '  ]',
      '}',
    ].join('\n'),
  );
  expect(renderJson([], 1)).toBe('[]');
});

it('shows how far work is on one line', () => {
  expect(renderProgress({ progress: 5, total: 20, message: 'https://x/\u001b[2J\n' })).toBe(
    '[######------------------] 5/20 https://x/ [2J ',
  );
  expect(renderProgress({ progress: 3 })).toBe('3');
  expect(renderProgress({ progress: 30, total: 20 })).toContain('[########################] 30/20');
});
