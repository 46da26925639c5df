// Console arguments in words.
import { describe, expect, it } from 'vitest';
import { toConsoleText, toExceptionText } from './console-entry.ts';

type Arguments = Parameters<typeof toConsoleText>[0];

const text = (value: string): Arguments[number] => ({ type: 'string', value });
const number = (value: number): Arguments[number] => ({
  type: 'number',
  value,
  description: String(value),
});

describe('console arguments', () => {
  it.each<[string, Arguments, string]>([
    ['nothing', [], ''],
    ['words', [text('a'), text('b')], 'a b'],
    [
      'a format string',
      [text('%s has %d%% of %f, %i'), text('Ada'), number(36.6), number(1.5), text('7 up')],
      'Ada has 36% of 1.5, 7',
    ],
    ['a style', [text('%cred%c plain'), text('color: red'), text('')], 'red plain'],
    ['a format string without enough arguments', [text('%s and %s'), text('one')], 'one and %s'],
    [
      'more arguments than the format string takes',
      [text('%s'), text('one'), text('two')],
      'one two',
    ],
    ['a per cent sign that formats nothing', [text('100% of'), number(3)], '100% of 3'],
    ['no number', [text('%d'), text('abc')], 'NaN'],
    [
      'values without a literal',
      [
        { type: 'number', unserializableValue: '-0', description: '-0' },
        { type: 'bigint', unserializableValue: '5n', description: '5n' },
      ],
      '-0 5n',
    ],
    [
      'functions',
      [
        { type: 'function', description: 'function add(a, b) { return a + b }' },
        { type: 'function', description: '() => 1' },
        { type: 'function', description: 'class A {}' },
      ],
      'ƒ add() ƒ () class A',
    ],
    [
      'an object without a preview',
      [{ type: 'object', className: 'Window', description: 'Window' }],
      'Window',
    ],
  ])('that are %s', (_what, args, expected) => {
    expect(toConsoleText(args)).toBe(expected);
  });

  it('with previews show their content, and that there is more', () => {
    const preview = (more: object) =>
      [
        { type: 'object', preview: { type: 'object', overflow: false, properties: [], ...more } },
      ] as Arguments;
    const properties = [
      { name: 'a', type: 'number', value: '1' },
      { name: 'b', type: 'string', value: 'two' },
      { name: 'c', type: 'object', value: 'Array(3)' },
    ];
    expect(toConsoleText(preview({ description: 'Object', properties, overflow: true }))).toBe(
      `{a: 1, b: 'two', c: Array(3), …}`,
    );
    expect(
      toConsoleText(preview({ description: 'Point', properties: properties.slice(0, 1) })),
    ).toBe('Point {a: 1}');
    expect(
      toConsoleText(
        preview({ subtype: 'array', description: 'Array(2)', properties: properties.slice(0, 2) }),
      ),
    ).toBe(`[1, 'two']`);
    const entries = [
      {
        key: { type: 'string', description: 'k', overflow: false, properties: [] },
        value: { type: 'number', description: '1', overflow: false, properties: [] },
      },
    ];
    expect(toConsoleText(preview({ description: 'Map(1)', entries }))).toBe(`Map(1) {'k' => 1}`);
  });
});

describe('an exception', () => {
  it('is its message without the separate stack', () => {
    const exception = {
      type: 'object',
      subtype: 'error',
      description: 'TypeError: two\nlines\n    at f (a.js:1:2)',
    } as const;
    expect(
      toExceptionText({
        exceptionId: 1,
        text: 'Uncaught',
        lineNumber: 0,
        columnNumber: 0,
        exception,
      }),
    ).toBe('Uncaught TypeError: two\nlines');
    expect(
      toExceptionText({
        exceptionId: 1,
        text: 'Uncaught SyntaxError',
        lineNumber: 0,
        columnNumber: 0,
      }),
    ).toBe('Uncaught SyntaxError');
  });
});
