// Secrets: named in a call, typed into the page, and to be found nowhere else.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PASSWORD = 'corr3ct "horse"; then battery';
const file = join(tmpdir(), `openchrome-secrets-${process.pid}.env`);
writeFileSync(file, `PASSWORD@127.0.0.1='${PASSWORD}'\nUSER@127.0.0.1=ada.lovelace\n`);

const site = useSite();
const server = useEngine(['--secrets', file]);

/** Everything under the engine's home, as text. */
const everythingIn = (folder: string): string =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) =>
      statSync(path).isDirectory() ? everythingIn(path) : readFileSync(path, 'latin1'),
    )
    .join('\n');

const open = (): Promise<unknown> =>
  server.json('navigate', {
    url: site.page(
      '/login',
      `<!doctype html><form onsubmit="event.preventDefault();out.textContent=u.value+' '+p.value"><label>User <input id=u></label><label>Password <input id=p type=password></label><button>Go</button></form><p id=out role=status>`,
    ),
  });

const held = (): Promise<string> =>
  server.text('javascript_tool', {
    code: `document.getElementById('p').value === ${JSON.stringify(PASSWORD)}`,
  });

it.each([
  ['interact', { action: 'fill', query: 'Password', value: '${SECRET:PASSWORD}' }],
  ['interact', { action: 'type', query: 'Password', value: '${SECRET:PASSWORD}' }],
  [
    'fill_form',
    {
      fields: [
        { label: 'User', value: '${SECRET:USER}' },
        { label: 'Password', value: '${SECRET:PASSWORD}' },
      ],
      submit: true,
    },
  ],
  [
    'act',
    {
      instruction:
        'fill User with "${SECRET:USER}"; type "${SECRET:PASSWORD}" in Password; click Go',
    },
  ],
])('%s types a secret that it never shows', async (tool, args) => {
  await open();
  const reply = await server.reply(tool, args);
  expect(reply.failure?.toJSON()).toBeUndefined();
  expect(await held()).toBe('true');
  expect(JSON.stringify([reply.text, reply.notes])).not.toMatch(/corr3ct|battery|lovelace/);
  expect(await server.text('read_page', {})).not.toMatch(/corr3ct|battery/);
});

it("are in no file of the home folder but the browser's own", () => {
  const ours = readdirSync(server.home).filter((name) => name !== 'run' && name !== 'profile');
  expect(ours).toContain('journal');
  for (const name of ours)
    expect(everythingIn(join(server.home, name))).not.toMatch(/corr3ct|battery/);
});

it('that do not exist are a bad argument with the names that do', async () => {
  await open();
  const failure = await server.failure('interact', {
    action: 'fill',
    query: 'User',
    value: '${SECRET:NOBODY}',
  });
  expect(failure).toMatchObject({ code: 'invalid_argument', available: ['PASSWORD', 'USER'] });
});

it('include text that was typed into a password field without a secret name', async () => {
  await open();
  await server.text('interact', { action: 'fill', query: 'Password', value: 'typed-by-hand-77' });
  const reply = await server.reply('javascript_tool', {
    code: `document.getElementById('p').value + '!'`,
  });
  expect(reply.text).not.toContain('typed-by-hand-77');
  expect(everythingIn(join(server.home, 'journal'))).not.toContain('typed-by-hand-77');
});
