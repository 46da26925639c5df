// Scripts with many objects: their sandbox is freed without messages of its engine.
import { expect, it, vi } from 'vitest';
import { useEngine } from '../fixtures.ts';

const engine = useEngine();

it('a script that returns many objects writes nothing to stderr', async () => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const code = 'return Array.from({ length: 60000 }, (_, i) => ({ i }))';
  await engine.text('script', { code });
  expect(await engine.text('script', { code: '"alive"' })).toBe('alive');
  spy.mockRestore();
  expect(written).toEqual([]);
});
