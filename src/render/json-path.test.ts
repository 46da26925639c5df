// Tests of JSON paths, and of the failure if a path does not exist.
import { describe, expect, it } from 'vitest';
import type { Failure } from '../core/failure.ts';
import { getAtPath } from './json-path.ts';

const BODY = {
  data: { items: [{ id: 1, tags: ['a'] }, { id: 2 }], 'odd name': { '*': 'star' } },
  n: null,
};

describe('a path', () => {
  it.each<[string, unknown]>([
    ['$', BODY],
    ['$.data.items[0].id', 1],
    ['data.items[1].id', 2],
    ['$.data.items[-1].id', 2],
    ['$.data["odd name"]["*"]', 'star'],
    ["$['data']['items'][0]['tags'][0]", 'a'],
    ['$.data.items[*].id', [1, 2]],
    ['$.data.items[*].tags', [['a']]],
    ['$.n', null],
  ])('%s', (path, expected) => {
    expect(getAtPath(BODY, path)).toEqual(expected);
  });

  it('without a value reports how far it exists and the value there', () => {
    const failed = (path: string): Failure => {
      try {
        getAtPath(BODY, path);
      } catch (error) {
        return error as Failure;
      }
      throw new Error('it led somewhere');
    };
    expect(failed('$.data.itms').toJSON().error).toMatchObject({
      code: 'invalid_argument',
      exists: '$.data',
      names: ['items', 'odd name'],
    });
    expect(failed('$.data.items[9]').message).toContain('$.data.items is an array of 2');
    expect(failed('$.n.x').message).toContain('$.n is null');
    expect(failed('$.data.items[*].nope').details).toMatchObject({ exists: '$.data.items[0]' });
    expect(failed('$..').message).toContain('cannot be parsed');
    expect(failed('$.toString').message).toContain('no value at $');
  });
});
