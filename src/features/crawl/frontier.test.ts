// Tests of frontier.ts.
import { expect, it } from 'vitest';
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
