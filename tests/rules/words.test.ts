// Rules for wording: comments, messages and test names can be understood without the code.
import { describe, expect, it } from 'vitest';
import { filesBelow, shippedSources } from './sources.ts';
import {
  isUnclearComment,
  isUnclearMessage,
  listComments,
  listLongComments,
  listMessages,
  listTestNames,
  namesSubject,
} from './wording.ts';

const sources = shippedSources();

/** The share of comment lines that may use such a phrase, for quotations and literal uses. */
const MAX_SHARE = 0.005;

/** Files whose literals are not messages. */
const NO_MESSAGES = new Map([
  ['src/policy/instructions.ts', 'patterns of prompt injection'],
  ['src/features/recording/replay-page.ts', 'the licence of the player'],
  ['src/features/extract/words.ts', 'names of fields in web pages'],
]);

const isMessageFile = ({ path }: { path: string }): boolean =>
  !NO_MESSAGES.has(path) && !path.startsWith('src/frontends/cli/');

/** Files with a long comment that lists cases, return values or characters. */
const LONG_COMMENTS = new Map([
  ['src/page/fingerprint.ts', 'the parts of a fingerprint'],
  ['src/policy/invisible.ts', 'the checked characters'],
  ['src/policy/walk.ts', 'texts that count as base64'],
  ['src/browser/traffic/traffic.ts', 'the effects of a CDP command'],
  ['src/frontends/mcp/stdio.ts', 'the return values'],
  ['src/store/tasks/task-row.ts', 'the return values'],
  ['src/frontends/mcp/http/gate.ts', 'the allowed origins'],
  ['src/frontends/cli/command.ts', 'the kinds of a positional argument'],
]);

describe('comments of the shipped code', () => {
  const comments = sources.flatMap(({ text }) => listComments(text));

  it('use plain words', () => {
    const found = comments.filter(isUnclearComment);
    expect(found.length / comments.length, found.join('\n')).toBeLessThanOrEqual(MAX_SHARE);
  });

  it('have at most two lines, give a reason, or are listed here', () => {
    const checked = sources.filter(({ path }) => !LONG_COMMENTS.has(path));
    expect(checked.flatMap(listLongComments)).toEqual([]);
  });

  it('start each file with its subject', () => {
    expect(sources.filter((file) => !namesSubject(file)).map(({ path }) => path)).toEqual([]);
  });

  it('would be reported if they broke a rule', () => {
    const planted = '// What is told stands here.\n// Returns a list.\n// Each entry has a name.';
    expect(listComments(planted).filter(isUnclearComment)).toEqual(['What is told stands here.']);
    const file = { path: 'a.ts', text: planted };
    expect(listLongComments(file)).toEqual(['a.ts: What is told stands here.']);
    expect(
      listLongComments({ ...file, text: `${planted}\n// It is needed because of a.` }),
    ).toEqual([]);
    expect(namesSubject(file)).toBe(false);
    expect(namesSubject({ text: '// Where it is found.' })).toBe(false);
    expect(namesSubject({ text: '// Resolves refs to elements.' })).toBe(true);
  });
});

describe('messages of the shipped code', () => {
  it('use plain words', () => {
    // Parsing all files takes long; a file without such a word has no such message.
    const suspects = sources.filter(isMessageFile).filter(({ text }) => isUnclearMessage(text));
    const messages = suspects.flatMap(listMessages);
    expect(messages.filter(({ text }) => isUnclearMessage(text))).toEqual([]);
  });

  it('would be reported if they did not', () => {
    const text = [
      "throw fail('timeout', `The page ${url} was told to stop.`);",
      "const hint = 'There is no tab of that name.';",
      "describe('Wait until the page has loaded');",
    ].join('\n');
    const messages = listMessages({ path: 'a.ts', text }).map((one) => one.text);
    expect(messages).toHaveLength(3);
    expect(messages.filter(isUnclearMessage)).toEqual([
      'The page … was told to stop.',
      'There is no tab of that name.',
    ]);
  });
});
describe('test names', () => {
  const files = ['tests', 'src', 'extension'].flatMap((folder) =>
    filesBelow(folder, folder === 'tests' ? '.ts' : '.test.ts'),
  );

  it('use plain words', () => {
    const found = files.flatMap(listTestNames).filter(({ text }) => isUnclearMessage(text));
    expect(found).toEqual([]);
  });

  it('would be reported if they did not', () => {
    const text = "describe('a tab', () => { it.each([1])('is told %s', run); it('is closed'); });";
    const names = listTestNames({ path: 'a.test.ts', text }).map((one) => one.text);
    expect(names).toEqual(['a tab', 'is told %s', 'is closed']);
    expect(names.filter(isUnclearMessage)).toEqual(['is told %s']);
  });
});
