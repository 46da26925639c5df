// Tests of source maps: original positions, and invalid input.
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { mapAddressIn, SourceMap } from './source-map.ts';

const SOURCE = `export const first = (value: number): number => {
  const doubled = value * 2;
  throw new Error('here ' + doubled);
};
export const second = () => first(3);
`;

const { code, map } = transformSync(SOURCE, {
  loader: 'ts',
  minify: true,
  sourcemap: 'external',
  sourcefile: 'app/first.ts',
});

describe('a source map', () => {
  it('leads from minified code to the line and column of its source', () => {
    const parsed = SourceMap.parse(map, 'https://site.test/js/bundle.js');
    const column = code.indexOf('throw') + 1;
    expect(parsed?.find(1, column)).toMatchObject({
      url: 'https://site.test/js/app/first.ts',
      line: 3,
      column: 3,
    });
  });

  it('knows nothing of lines that it does not cover', () =>
    expect(SourceMap.parse(map, 'https://site.test/')?.find(99, 1)).toBeUndefined());

  it.each(['', 'not json', '[]', 'null', '{}', '{"mappings":7}', '{"version":3,"sections":[]}'])(
    'is not made of %j',
    (text) => expect(SourceMap.parse(text, 'https://site.test/')?.find(1, 1)).toBeUndefined(),
  );

  it('made of sections leads into the one that a place lies in', () => {
    const one = transformSync('export const one = () => { throw 1; };', {
      minify: true,
      sourcemap: 'external',
      sourcefile: 'one.js',
    });
    const section = (line: number, column: number, text: string): object => ({
      offset: { line, column },
      map: JSON.parse(text) as object,
    });
    // The first two stand on one line, one behind the other; the third begins two lines below.
    const end = one.code.trimEnd().length;
    const index = {
      version: 3,
      sections: [section(0, 0, one.map), section(0, end, map), section(2, 4, map)],
    };
    const parsed = SourceMap.parse(JSON.stringify(index), 'https://site.test/js/bundle.js');
    expect(parsed?.find(1, one.code.indexOf('throw') + 1)).toMatchObject({
      url: 'https://site.test/js/one.js',
      line: 1,
    });
    const there = code.indexOf('throw') + 1;
    const place = { url: 'https://site.test/js/app/first.ts', line: 3, column: 3 };
    expect(parsed?.find(1, end + there)).toMatchObject(place);
    expect(parsed?.find(3, 4 + there)).toMatchObject(place);
    expect(parsed?.find(2, 1)).toBeUndefined();
  });

  it.each([
    '{"sections":[{"map":{"mappings":"AAAA"}}]}',
    '{"sections":[{"offset":{"line":-1,"column":"x"},"map":{"mappings":"AAAA","sources":["a"]}},7,null]}',
    '{"sections":[{"offset":{"line":"999999","column":0},"map":{"mappings":";AAAA","sources":["a"]}}]}',
    '{"sections":[{"offset":{"line":4000000000,"column":0},"map":{"mappings":"AAAA","sources":["a"]}}]}',
    '{"sections":[{"offset":{"line":0,"column":0},"map":{"sections":[{"offset":{"line":0,"column":0},"map":{"mappings":"AAAA","sources":["a"]}}]}}]}',
  ])('of sections that are nonsense leads nowhere: %s', (text) =>
    expect(SourceMap.parse(text, 'https://site.test/')?.find(1, 1)).toBeUndefined(),
  );

  it('survives mappings that are nonsense', () =>
    expect(
      SourceMap.parse(
        '{"mappings":"!!!!,,;;AAAA,zzzzzzzz","sources":["a"]}',
        'https://site.test/',
      )?.find(3, 1)?.url,
    ).toBe('https://site.test/a'));
});

describe('the address of a map', () => {
  it.each([
    ['let a=1;\n//# sourceMappingURL=bundle.js.map', 'bundle.js.map'],
    ['let a=1;\n//@ sourceMappingURL=/x/bundle.map\n', '/x/bundle.map'],
    ['a{}\n/*# sourceMappingURL=s.css.map */', 's.css.map'],
    [
      'let a=1;\n//# sourceMappingURL=data:application/json;base64,e30=',
      'data:application/json;base64,e30=',
    ],
    ['let a=1', undefined],
  ])('in %j is %s', (script, address) => expect(mapAddressIn(script)).toBe(address));
});
