// Secrets that a command returns and one-time codes: filled in, cached, and shown nowhere.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { computeTotpCode, parseTotpKey } from '../../src/core/secret-definition.ts';
import { useEngine, useSite } from '../fixtures.ts';

const KEY = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const folder = mkdtempSync(join(tmpdir(), 'openchrome-sources-'));
const runs = join(folder, 'runs');
const program = join(folder, 'vault tool.mjs');
writeFileSync(
  program,
  `import { appendFileSync } from 'node:fs';
  const [name] = process.argv.slice(2);
  appendFileSync(${JSON.stringify(runs)}, name + ' ');
  if (name === 'broken') { console.error('vault: wrong master key mk-1'); process.exit(3); }
  if (name !== 'empty') console.log('vault-$(id)-' + name);`,
);
const vault = (name: string): string => `cmd:"${process.execPath}" "${program}" ${name}`;
const file = join(folder, 'secrets.env');
writeFileSync(
  file,
  [
    `VAULT@127.0.0.1=${vault('first')}`,
    `BROKEN@127.0.0.1=${vault('broken')}`,
    `EMPTY@127.0.0.1=${vault('empty')}`,
    `MISSING@127.0.0.1=cmd:/no/such/program --token t-1`,
    `CODE@127.0.0.1=totp:${KEY}`,
    `LINK@127.0.0.1=otpauth://totp/Shop:ada?secret=${KEY}&digits=8`,
    `FAR@far.test=totp:${KEY}`,
  ].join('\n'),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const site = useSite({ '/': '<form><label>Code <input name=code></label></form>' });
const engine = useEngine(['--secrets', file]);

const fill = (value: string): object => ({ action: 'fill', query: 'Code', value });
const readField = (): Promise<string> =>
  engine.text('javascript_tool', {
    code: `[...document.querySelector('input').value].join(' ')`,
  });
const spaced = (text: string): string => [...text].join(' ');

it('a command returns the secret when it is used, without a shell, once per session', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const before = () => readFileSync(runs, { encoding: 'utf8', flag: 'a+' });
  expect(before()).toBe('');
  const reply = await engine.reply('interact', fill('${SECRET:VAULT}'));
  expect(reply.failure).toBeUndefined();
  expect(JSON.stringify(reply)).not.toContain('vault-');
  expect(await readField()).toBe(spaced('vault-$(id)-first'));
  await engine.text('interact', fill('x ${SECRET:VAULT}'));
  expect(before()).toBe('first ');
  expect(
    await engine.text('javascript_tool', { code: `document.querySelector('input').value` }),
  ).not.toContain('vault-');
  await engine.text('navigate', { url: `${site.origin}/`, session: 'other' });
  await engine.text('interact', { ...fill('${SECRET:VAULT}'), session: 'other' });
  expect(before()).toBe('first first ');
});

it.each([
  ['BROKEN', 'the program ended with status 3'],
  ['EMPTY', 'the program printed nothing'],
  ['MISSING', 'the program was not found'],
])('a command that fails names only the secret: %s', async (name, why) => {
  const failure = await engine.failure('interact', fill(`\${SECRET:${name}}`));
  expect(failure).toMatchObject({
    code: 'secret_command_failed',
    message: `The secret "${name}" is not available: ${why}.`,
  });
  expect(JSON.stringify(failure)).not.toMatch(/vault|mk-1|t-1|no\/such/);
});

it('the current one-time code is filled in, and the key is not', async () => {
  const expected = (digits: number): string[] =>
    [0, 30_000].map((later) =>
      spaced(computeTotpCode({ ...parseTotpKey(KEY), digits }, Date.now() - 30_000 + later)),
    );
  await engine.text('interact', fill('${TOTP:CODE}'));
  expect(expected(6)).toContain(await readField());
  await engine.text('interact', fill('${TOTP:LINK}'));
  expect(expected(8)).toContain(await readField());
});

it('no reading tool shows a one-time code that is in a field', async () => {
  await engine.text('interact', fill('${TOTP:CODE}'));
  const code = (await readField()).replaceAll(' ', '');
  expect(code).toMatch(/^\d{6}$/);
  const show = `document.body.append('Your code is ' + document.querySelector('input').value)`;
  await engine.text('javascript_tool', { code: show });
  for (const [tool, args] of [
    ['read_page', {}],
    ['read_page', { mode: 'markdown' }],
    ['inspect', { query: 'Code' }],
    ['inspect', { fact: 'value', selector: 'input' }],
    ['find', { query: 'Code' }],
  ] as const)
    expect(await engine.text(tool, args), tool).not.toContain(code);
});

it('a key of one-time codes is not filled in as a secret, nor a secret as a code', async () => {
  expect(await engine.failure('interact', fill('${SECRET:CODE}'))).toMatchObject({
    code: 'invalid_argument',
    hint: 'Use ${TOTP:CODE}.',
  });
  expect(await engine.failure('interact', fill('${TOTP:VAULT}'))).toMatchObject({
    code: 'invalid_argument',
    hint: 'Use ${SECRET:VAULT}.',
  });
});

it('a one-time code is filled only into pages of its hosts, and into no other argument', async () => {
  expect(await engine.failure('interact', fill('${TOTP:FAR}'))).toMatchObject({
    code: 'secret_not_allowed_here',
  });
  for (const [tool, args] of [
    ['javascript_tool', { code: "'${TOTP:CODE}'" }],
    ['navigate', { url: `${site.origin}/?c=\${TOTP:CODE}` }],
  ] as const)
    expect(await engine.failure(tool, args)).toMatchObject({ code: 'secret_not_allowed_here' });
});
