// A site with one-time codes: ${TOTP:NAME} logs in, and neither code nor key is in any output or file.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { computeTotpCode, parseTotpKey } from '../../src/core/secret-definition.ts';
import { useEngine, useSite } from '../fixtures.ts';

const KEY = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const LINK = `otpauth://totp/Shop:ada?secret=${KEY}&digits=8`;
const folder = mkdtempSync(join(tmpdir(), 'openchrome-totp-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'secrets.env'), `CODE@127.0.0.1=${LINK}\n`);

const codes: string[] = [];
const site = useSite({
  '/': `<title>Log in</title><form action="/check"><label>Code <input name="code"></label>
    <button>Continue</button></form>`,
  '/check': (request, response) => {
    const code = new URL(request.url ?? '', 'http://x').searchParams.get('code') ?? '';
    codes.push(code);
    const key = parseTotpKey(LINK);
    const isValid = [0, -30_000].some((by) => computeTotpCode(key, Date.now() + by) === code);
    response.writeHead(200, { 'content-type': 'text/html' });
    // A careless page: it repeats the code.
    response.end(`<h1>${isValid ? 'Welcome' : 'Wrong code'}</h1><p>You entered ${code}.</p>`);
  },
});
const engine = useEngine(['--secrets', join(folder, 'secrets.env')]);

const readFiles = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

it('the code logs in, and no reply and no file contains it', async () => {
  const replies: string[] = [];
  const call = async (name: string, args: object): Promise<void> => {
    const { text, failure, notes } = await engine.reply(name, args);
    expect(failure).toBe(undefined);
    replies.push(String(text), notes.join('\n'));
  };
  await call('navigate', { url: `${site.origin}/` });
  await call('fill_form', { fields: [{ label: 'Code', value: '${TOTP:CODE}' }], submit: true });
  await call('wait_for', { text: 'Welcome' });
  await call('read_page', {});
  await call('read_page', { mode: 'markdown', output_mode: 'handle' });
  await call('page_content', {});
  await call('network', { all: true, raw: true });
  await call('tabs_context', {});
  await call('oc_session_snapshot', { name: 'after-login' });
  await call('oc_evidence_bundle', {});
  await call('oc_journal', { count: 50 });
  const [code = ''] = codes;
  expect(code).toMatch(/^\d{8}$/);
  expect(replies.join('\n')).toContain('Welcome');
  const files = readdirSync(engine.home).filter((name) => name !== 'run' && name !== 'profile');
  const written = files.map((name) => readFiles(join(engine.home, name))).join('\n');
  expect(written).toContain('${TOTP:CODE}');
  for (const text of [replies.join('\n'), written]) {
    expect(text).not.toContain(code);
    expect(text).not.toContain(KEY);
  }
});
