// Tests of robots.ts: the behaviour that Google documents for robots.txt.
import { describe, expect, it } from 'vitest';
import { parseRobots } from './robots.ts';

const allows = (text: string, path: string, agent = 'FooBot'): boolean =>
  parseRobots(text, agent).allows(`https://a.test${path}`);
const BOTH = 'user-agent: FooBot\ndisallow: /\nuser-agent: BarBot\nallow: /\n';

describe('the cases of Google', () => {
  it.each<[string, string, string, boolean]>([
    ['an empty file allows everything', '', '/x', true],
    ['rules without an agent count for nobody', 'disallow: /x\n', '/x', true],
    ['keys and agents are not case-sensitive', 'USER-AGENT: FOOBOT\nDISALLOW: /x\n', '/x', false],
    ['paths are case-sensitive', 'user-agent: FooBot\ndisallow: /X\n', '/x', true],
    ['a missing colon is understood', 'user-agent FooBot\ndisallow /\n', '/x', false],
    [
      'spaces around key, colon and value do not matter',
      '  user-agent :  FooBot  \n\tdisallow\t:\t/x\t\n',
      '/x',
      false,
    ],
    [
      'comments are no rules',
      'user-agent: FooBot # me\ndisallow: /y # not /x\n#disallow: /x\n',
      '/x',
      true,
    ],
    [
      'agents in a row share the rules',
      'user-agent: BarBot\nuser-agent: FooBot\ndisallow: /x\n',
      '/x',
      false,
    ],
    [
      'other lines between agents do not part them',
      'user-agent: FooBot\nsitemap: https://a.test/s\nuser-agent: BarBot\ndisallow: /x\n',
      '/x',
      false,
    ],
    ['only the own group counts', BOTH, '/x', false],
    [
      'the own group counts wherever it stands',
      'user-agent: *\ndisallow: /\nuser-agent: FooBot\nallow: /\n',
      '/x',
      true,
    ],
    [
      'the group for all counts where none is named',
      'user-agent: BarBot\nallow: /\nuser-agent: *\ndisallow: /x\n',
      '/x',
      false,
    ],
    [
      'the group for all does not add to the own one',
      'user-agent: *\ndisallow: /x\nuser-agent: FooBot\ndisallow: /y\n',
      '/x',
      true,
    ],
    [
      'several groups of one agent are one',
      'user-agent: FooBot\ndisallow: /x\nuser-agent: Z\ndisallow: /\nuser-agent: FooBot\ndisallow: /y\n',
      '/x',
      false,
    ],
    ['a version after the agent is ignored', 'user-agent: FooBot/1.2\ndisallow: /x\n', '/x', false],
    [
      'an agent that only begins alike is another',
      'user-agent: FooBotNews\ndisallow: /x\n',
      '/x',
      true,
    ],
    ['"* something" is everybody', 'user-agent: * baz\ndisallow: /x\n', '/x', false],
    [
      'empty lines do not end a group',
      'user-agent: FooBot\nuser-agent: FooBot\n\nuser-agent: *\ndisallow: /\n',
      '/x',
      false,
    ],
    ['an empty disallow allows everything', 'user-agent: FooBot\ndisallow:\n', '/x', true],
    [
      'the longest match wins: disallow',
      'user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/\n',
      '/x/page.html',
      false,
    ],
    [
      'the longest match wins: allow',
      'user-agent: FooBot\nallow: /x/page.html\ndisallow: /x/\n',
      '/x/page.html',
      true,
    ],
    [
      'of equal rules the one that allows wins',
      'user-agent: FooBot\ndisallow: /x\nallow: /x\n',
      '/x',
      true,
    ],
    [
      'the order of rules does not matter',
      'user-agent: FooBot\nallow: /p\ndisallow: /\n',
      '/page',
      true,
    ],
    ['/fish matches what begins so', 'user-agent: FooBot\ndisallow: /fish\n', '/fish.html', false],
    ['/fish does not match elsewhere', 'user-agent: FooBot\ndisallow: /fish\n', '/Fish.asp', true],
    ['/fish/ does not match /fish', 'user-agent: FooBot\ndisallow: /fish/\n', '/fish', true],
    [
      '/*.php matches anywhere',
      'user-agent: FooBot\ndisallow: /*.php\n',
      '/folder/file.php?x=1',
      false,
    ],
    [
      '/*.php$ matches only the end',
      'user-agent: FooBot\ndisallow: /*.php$\n',
      '/file.php?x=1',
      true,
    ],
    ['/*.php$ matches the end', 'user-agent: FooBot\ndisallow: /*.php$\n', '/a.php/b.php', false],
    [
      '/fish*.php keeps its order',
      'user-agent: FooBot\ndisallow: /fish*.php\n',
      '/fishheads/catfish.php?x',
      false,
    ],
    [
      'a wildcard at the end changes nothing',
      'user-agent: FooBot\ndisallow: /fish*\n',
      '/fishy',
      false,
    ],
    ['/$ is the front page alone', 'user-agent: FooBot\nallow: /$\ndisallow: /\n', '/', true],
    ['/$ is no other page', 'user-agent: FooBot\nallow: /$\ndisallow: /\n', '/page.htm', false],
    ['a dollar elsewhere is a character', 'user-agent: FooBot\ndisallow: /a$b\n', '/a$b', false],
    [
      'an index that is allowed is its folder too',
      'user-agent: *\nallow: /docs/index.html\ndisallow: /\n',
      '/docs/',
      true,
    ],
    [
      'an index that is allowed is no other page',
      'user-agent: *\nallow: /docs/index.html\ndisallow: /\n',
      '/docs/index.htm',
      false,
    ],
    [
      'an index that is allowed is not all of its folder',
      'user-agent: *\nallow: /docs/index.html\ndisallow: /\n',
      '/docs/a',
      false,
    ],
    [
      'an index that is disallowed is not its folder',
      'user-agent: *\ndisallow: /docs/index.html\n',
      '/docs/',
      true,
    ],
    [
      'agents are named up to the first blank',
      'user-agent: *\nallow: /\nuser-agent: FooBot Foo\ndisallow: /x\n',
      '/x',
      false,
    ],
    [
      'a rule without a slash matches nothing',
      'user-agent: FooBot\ndisallow: fish\n',
      '/fish',
      true,
    ],
    [
      'letters beyond ASCII match their escapes',
      'user-agent: FooBot\ndisallow: /foo/bar/ツ\n',
      '/foo/bar/%E3%83%84',
      false,
    ],
    ['escapes match letters', 'user-agent: FooBot\ndisallow: /foo/%e3%83%84\n', '/foo/ツ', false],
    [
      'needless escapes match plain characters',
      'user-agent: FooBot\ndisallow: /%61%7E\n',
      '/a~',
      false,
    ],
    ['an escaped slash is no slash', 'user-agent: FooBot\ndisallow: /a%2Fb\n', '/a/b', true],
    [
      'the query is part of what is matched',
      'user-agent: FooBot\ndisallow: /*?\n',
      '/x?y=1',
      false,
    ],
    [
      'a byte order mark is no part of the first line',
      '\uFEFFuser-agent: FooBot\ndisallow: /x\n',
      '/x',
      false,
    ],
    ['line ends of any kind', 'user-agent: FooBot\rdisallow: /x\r\ndisallow: /y', '/y', false],
    ['a page of HTML is no rule', '<html><body>not found: disallow</body></html>', '/x', true],
    [
      'robots.txt itself may always be read',
      'user-agent: FooBot\ndisallow: /\n',
      '/robots.txt',
      true,
    ],
    ['misspelt rules are understood', 'user-agent: FooBot\ndissallow: /x\n', '/x', false],
    [
      'an unknown key is passed over',
      'user-agent: FooBot\nnoindex: /x\nclean-param: a\n',
      '/x',
      true,
    ],
  ])('%s', (_, text, path, allowed) => {
    expect(allows(text, path)).toBe(allowed);
  });
});

it('returns the sitemaps of every group', () => {
  const text =
    'sitemap: https://a.test/1.xml\nuser-agent: x\ndisallow: /\nSite-map: https://b.test/2.xml\n';
  expect(parseRobots(text, 'FooBot').sitemaps).toEqual([
    'https://a.test/1.xml',
    'https://b.test/2.xml',
  ]);
});

it('returns the delay of the matching group', () => {
  const text = 'user-agent: *\ncrawl-delay: 10\nuser-agent: FooBot\nCrawl-Delay: 0.5\ndisallow:\n';
  expect(parseRobots(text, 'FooBot').delayMs).toBe(500);
  expect(parseRobots(text, 'Other').delayMs).toBe(10_000);
  expect(parseRobots('user-agent: *\ncrawl-delay: soon\n', 'FooBot').delayMs).toBeUndefined();
});

it('is not slowed down by patterns made for that', () => {
  const text = `user-agent: *\n${`disallow: /${'*a'.repeat(2000)}b\n`.repeat(50)}`;
  const from = performance.now();
  expect(allows(text, `/${'a'.repeat(4000)}`)).toBe(true);
  expect(performance.now() - from).toBeLessThan(2000);
});
