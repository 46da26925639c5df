// The YAML of recipes: the line of an error, and texts that would end or block the process.
import { describe, expect, it } from 'vitest';
import { parseYaml } from './recipe-yaml.ts';

describe('the YAML of a recipe', () => {
  it('is parsed with lists and mappings in both notations', () => {
    expect(parseYaml('name: a\nsteps:\n  - click: {name: Save}\n  - wait: [1, 2]\n')).toEqual({
      name: 'a',
      steps: [{ click: { name: 'Save' } }, { wait: [1, 2] }],
    });
  });

  it('is rejected with the line of the error', () => {
    expect(() => parseYaml('name: a\nsteps: [1, 2\nurl: b')).toThrow(/^Line \d+: /);
  });

  it.each(['[', '{', '- ', '? ', '[\n', 'a: {'])('is rejected if %j nests too deeply', (unit) => {
    expect(() => parseYaml(unit.repeat(2_000))).toThrow('levels of nesting');
  });

  it('is rejected if it is too long', () => {
    expect(() => parseYaml('# comment\n'.repeat(4_000))).toThrow('at most 32768 (32 KB)');
  });
});
