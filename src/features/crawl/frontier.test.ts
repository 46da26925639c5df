// Tests of frontier.ts.
import { describe, expect, it } from 'vitest';
import { Frontier, type Visit } from './frontier.ts';

const take = (frontier: Frontier): Visit => {
  const visit = frontier.take();
  if (!visit) throw new Error('nothing is waiting');
  return visit;
};
const at = (path: string): string => `https://a.test${path}`;

it('visits breadth first, and each page once', () => {
  const frontier = new Frontier({ maxDepth: 2 });
  frontier.offer(at('/'), 0);
  frontier.end(take(frontier), [at('/a'), at('/b'), at('/a/'), at('/')]);
  frontier.end(take(frontier), [at('/c')]);
  expect(take(frontier)).toMatchObject({ url: at('/b'), depth: 1, n: 2 });
  expect(take(frontier)).toMatchObject({ url: at('/c'), depth: 2, n: 3 });
  expect(frontier.take()).toBeUndefined();
});

it('keeps its order independent of the order of responses', () => {
  const frontier = new Frontier({ maxDepth: 2 });
  frontier.offer(at('/'), 0);
  frontier.end(take(frontier), [at('/a'), at('/b')]);
  const [a, b] = [take(frontier), take(frontier)];
  frontier.end(b, [at('/b1')]);
  expect(frontier.take()).toBeUndefined();
  frontier.end(a, [at('/a1')]);
  expect([take(frontier).url, take(frontier).url]).toEqual([at('/a1'), at('/b1')]);
});

it('stops at the maximum depth, and reports that there was more', () => {
  const frontier = new Frontier({ maxDepth: 0 });
  frontier.offer(at('/'), 0);
  frontier.end(take(frontier), [at('/a'), at('/')]);
  expect(frontier.waiting).toBe(0);
  expect(frontier.tooDeep).toBe(1);
});

it('does not lose its place over thousands of pages', () => {
  const frontier = new Frontier({ maxDepth: 5000 });
  frontier.offer(at('/0'), 0);
  for (let i = 0; i < 4000; i++) {
    const visit = take(frontier);
    expect(visit.url).toBe(at(`/${i}`));
    frontier.end(visit, [at(`/${i + 1}`)]);
  }
});

describe('a frontier that is replayed', () => {
  const LINKS: Readonly<Record<string, readonly string[]>> = {
    'http://a/': ['http://a/1', 'http://a/2'],
    'http://a/1': ['http://a/3', 'http://a/2'],
    'http://a/2': ['http://a/4', 'http://a/5'],
  };

  const takeAll = (frontier: Frontier): string[] => {
    const taken: string[] = [];
    for (let visit = frontier.take(); visit; visit = frontier.take())
      taken.push(`${visit.n} ${visit.url} ${visit.depth}`);
    return taken;
  };

  it('gives the open visits the numbers that they had', () => {
    const first = new Frontier({ maxDepth: 5 });
    first.offer('http://a/', 0);
    for (const url of ['http://a/', 'http://a/1', 'http://a/2']) {
      const visit = first.take();
      if (visit) first.end(visit, LINKS[url] ?? []);
    }
    const second = new Frontier({ maxDepth: 5 });
    second.offer('http://a/', 0);
    second.replay(({ url }) => LINKS[url]);
    expect(second.waiting).toBe(3);
    expect(takeAll(second)).toEqual(takeAll(first));
  });

  it('keeps the links of later visits until an open visit has ended', () => {
    const frontier = new Frontier({ maxDepth: 5 });
    frontier.offer('http://a/', 0);
    frontier.replay(({ url }) => (url === 'http://a/1' ? undefined : LINKS[url]));
    const open = frontier.take();
    expect(open).toEqual({ n: 1, url: 'http://a/1', depth: 1 });
    expect(frontier.take()).toBeUndefined();
    if (open) frontier.end(open, LINKS['http://a/1'] ?? []);
    expect(takeAll(frontier)).toEqual(['3 http://a/3 2', '4 http://a/4 2', '5 http://a/5 2']);
  });
});
