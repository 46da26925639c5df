// What could come next on a command line.
import { expect, it } from 'vitest';
import { listCompletions, FILES } from './completion.ts';
import { commands, findCommand, listFollowingWords } from './program.ts';

const program = { commands, findCommand, listFollowingWords };

const words = (line: string): string[] =>
  listCompletions(program, line.split(' ')).map(({ word }) => word);

it.each<[string, string[]]>([
  ['stat', ['state']],
  ['tab', ['tabs']],
  ['tabs s', ['select']],
  ['cookies s', ['set']],
  ['browser cookies s', ['set']],
  ['browser read-page --mode m', ['markdown']],
  ['browser read-page --mode=m', ['--mode=markdown']],
  ['browser page-content --no-o', ['--no-outer-html']],
  ['network --fol', ['--follow']],
  ['state --since ', ['last']],
  ['screenshot ', [FILES]],
  ['screenshot --path ', [FILES]],
  ['click ', []],
  ['dialog x', []],
  ['tabs select ', [':tabs']],
  ['click Save --tab ', [':tabs']],
  ['state --session ', [':sessions']],
  ['tasks show ', [':tasks']],
  ['output grep ', [':handles']],
  ['setup ', [':hosts']],
  ['login check ', [':logins']],
  ['sessions open shop --login ', [':logins']],
  ['sessions close ', [':sessions']],
  ['tasks start cr', ['crawl', 'crawl_sitemap']],
  ['call read_', ['read_page']],
  ['completion ', ['bash', 'zsh', 'fish', '--help']],
  ['serve --hea', ['--headless', '--headed']],
  ['serve --chrome-path ', [FILES]],
])('%s', (line, expected) => {
  expect(words(line)).toEqual(expected);
});

it('describes each', () => {
  expect(listCompletions(program, ['clic'])).toEqual([{ word: 'click', says: 'Click an element' }]);
});

it('does not offer hidden commands', () => {
  expect(words('comple')).toEqual(['completion']);
});
