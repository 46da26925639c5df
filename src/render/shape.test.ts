// Tests of shapes: the text of each kind of value, merging, and omitted parts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildShape, SHAPE_BYTES } from './shape.ts';

const bytesOf = (shape: object): number => Buffer.byteLength(JSON.stringify(shape));
const nested = (depth: number): unknown => (depth === 0 ? { end: 1 } : { a: nested(depth - 1) });

describe('the shape of', () => {
  it.each<[string, unknown, Record<string, string>]>([
    ['a string', 'x', { $: 'string' }],
    ['80 characters', 'x'.repeat(80), { $: 'string' }],
    ['81 characters', 'x'.repeat(81), { $: 'string(len=81)' }],
    ['a number', 1.5, { $: 'number' }],
    ['a boolean', false, { $: 'boolean' }],
    ['null', null, { $: 'null' }],
    ['an empty array', [], { $: 'array(0)' }],
    ['an empty object', {}, { $: 'object(empty)' }],
    ['an object', { a: 1, b: 'x' }, { $: 'object', '$.a': 'number', '$.b': 'string' }],
    ['an array', [1, 2, 3], { $: 'array(3)', '$[0]': 'number' }],
    ['an odd name', { 'odd name': 1 }, { $: 'object', '$["odd name"]': 'number' }],
    ['a name with a quote', { 'a"b': 1 }, { $: 'object', '$["a\\"b"]': 'number' }],
    ['an empty name', { '': 1 }, { $: 'object', '$[""]': 'number' }],
    [
      'a name with a dot',
      { 'a.b': { c: 1 } },
      { $: 'object', '$["a.b"]': 'object', '$["a.b"].c': 'number' },
    ],
    ['a name that is a number', { 7: true }, { $: 'object', '$["7"]': 'boolean' }],
    [
      'a name with $ and _',
      { $ref: 1, _id: 2 },
      { $: 'object', '$.$ref': 'number', '$._id': 'number' },
    ],
    ['a name in another script', { größe: 1 }, { $: 'object', '$["größe"]': 'number' }],
    ['the name __proto__', JSON.parse('{"__proto__":1}'), { $: 'object', '$.__proto__': 'number' }],
    ['an array in an array', [[1]], { $: 'array(1)', '$[0]': 'array(1)', '$[0][0]': 'number' }],
    [
      'objects in an array',
      { items: [{ id: 1 }, { id: 2 }] },
      { $: 'object', '$.items': 'array(2)', '$.items[0]': 'object', '$.items[0].id': 'number' },
    ],
    [
      'a field that some lack',
      [{ a: 1, b: 1 }, { a: 2 }],
      { $: 'array(2)', '$[0]': 'object', '$[0].a': 'number', '$[0].b': 'number?' },
    ],
    [
      'a field only in a later one',
      [{ a: 1 }, { a: 1, z: 'x' }],
      { $: 'array(2)', '$[0]': 'object', '$[0].a': 'number', '$[0].z': 'string?' },
    ],
    [
      'types that differ',
      [{ a: 1 }, { a: 'x' }, { a: null }],
      { $: 'array(3)', '$[0]': 'object', '$[0].a': 'number|string|null' },
    ],
    [
      'types that differ where some lack it',
      [{ a: 1 }, { a: null }, {}],
      { $: 'array(3)', '$[0]': 'object', '$[0].a': 'number|null?' },
    ],
    [
      'a mixed array',
      [1, 'x', null, { a: true }],
      { $: 'array(4)', '$[0]': 'number|string|null|object', '$[0].a': 'boolean' },
    ],
    [
      'an object beside null',
      [{ a: 1 }, null],
      { $: 'array(2)', '$[0]': 'object|null', '$[0].a': 'number' },
    ],
    [
      'arrays of several lengths',
      [{ t: [] }, { t: [1, 2] }],
      { $: 'array(2)', '$[0]': 'object', '$[0].t': 'array(2)', '$[0].t[0]': 'number' },
    ],
    [
      'an empty object beside a full one',
      [{ a: {} }, { a: { b: 1 } }],
      { $: 'array(2)', '$[0]': 'object', '$[0].a': 'object', '$[0].a.b': 'number?' },
    ],
    [
      'the longest of several strings',
      ['x', 'y'.repeat(100)],
      { $: 'array(2)', '$[0]': 'string(len=100)' },
    ],
    [
      'the first 20 elements',
      [...Array.from({ length: 20 }, () => ({ a: 1 })), { late: 1 }],
      { $: 'array(21)', '$[0]': 'object', '$[0].a': 'number' },
    ],
    ['emptiness in an array', [[], {}], { $: 'array(2)', '$[0]': 'array(0)|object(empty)' }],
    ['a number of every kind', [1, 1.5, -0], { $: 'array(3)', '$[0]': 'number' }],
    [
      'depth 6',
      nested(5),
      {
        $: 'object',
        '$.a': 'object',
        '$.a.a': 'object',
        '$.a.a.a': 'object',
        '$.a.a.a.a': 'object',
        '$.a.a.a.a.a': 'object',
        '$.a.a.a.a.a.end': 'number',
      },
    ],
    [
      'depth 7',
      nested(6),
      {
        $: 'object',
        '$.a': 'object',
        '$.a.a': 'object',
        '$.a.a.a': 'object',
        '$.a.a.a.a': 'object',
        '$.a.a.a.a.a': 'object',
        '$.a.a.a.a.a.a': 'object(keys=1)',
      },
    ],
  ])('%s', (_, value, expected) => {
    expect(buildShape(value)).toEqual(expected);
  });
});

describe('a shape that would be too large', () => {
  it('of 500 fields reports the number of omitted fields, in the last line', () => {
    const shape = buildShape(
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i])),
    );
    const paths = Object.keys(shape);
    expect(bytesOf(shape)).toBeLessThanOrEqual(SHAPE_BYTES);
    expect(paths.slice(0, 3)).toEqual(['$', '$.field0', '$.field1']);
    expect(paths.at(-1)).toBe('(truncated)');
    expect(shape['(truncated)']).toBe(`${501 - (paths.length - 1)} more`);
    expect(paths.length).toBeGreaterThan(80);
  });

  it('does not let one fat branch hide its siblings', () => {
    const fat = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`f${i}`, { deep: { deeper: i } }]),
    );
    const shape = buildShape({ fat, small: { a: { b: 1 } }, last: [{ id: 1 }] });
    expect(shape).toMatchObject({
      '$.fat': 'object',
      '$.small': 'object',
      '$.small.a.b': 'number',
      '$.last[0].id': 'number',
      '$.fat.f0': 'object',
    });
    expect(Object.keys(shape).at(-1)).toBe('(truncated)');
  });

  it('divides the rest of the budget between large branches', () => {
    const fat = (): object =>
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, 'x']));
    const shape = buildShape({ a: fat(), b: fat(), c: fat() });
    const count = (name: string): number =>
      Object.keys(shape).filter((path) => path.startsWith(`$.${name}.`)).length;
    expect(
      Math.max(count('a'), count('b'), count('c')) - Math.min(count('a'), count('b'), count('c')),
    ).toBeLessThanOrEqual(1);
    expect(count('c')).toBeGreaterThan(15);
  });

  it('keeps the line of an array whose elements exceed the budget', () => {
    const shape = buildShape({ list: [{ ['x'.repeat(3000)]: 1 }], other: 1 });
    expect(shape).toEqual({
      $: 'object',
      '$.list': 'array(1)',
      '$.list[0]': 'object',
      '$.other': 'number',
      '(truncated)': '1 more',
    });
  });

  it('stays within the budget if it is reached on the line of an array', () => {
    for (let maxBytes = 60; maxBytes < 140; maxBytes++) {
      const shape = buildShape(
        { first: 'x', list: [{ id: 1, name: 'x' }], last: 'x' },
        { maxBytes },
      );
      expect(bytesOf(shape)).toBeLessThanOrEqual(maxBytes);
    }
  });
});

describe('for any value', () => {
  const parentOf = (path: string): string | undefined => {
    const parent = path.replace(/(?:\.[A-Za-z_$][\w$]*|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/, '');
    return parent === path ? undefined : parent;
  };

  it('a shape never exceeds its budget, and every child has its parent', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 9 }),
        fc.integer({ min: 60, max: 3000 }),
        (value, maxBytes) => {
          const shape = buildShape(value, { maxBytes });
          expect(bytesOf(shape)).toBeLessThanOrEqual(maxBytes);
          const paths = Object.keys(shape).filter((path) => path !== '(truncated)');
          for (const path of paths)
            if (path !== '$') expect(Object.hasOwn(shape, parentOf(path) ?? 'nothing')).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('omitted parts are reported, and only those', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 })),
        (value) => {
          const whole = buildShape(value, { maxBytes: 10_000_000 });
          const shape = buildShape(value, { maxBytes: 200 });
          const shown = Object.keys(shape).filter((path) => path !== '(truncated)');
          const left = Object.keys(whole).length - shown.length;
          expect(shape['(truncated)']).toBe(left === 0 ? undefined : `${left} more`);
          for (const path of shown) expect(shape[path]).toBe(whole[path]);
        },
      ),
    );
  });

  it('every type is written in the few words that there are', () => {
    const one =
      /(?:string(?:\(len=\d+\))?|number|boolean|null|array\(\d+\)|object(?:\(empty\)|\(keys=\d+\))?)/
        .source;
    const type = new RegExp(`^${one}(?:\\|${one})*\\??$`);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 9 }), (value) => {
        for (const [path, text] of Object.entries(buildShape(value)))
          if (path !== '(truncated)') expect(text).toMatch(type);
      }),
    );
  });
});
