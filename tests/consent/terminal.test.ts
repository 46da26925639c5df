// The terminal answers questions of another process, and only a user with a terminal may do so.
import { expect, it } from 'vitest';
import { wireCli } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { run as runApprovals } from '../../src/frontends/cli/commands/approvals.ts';
import type { CliContext, OwnCommand } from '../../src/frontends/cli/command.ts';
import { useSite } from '../fixtures.ts';
import { usePolicy } from './consent-site.ts';

const site = useSite({ '/': '<title>Shop</title><button onclick="document.title=1">Buy</button>' });
const engine = usePolicy([{ decision: 'ask', effect: 'act' }], site);
const { user } = engine;

/** Runs a command as another process of the same home would. */
const type = async (
  path: string,
  words: readonly string[] = [],
  interactive = true,
): Promise<string> => {
  const out: string[] = [];
  const home = resolveHome({ OPENCHROME_HOME: engine.home });
  const wiring = wireCli({ loadConfig: async () => resolveConfig({}) }, home);
  const context = {
    terminal: { interactive, columns: 100, out: (text: string) => out.push(text) },
    wiring: { ...wiring, home },
  };
  const fields = ['json', 'session', 'always'].map((name) => ({ name, kind: 'switch' }));
  const command = { path: path.split(' '), fields, positionals: [] };
  await runApprovals(words, context as unknown as CliContext, command as unknown as OwnCommand);
  return out.join('\n');
};

const click = () => engine.reply('interact', { action: 'click', query: 'Buy' });

it('lists a question, approves it, and lists and revokes the approval', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const reply = click();
  const { id } = await user.question();
  expect(await type('waiting')).toMatch(new RegExp(`^${id}  .*interact wants to act on 127`));
  expect(await type('approve', [id, '--always'])).toBe(`${id} was approved.`);
  expect((await reply).failure).toBeUndefined();
  expect((await click()).failure).toBeUndefined();
  const [, stored = ''] = /^(\w{6}) {2}.*act on 127.*always$/.exec(await type('approvals')) ?? [];
  expect(await type('approvals revoke', [stored])).toContain('is not approved any more');
  expect(await type('approvals')).toBe('No approval is stored.');
});

it('denies a question', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const reply = click();
  const { id } = await user.question();
  expect(await type('deny', [id])).toBe(`${id} was denied.`);
  expect((await reply).failure?.code).toBe('consent_denied');
  await expect(type('approve', [id])).rejects.toMatchObject({ code: 'waiting_not_found' });
});

it('an agent that runs the command without a terminal cannot answer', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const reply = click();
  const { id } = await user.question();
  await expect(type('approve', [id], false)).rejects.toMatchObject({ code: 'tool_not_allowed' });
  await user.deny();
  expect((await reply).failure?.code).toBe('consent_denied');
});

it('an agent can neither write an answer nor change approvals with its tools', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  for (const path of [
    'waiting/aaaaaa.answer.json',
    'approvals.json',
    'openchrome.json',
    'dashboard.key',
    'extension.json',
  ])
    expect(
      await engine.failure('storage', { action: 'save', path: `${engine.home}/${path}` }),
    ).toMatchObject({ code: 'file_not_allowed' });
});
