// ${SECRET:NAME} in a call: only a field of a page that the secret is for gets it, and no reply or
// file shows it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { resolveHome } from '../../src/core/home.ts';
import { SecretHosts } from '../../src/store/config/secrets-file.ts';
import { useEngine, useSite } from '../fixtures.ts';

const TOKEN = "q7/Zx?9&=kLm#42!'()~";
const PASSWORD = 'correct-horse-7';
const UNBOUND = 'battery-staple-9';
const folder = mkdtempSync(join(tmpdir(), 'openchrome-secrets-'));
const file = join(folder, 'secrets.env');
writeFileSync(
  file,
  `TOKEN@127.0.0.1="${TOKEN}"\nPASSWORD@127.0.0.1,login.test=${PASSWORD}\nPASSWORD@other.test=other-${PASSWORD}\nUNBOUND=${UNBOUND}\nELSEWHERE@elsewhere.test=${PASSWORD}-2\n`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const browser = useEngine(['--secrets', file]);
const FORM = `<!doctype html><title>t</title><form action="/done"><label>User <input name=user></label><label>Password <input name=password type=password></label>
<label>File <input type=file name=file></label><button>Go</button></form>`;
const site = useSite({
  '/': FORM,
  '/done': '<h1>Done</h1>',
  '/letters': `<!doctype html><p>${'A'.repeat(4096)} ${TOKEN} a\u200Bb</p>`,
  '/inner': (request, response) => {
    const known =
      request.headers.authorization ===
      `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
    response
      .writeHead(known ? 200 : 401, {
        'content-type': 'text/html',
        'www-authenticate': 'Basic realm="x"',
      })
      .end('<h1>Inside</h1>');
  },
});
const localhost = (): string => `http://localhost:${site.port}`;

/** Every reply of this file. */
const replies: string[] = [];
const call = async (name: string, args: object): Promise<string> => {
  const reply = await browser.reply(name, args);
  replies.push(JSON.stringify([reply.text, reply.notes, reply.failure?.toJSON()]));
  if (reply.failure) throw reply.failure;
  return reply.text ?? '';
};
const held = (name = 'user'): Promise<string> =>
  call('javascript_tool', {
    code: `[...document.querySelector('[name=${name}]').value].join(' ')`,
  });
const spaced = (text: string): string => [...text].join(' ');
const fillUser = (value: string): object => ({ action: 'fill', query: 'User', value });

/** All that lies under a folder, as text. */
const everythingIn = (path: string): string =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .map((name) => everythingIn(join(path, name)))
        .join('\n')
    : readFileSync(path, 'latin1');

describe('a secret', () => {
  beforeEach(() => call('navigate', { url: `${site.origin}/` }));

  test.each([
    ['interact', fillUser('${SECRET:PASSWORD}')],
    ['interact', { action: 'type', query: 'User', value: '${SECRET:PASSWORD}' }],
    ['fill_form', { fields: [{ label: 'User', value: '${SECRET:PASSWORD}' }] }],
    ['act', { instruction: 'fill User with "${SECRET:PASSWORD}"' }],
  ])('is filled by %s into a field of a page that it is for', async (tool, args) => {
    await call(tool, args);
    expect(await held()).toBe(spaced(PASSWORD));
  });

  test('with hosts is filled only into pages of those hosts', async () => {
    const failure = await browser.failure('interact', fillUser('${SECRET:ELSEWHERE}'));
    expect(failure).toMatchObject({
      code: 'secret_not_allowed_here',
      hint: 'It can only be filled into pages of elsewhere.test.',
    });
    await call('navigate', { url: `${localhost()}/` });
    for (const [tool, args] of [
      ['interact', fillUser('${SECRET:PASSWORD}')],
      ['fill_form', { fields: [{ label: 'User', value: '${SECRET:PASSWORD}' }], submit: true }],
      ['act', { instruction: 'fill User with "${SECRET:PASSWORD}"; click Go' }],
      ['interact', { action: 'type', query: 'User', value: 'x${SECRET:PASSWORD}' }],
    ] as const)
      expect(await browser.failure(tool, args)).toMatchObject({ code: 'secret_not_allowed_here' });
    expect(await held()).toBe('""');
  });

  test('is not filled into a frame of another host, or into a page of another host around its own', async () => {
    for (const [outer, inner] of [
      [site.origin, localhost()],
      [localhost(), site.origin],
    ] as const) {
      site.page('/outer', `<!doctype html><iframe src="${inner}/"></iframe>`);
      await call('navigate', { url: `${outer}/outer` });
      await call('wait_for', { text: 'Password' });
      expect(await browser.failure('interact', fillUser('${SECRET:PASSWORD}'))).toMatchObject({
        code: 'secret_not_allowed_here',
      });
      expect(
        await browser.failure('fill_form', {
          fields: [{ label: 'User', value: '${SECRET:PASSWORD}' }],
        }),
      ).toMatchObject({
        code: 'secret_not_allowed_here',
      });
    }
  });

  test('is filled into a frame of its own host, also one without a URL', async () => {
    site.page('/outer', `<!doctype html><iframe src="/"></iframe>`);
    await call('navigate', { url: `${site.origin}/outer` });
    await call('interact', fillUser('${SECRET:PASSWORD}'));
    site.page('/outer', `<!doctype html><iframe srcdoc="<label>User <input></label>"></iframe>`);
    await call('navigate', { url: `${site.origin}/outer` });
    await call('interact', fillUser('${SECRET:PASSWORD}'));
  });

  test('without hosts is filled once the user has confirmed the host', async () => {
    const failure = await browser.failure('interact', fillUser('${SECRET:UNBOUND}'));
    expect(failure).toMatchObject({
      code: 'secret_not_allowed_here',
      hint:
        `The user must confirm this once: openchrome secrets allow UNBOUND ` +
        `127.0.0.1:${site.port}`,
    });
    const hosts = new SecretHosts(resolveHome({ OPENCHROME_HOME: browser.home }));
    await hosts.allow('UNBOUND', `127.0.0.1:${site.port}`);
    await call('interact', fillUser('${SECRET:UNBOUND}'));
    expect(await held()).toBe(spaced(UNBOUND));
    await hosts.remove('UNBOUND', `127.0.0.1:${site.port}`);
    expect(await browser.failure('interact', fillUser('${SECRET:UNBOUND}'))).toMatchObject({
      code: 'secret_not_allowed_here',
    });
  });

  test('is not filled by a file of confirmed hosts that cannot be read', async () => {
    writeFileSync(
      join(browser.home, 'secret-hosts.json'),
      '{"confirmed": {"UNBOUND": "127.0.0.1"}}',
    );
    expect(await browser.failure('interact', fillUser('${SECRET:UNBOUND}'))).toMatchObject({
      code: 'secret_not_allowed_here',
    });
  });

  test.each([
    ['javascript_tool', { code: '[..."${SECRET:PASSWORD}"].join(" ")' }],
    ['navigate', { url: 'http://127.0.0.1/?k=${SECRET:PASSWORD}' }],
    ['navigate', { url: 'http://127.0.0.1/${SECRET:PASSWORD}' }],
    [
      'request_intercept',
      { action: 'headers', url: '*', headers: { 'x-key': '${SECRET:PASSWORD}' } },
    ],
    ['cookies', { action: 'set', name: 'a', value: '${SECRET:PASSWORD}' }],
    ['storage', { action: 'set', key: 'a', value: '${SECRET:PASSWORD}' }],
    ['page_pdf', { path: '${SECRET:PASSWORD}.pdf' }],
    ['crawl', { url: 'http://127.0.0.1/?k=${SECRET:PASSWORD}' }],
    ['find', { query: '${SECRET:PASSWORD}' }],
    ['wait_for', { text: '${SECRET:PASSWORD}' }],
    ['computer', { action: 'type', text: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'type', value: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'press', value: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'paste', query: 'User', value: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'upload', query: 'File', value: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'fill', query: 'File', value: '${SECRET:PASSWORD}' }],
    ['interact', { action: 'scroll', value: 'until ${SECRET:PASSWORD}' }],
    ['fill_form', { fields: [{ label: 'File', value: '${SECRET:PASSWORD}' }] }],
    ['act', { instruction: 'wait for "${SECRET:PASSWORD}"' }],
  ])('is filled into nothing else: %s %j', async (tool, args) => {
    const failure = await browser.failure(tool, args);
    expect(failure).toMatchObject({ code: 'secret_not_allowed_here' });
  });

  test('opens a page of its host that requires HTTP authentication', async () => {
    const password = { username: 'ada', password: '${SECRET:PASSWORD}' };
    expect(await browser.failure('http_auth', { ...password, origin: localhost() })).toMatchObject({
      code: 'secret_not_allowed_here',
    });
    await call('http_auth', { ...password, origin: site.origin });
    await call('navigate', { url: `${site.origin}/inner` });
    expect(
      await call('javascript_tool', { code: 'document.querySelector("h1").textContent' }),
    ).toBe('Inside');
  });

  test('is not handed to a task', async () => {
    const args = { url: `${site.origin}/?key=\${SECRET:TOKEN}`, max_pages: 1 };
    const { task_id } = JSON.parse(await call('oc_task_start', { kind: 'crawl', args })) as {
      task_id: string;
    };
    expect(await call('oc_task_wait', { task_id, timeout_ms: 20_000 })).toContain(
      'secret_not_allowed_here',
    );
    expect(await call('oc_journal', { action: 'recent' })).toContain('${SECRET:TOKEN}');
  });

  test('that does not exist is refused, with the names that do', async () => {
    const failure = await browser.failure('interact', fillUser('${SECRET:NONE}'));
    expect(failure).toMatchObject({
      code: 'invalid_argument',
      available: ['TOKEN', 'PASSWORD', 'UNBOUND', 'ELSEWHERE'],
    });
  });

  test('in a form that was sent is hidden as the form spells it, in the address, the network and the journal', async () => {
    await call('fill_form', {
      fields: [{ label: 'User', value: '${SECRET:TOKEN}' }],
      submit: true,
    });
    for (const tool of ['tabs_context', 'network', 'read_page', 'oc_journal'])
      replies.push(await call(tool, {}));
    replies.push(await call('javascript_tool', { code: 'location.href' }));
    expect(replies.at(-1)).toContain('[redacted]');
    const form = new URLSearchParams({ k: TOKEN }).toString().slice(2);
    expect(replies.join('\n')).not.toContain(form);
  });

  test('is hidden in a page that begins with thousands of letters', async () => {
    await call('navigate', { url: `${site.origin}/letters` });
    for (const tool of ['page_content', 'read_page']) {
      const text = await call(tool, {});
      expect(text).not.toContain('Zx?9');
      expect(text).not.toContain('\u200B');
    }
  });

  test('is in no reply, and in no file of ours', () => {
    const files = readdirSync(browser.home).filter((name) => name !== 'run' && name !== 'profile');
    expect(files).toContain('journal');
    const said = [...replies, ...files.map((name) => everythingIn(join(browser.home, name)))].join(
      '\n',
    );
    expect(said).toContain('${SECRET:PASSWORD}');
    for (const secret of [
      TOKEN,
      encodeURIComponent(TOKEN),
      PASSWORD,
      UNBOUND,
      Buffer.from(`ada:${PASSWORD}`).toString('base64'),
    ]) {
      expect(said).not.toContain(secret);
    }
  });
});

describe('a reference to a secret in the data of a program', () => {
  const recipe = (value: string): object => ({
    source: `name: note\nsite: 127.0.0.1\nparams: { note: { default: "\${SECRET:PASSWORD}" }, more: { default: "" } }
steps:
  - open: ${site.origin}/
  - action: fill
    target: { role: textbox, name: User }
    value: "${value}"`,
  });

  test('is resolved in a recipe only if the recipe contains it', async () => {
    await call('oc_recipe', recipe('{{note}}'));
    await call('oc_recipe', { run: 'note' });
    expect(await held()).toBe(spaced(PASSWORD));
    const rejected = { code: 'secret_not_allowed_here', details: { argument: 'params' } };
    await expect(
      call('oc_recipe', { run: 'note', params: { note: '${SECRET:TOKEN}' } }),
    ).rejects.toMatchObject(rejected);
    await call('oc_recipe', recipe('${SECRET:PASSWORD}{{note}}{{more}}'));
    for (const params of [
      { note: '${SECRET:PASSWORD}', more: '${SECRET:PASSWORD}' },
      { note: '${SEC', more: 'RET:TOKEN}' },
    ])
      await expect(call('oc_recipe', { run: 'note', params })).rejects.toMatchObject(rejected);
  });

  test('is resolved in a script only if the code contains it', async () => {
    const fill = 'await interact({ action: "fill", query: "User", value: ';
    await call('script', { code: `${fill}"\${SECRET:PASSWORD}" })` });
    expect(await held()).toBe(spaced(PASSWORD));
    await expect(
      call('script', { code: `${fill}args.note })`, args: { note: '${SECRET:TOKEN}' } }),
    ).rejects.toMatchObject({ code: 'secret_not_allowed_here', details: { tool: 'interact' } });
  });
});
