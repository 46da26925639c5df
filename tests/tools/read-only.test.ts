// --read-only and --disable-tools: which calls the owner of the server has excluded.
import { expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<title>Shop</title><button onclick="document.title=1">Buy</button>
    <h2>Email</h2><label>Email <input value="ada@x.org"></label>
    <label>Password <input type=password value="pw-17"></label>`,
});
const engine = useEngine(['--read-only', '--disable-tools', 'javascript_tool']);

it('a read-only server opens and reads pages', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  expect(await engine.text('read_page')).toContain('Buy');
  expect(await engine.json('cookies')).toEqual({ cookies: [] });
});

it.each([
  [{ fact: 'value', query: 'Email' }, 'ada@x.org'],
  [{ fact: 'value', query: 'Password' }, '•••••'],
  [{ fact: 'value', selector: 'h2' }, null],
  [{ fact: 'attribute', attribute: 'onclick', query: 'Buy' }, 'document.title=1'],
  [{ fact: 'count', selector: 'label' }, 2],
])('a read-only server reports the fact %j', async (args, fact) => {
  await engine.text('navigate', { url: `${site.origin}/` });
  expect(await engine.json('inspect', args)).toEqual({ fact });
});

it.each([
  ['interact', { action: 'click', query: 'Buy' }],
  ['act', { instruction: 'click Buy' }],
  ['fill_form', { fields: [{ label: 'x', value: 'y' }] }],
  ['computer', { action: 'left_click', coordinate: [5, 5] }],
  ['cookies', { action: 'set', name: 'a', value: 'b' }],
  ['storage', { action: 'set', key: 'a', value: 'b' }],
  ['request_intercept', { action: 'block', url: '*' }],
  ['emulate', { colorScheme: 'dark' }],
])('a read-only server rejects %s', async (tool, args) => {
  expect(await engine.failure(tool, args)).toMatchObject({ code: 'tool_not_allowed' });
});

it('a disabled tool is neither listed nor can be called', async () => {
  expect(engine.engine.tools.map(({ name }) => name)).not.toContain('javascript_tool');
  expect(await engine.failure('javascript_tool', { code: '1' })).toMatchObject({
    code: 'unknown_tool',
  });
});

it('an unknown name in --disable-tools stops the start', () => {
  const config = resolveConfig({ flags: ['--disable-tools', 'javascript_tol'] });
  expect(() =>
    createEngine({ config, home: resolveHome({ OPENCHROME_HOME: '/nowhere' }) }),
  ).toThrow('there is no tool "javascript_tol"');
});
