// Scripts on a server whose owner disabled a tool.
import { expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';

const engine = useEngine(['--disable-tools', 'interact']);

it('a script that calls a disabled tool fails with tool_not_allowed', async () => {
  const code = 'await interact({ action: "click", query: "Pay" })';
  expect(await engine.failure('script', { code })).toMatchObject({
    code: 'tool_not_allowed',
    tool: 'interact',
    line: 1,
  });
});
