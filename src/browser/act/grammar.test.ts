// The grammar of plain steps: what each sentence means, and which sentences are refused.
import { describe, expect, it } from 'vitest';
import { parseScript } from './grammar.ts';

const read = (script: string): unknown[] =>
  parseScript(script).map(({ text, ...step }) => (text === '' ? undefined : step));

describe('a step', () => {
  it.each<[string, unknown]>([
    ['click Sign in', { action: 'click', target: { query: 'Sign in' } }],
    ['click on the "Save" button', { action: 'click', target: { query: 'Save button' } }],
    ['tap e12', { action: 'click', target: { ref: 'e12' } }],
    ['click f2e7', { action: 'click', target: { ref: 'f2e7' } }],
    ['click "e12"', { action: 'click', target: { query: 'e12' } }],
    ['click css=#save > b', { action: 'click', target: { selector: '#save > b' } }],
    ['double-click Row 3', { action: 'double_click', target: { query: 'Row 3' } }],
    ['double click Row 3', { action: 'double_click', target: { query: 'Row 3' } }],
    ['right_click Row 3', { action: 'right_click', target: { query: 'Row 3' } }],
    ['hover over Menu', { action: 'hover', target: { query: 'Menu' } }],
    ['focus Name', { action: 'focus', target: { query: 'Name' } }],
    ['clear Name', { action: 'clear', target: { query: 'Name' } }],
    ['check I accept the terms', { action: 'check', target: { query: 'I accept the terms' } }],
    ['uncheck Newsletter', { action: 'uncheck', target: { query: 'Newsletter' } }],
    ['type ada in Username', { action: 'type', value: 'ada', target: { query: 'Username' } }],
    [
      'type "log in here" into Note',
      { action: 'type', value: 'log in here', target: { query: 'Note' } },
    ],
    [
      'type come in here in Note',
      { action: 'type', value: 'come in here', target: { query: 'Note' } },
    ],
    ['type hello', { action: 'type', value: 'hello' }],
    [
      "type Ada's notes in Note",
      { action: 'type', value: "Ada's notes", target: { query: 'Note' } },
    ],
    ["type 'a; b' in Note", { action: 'type', value: 'a; b', target: { query: 'Note' } }],
    ['type "a\\nb\\"c" in Note', { action: 'type', value: 'a\nb"c', target: { query: 'Note' } }],
    ['enter 42 in Age', { action: 'fill', value: '42', target: { query: 'Age' } }],
    ['fill in Age with 42', { action: 'fill', value: '42', target: { query: 'Age' } }],
    ['set Age to 42', { action: 'fill', value: '42', target: { query: 'Age' } }],
    [
      'select Norway in Country',
      { action: 'select', value: 'Norway', target: { query: 'Country' } },
    ],
    [
      'choose Norway from the Country',
      { action: 'select', value: 'Norway', target: { query: 'Country' } },
    ],
    ['press Enter', { action: 'press', value: 'Enter' }],
    ['press Control+A in Name', { action: 'press', value: 'Control+A', target: { query: 'Name' } }],
    ['scroll down', { action: 'scroll', value: 'down' }],
    [
      'scroll down 300px in List',
      { action: 'scroll', value: 'down 300', target: { query: 'List' } },
    ],
    ['scroll to bottom', { action: 'scroll', value: 'bottom' }],
    ['scroll to Contact', { action: 'scroll', target: { query: 'Contact' } }],
    [
      'scroll until "Item 90" in List',
      { action: 'scroll', value: 'until Item 90', target: { query: 'List' } },
    ],
    [
      'drag Apple to Basket',
      { action: 'drag', target: { query: 'Apple' }, to: { query: 'Basket' } },
    ],
    [
      'upload ./note.txt to Attachment',
      { action: 'upload', value: './note.txt', target: { query: 'Attachment' } },
    ],
    ['wait for Welcome back', { action: 'wait', value: 'Welcome back' }],
    ['wait until Loading is gone', { action: 'wait', value: 'Loading', gone: true }],
    ['wait until "Loading…" disappears', { action: 'wait', value: 'Loading…', gone: true }],
    ['CLICK Save.', { action: 'click', target: { query: 'Save' } }],
  ])('%s', (script, step) => expect(read(script)).toEqual([step]));
});

describe('a script', () => {
  it('is steps between semicolons, line breaks and "then"', () =>
    expect(
      read('click A; press Enter\nhover B, then focus C and then check D').map(
        (step) => (step as { action: string }).action,
      ),
    ).toEqual(['click', 'press', 'hover', 'focus', 'check']));

  it('keeps separators inside quotes', () =>
    expect(read('type "a; then b" in N; press Tab')).toHaveLength(2));

  it('remembers each step as it was written', () =>
    expect(parseScript('click  A;press Enter').map(({ text }) => text)).toEqual([
      'click A',
      'press Enter',
    ]));

  it.each([
    '',
    ' ; ',
    'frobnicate X',
    'clik Save',
    'fill Name',
    'drag A',
    'select Norway',
    'scroll sideways',
    'click',
    'type',
    '"click" Save',
    'constructor x',
  ])('that reads %j is refused before anything is done', (script) =>
    expect(() => parseScript(script)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }) as Error,
    ),
  );

  it('names the verb that was probably meant', () =>
    expect(() => parseScript('clik Save')).toThrow(/did you mean click\?/));
});
