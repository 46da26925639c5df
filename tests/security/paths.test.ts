// Paths and names in calls: whatever argument carries them, nothing outside of the allowed folders
// is read or written.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import { buildInputSchema } from '../../src/toolkit/tool-description.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { useEngine, useSite } from '../fixtures.ts';

const outside = mkdtempSync(join(tmpdir(), 'openchrome-outside-'));
const VICTIM = 'nobody may read this';
const secretsFile = join(outside, 'secrets.env');
writeFileSync(join(outside, 'victim.json'), VICTIM);
writeFileSync(secretsFile, 'PIN=1234567\n');
afterAll(() => rmSync(outside, { recursive: true, force: true }));

const site = useSite({
  '/': '<title>Paths</title><label>File <input type=file id=f></label><script>f.onchange = async () => { document.title = await f.files[0].text() }</script>',
});
const engine = useEngine(['--allow-root', join(outside, 'given'), '--secrets', secretsFile]);

/** What a call needs besides its path, one for each way in which the argument is used. */
const WITH_PATH: Readonly<Record<string, readonly object[]>> = {
  'page_screenshot.path': [{}],
  'page_pdf.path': [{}],
  'network.har': [{}],
  'storage.path': [{ action: 'save' }, { action: 'load' }],
  'recording.path': [{ duration_ms: 1, exports: ['html'] }],
  'oc_evidence_bundle.path': [{ parts: ['screenshot'] }],
};
const pathArguments = (tool: Tool): string[] =>
  [...(tool.traits.files ?? [])].map((argument) => `${tool.name}.${argument}`);

/** The ends that tools accept, so that no call is refused for the kind of its file. */
const ENDS: Readonly<Record<string, string>> = { page_screenshot: '.png', page_pdf: '.pdf' };
const OTHER_END = '.tar.gz';
const named = (path: string, tool = ''): string => `${path}${ENDS[tool] ?? OTHER_END}`;

beforeAll(async () => {
  mkdirSync(join(outside, 'given'));
  mkdirSync(join(outside, 'folder'));
  symlinkSync(join(outside, 'folder'), join(engine.home, 'link'));
  for (const end of [...Object.values(ENDS), OTHER_END]) {
    symlinkSync(join(outside, 'victim.json'), join(engine.home, `link-to-file${end}`));
    symlinkSync(join(outside, 'not-there-yet'), join(engine.home, `dangling${end}`));
  }
  symlinkSync(join(outside, 'given', '..', 'folder'), join(outside, 'given', 'back-out'));
  await engine.text('navigate', { url: `${site.origin}/` });
});

const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).map(String).sort();

describe('a path', () => {
  it('is declared by every tool that takes one', () => {
    const declared = TOOLS.flatMap(pathArguments);
    expect(Object.keys(WITH_PATH).sort()).toEqual(declared.sort());
    for (const tool of TOOLS) {
      const { properties = {} } = buildInputSchema(tool) as {
        properties?: Record<string, { description?: string }>;
      };
      for (const [name, { description = '' }] of Object.entries(properties)) {
        const means =
          /path|file|folder|dir$|har$/i.test(name) ||
          /\b(?:save|write|saved|written) (?:to|into) (?:the |a )?(?:file|path|folder)/i.test(
            description,
          );
        // A place in a JSON value and the path of a cookie are none.
        const isOther = ['network.path', 'cookies.path'].includes(`${tool.name}.${name}`);
        if (means && !isOther)
          expect(declared, `${tool.name}.${name}`).toContain(`${tool.name}.${name}`);
      }
    }
  });

  const cases = Object.entries(WITH_PATH).flatMap(([argument, uses]) =>
    uses.map((use) => [argument, use] as const),
  );

  it.each(cases)('of %s %j leads nowhere but into the allowed folders', async (argument, use) => {
    const [tool = '', name = ''] = argument.split('.');
    const before = everythingIn(outside);
    const hostile = [
      join(outside, 'new'),
      join(engine.home, '..', 'new'),
      `${engine.home}/x/../../new`,
      relative(process.cwd(), join(outside, 'new')),
      join(engine.home, 'link', 'new'),
      join(engine.home, 'link-to-file'),
      join(engine.home, 'dangling'),
      join(outside, 'given', 'back-out', 'new'),
      `${engine.home}-sibling/new`,
      '/etc/openchrome-new',
      '//etc/openchrome-new',
    ];
    for (const path of hostile) {
      expect(await engine.failure(tool, { ...use, [name]: named(path, tool) }), path).toMatchObject(
        { code: 'file_not_allowed' },
      );
    }
    for (const path of [`${engine.home}/a\0`, `${engine.home}/a\0/../../b`]) {
      expect(await engine.failure(tool, { ...use, [name]: named(path, tool) })).toMatchObject({
        code: expect.stringMatching(/^(?:invalid_argument|file_not_allowed)$/) as string,
      });
    }
    expect(everythingIn(outside)).toEqual(before);
    expect(readFileSync(join(outside, 'victim.json'), 'utf8')).toBe(VICTIM);
  });

  it.each([
    ['interact', (path: string) => ({ action: 'upload', selector: '#f', value: path })],
    ['interact', (path: string) => ({ action: 'fill', selector: '#f', value: path })],
    ['fill_form', (path: string) => ({ fields: [{ selector: '#f', value: [path] }] })],
    ['act', (path: string) => ({ instruction: `upload "${path}" to css=#f` })],
  ] as const)('of a file that %s would upload to a page is checked too', async (tool, args) => {
    const hostile = [
      join(outside, 'victim.json'),
      `${engine.home}/x/../link/../../${relative(tmpdir(), outside)}/victim.json`,
      named(join(engine.home, 'link-to-file')),
      '/etc/passwd',
      secretsFile,
    ];
    for (const path of hostile) {
      const { text, failure } = await engine.reply(tool, args(path));
      expect(JSON.stringify([text, failure]), path).toContain('file_not_allowed');
    }
    expect(await engine.text('javascript_tool', { code: 'document.title' })).toBe('Paths');
  });

  it("of the engine's own files is rejected, for reading and writing", async () => {
    const own = [
      'daemon.json',
      'openchrome.json',
      'profile/Default/Cookies',
      'snapshots/x.json',
      'journal/x.jsonl',
      'tasks/x/meta.json',
      'run/x',
      'output/x.json',
      'cache/browser-network/browser_default.json',
    ];
    for (const name of own.map((file) => join(engine.home, file))) {
      for (const action of ['save', 'load'])
        expect(await engine.failure('storage', { action, path: name }), name).toMatchObject({
          code: 'file_not_allowed',
        });
      expect(
        await engine.failure('interact', { action: 'upload', selector: '#f', value: name }),
        name,
      ).toMatchObject({
        code: 'file_not_allowed',
      });
    }
  });

  it('of an openchrome.json is closed in every folder, because the next server would read it', async () => {
    for (const name of ['openchrome.json', 'OpenChrome.json'])
      expect(
        await engine.failure('storage', { action: 'save', path: join(outside, 'given', name) }),
      ).toMatchObject({
        code: 'file_not_allowed',
      });
    expect(everythingIn(join(outside, 'given'))).not.toContain('openchrome.json');
  });

  it('inside of them works, also if a name only looks like an escape', async () => {
    for (const name of ['..twins.png', 'a..b.png', 'new/deep/x.png']) {
      await engine.text('page_screenshot', { path: join(engine.home, name) });
      await engine.text('page_screenshot', { path: join(outside, 'given', name) });
    }
  });
});

describe('the working folder', () => {
  /** An engine without further roots, so that the working folder alone decides. */
  const strict = useEngine();
  const readInHome = async (folder: string, path: string): Promise<string | undefined> =>
    (await strict.engine.call({ name: 'storage', arguments: { action: 'load', path }, folder }))
      .failure?.code;

  const shoot = async (folder: string, path: string): Promise<string | undefined> =>
    (await engine.engine.call({ name: 'storage', arguments: { action: 'load', path }, folder }))
      .failure?.code;

  it('is not accepted if it contains the homes of users, and hidden files of a home are rejected', async () => {
    expect(await shoot('/', '/etc/passwd')).toBe('file_not_allowed');
    expect(await shoot(dirname(homedir()), join(homedir(), 'x.json'))).toBe('file_not_allowed');
    expect(await shoot(homedir(), '.ssh/id_ed25519')).toBe('file_not_allowed');
    expect(await shoot(homedir(), './.config/x.json')).toBe('file_not_allowed');
    // allowed, but not there
    expect(await shoot(homedir(), 'no-such-file-of-openchrome.json')).toBe('invalid_argument');
    expect(await shoot(outside, 'victim.json')).toBe('invalid_argument'); // read, and no login
  });

  it("keeps the hidden files of the user's home closed if the home folder is reached through a link", async () => {
    const real = join(outside, 'given', 'ada');
    const link = join(outside, 'given', 'link-to-ada');
    mkdirSync(join(real, '.ssh'), { recursive: true });
    writeFileSync(join(real, '.ssh', 'id_ed25519'), VICTIM);
    writeFileSync(join(real, 'notes.json'), VICTIM);
    symlinkSync(real, link);
    const usual = process.env['HOME'];
    try {
      for (const home of [real, link]) {
        process.env['HOME'] = home;
        for (const folder of [real, link]) {
          const [key, notes] = await Promise.all(
            ['.ssh/id_ed25519', 'notes.json'].map((path) => readInHome(folder, path)),
          );
          expect([key, notes], `HOME ${home}, folder ${folder}`).toEqual([
            'file_not_allowed',
            'invalid_argument',
          ]);
        }
      }
    } finally {
      process.env['HOME'] = usual;
    }
  });
});

describe('a saved login', () => {
  const COOKIE = {
    name: 'sid',
    value: 'v-123456',
    domain: 'example.com',
    path: '/',
    httpOnly: true,
  };
  const LOGINS: Readonly<Record<string, string>> = {
    'playwright.json': JSON.stringify({ cookies: [COOKIE], origins: [] }),
    'with-mark.json': `\uFEFF\n${JSON.stringify({ origins: [{ origin: 'https://a.example', localStorage: [] }] })}`,
    'extension-export.json': JSON.stringify([COOKIE]),
    'cookies.txt': '# Netscape HTTP Cookie File\n.example.com\tTRUE\t/\tTRUE\t0\tsid\tv-123456\n',
  };
  const uploads = [
    ['interact', (path: string) => ({ action: 'upload', selector: '#f', value: path })],
    ['fill_form', (path: string) => ({ fields: [{ selector: '#f', value: [path] }] })],
    ['act', (path: string) => ({ instruction: `upload "${path}" to css=#f` })],
  ] as const;

  it.each(uploads)(
    'is recognised by its content and never uploaded to a page by %s, in any folder',
    async (tool, args) => {
      const given = join(outside, 'given');
      await engine.text('storage', { action: 'save', path: join(given, 'holiday.png') });
      for (const [name, text] of Object.entries(LOGINS)) writeFileSync(join(given, name), text);
      for (const name of ['holiday.png', ...Object.keys(LOGINS)]) {
        const { text, failure } = await engine.reply(tool, args(join(given, name)));
        expect(JSON.stringify([text, failure]), name).toContain('contains a saved login');
      }
      expect(await engine.text('javascript_tool', { code: 'document.title' })).toBe('Paths');
    },
  );

  it('is not confused with other JSON and text', async () => {
    const path = join(outside, 'given', 'recipe.json');
    writeFileSync(path, JSON.stringify({ cookies: 12, domain: 'baking' }));
    expect(
      await engine.text('interact', { action: 'upload', selector: '#f', value: path }),
    ).toContain('recipe.json');
    await engine.text('javascript_tool', { code: 'document.title = "Paths"' });
  });
});

describe('a name', () => {
  const HOSTILE = [
    '../../../new',
    '..',
    '.',
    '/etc/passwd',
    'a/b',
    'a\\..\\b',
    'CON',
    'a\0b',
    '%2e%2e%2f',
    'x'.repeat(100),
    '-rf',
    '$(id)',
    '\u202Eexe',
  ];

  it('of a session becomes no path', async () => {
    for (const session of HOSTILE) {
      await engine.reply('navigate', { url: `${site.origin}/`, session });
      await engine.reply('javascript_tool', { code: `fetch('/api').then(() => 1)`, session });
      await engine.reply('network', { session });
      await engine.reply('oc_session_snapshot', { session, name: `${session} ` });
      await engine.reply('tabs', { action: 'close', session });
    }
    for (const name of readdirSync(join(engine.home, 'snapshots')))
      expect(name).toMatch(/^snap_[\da-f]{16}\.json$/);
    for (const name of readdirSync(join(engine.home, 'cache', 'browser-network')))
      expect(name).toMatch(/^browser_[\w-]+(?:\.[\da-f]{12})?\.json$/);
    expect(readdirSync(dirname(engine.home))).not.toContain('new');
  }, 60_000);

  it.each([
    ['oc_output_fetch', 'output_handle'],
    ['oc_task_get', 'task_id'],
    ['oc_task_cancel', 'task_id'],
    ['oc_task_wait', 'task_id'],
    ['oc_session_resume', 'id'],
    ['oc_task_finish', 'task_id'],
    ['oc_task_update', 'task_id'],
  ])('in %s is checked before a path is made of it', async (tool, argument) => {
    writeFileSync(join(engine.home, 'planted.json'), JSON.stringify({ planted: 'by a test' }));
    for (const name of [
      ...HOSTILE,
      '../planted',
      '../../planted.json',
      join(engine.home, 'planted'),
    ]) {
      const { text = '', failure } = await engine.reply(tool, {
        [argument]: name,
        ...(tool === 'oc_task_finish' ? { outcome: 'completed' } : {}),
      });
      expect(text).not.toContain('by a test');
      expect(failure?.code, name).toMatch(
        /^(?:invalid_|output_handle_|task_not_found|snapshot_|not_found|handle_|unknown_|output_|session_)/,
      );
    }
  });

  it('in the address of a resource leads only to stored payloads', async () => {
    const { resources } = engine.engine;
    const { signal } = new AbortController();
    for (const uri of [
      '../../planted.json',
      '..%2f..%2fplanted.json',
      '/etc/passwd',
      'oh_AAAAAAAAAAAA/../../planted',
      '',
    ])
      expect(await resources.read(`openchrome://output/${uri}`, { signal }), uri).toBeUndefined();
    for (const uri of ['file:///etc/passwd', '/etc/passwd', 'openchrome://home/planted.json'])
      expect(await resources.read(uri, { signal })).toBeUndefined();
  });

  it('that a server sends for a download stays inside the downloads folder', async () => {
    const url = site.page(
      '/evil',
      (_, response) =>
        void response
          .writeHead(200, {
            'content-type': 'application/octet-stream',
            'content-disposition': 'attachment; filename="../../../../evil.sh"',
          })
          .end('x'),
    );
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('javascript_tool', {
      code: `const a = document.createElement('a'); a.href = '${url}'; a.download = '../../evil.sh'; document.body.append(a); a.click(); 1`,
    });
    await engine.text('wait_for', { download: '*', timeout_ms: 10_000 });
    const { downloads } = await engine.json<{ downloads: { path: string }[] }>('downloads');
    expect(downloads).toHaveLength(1);
    expect(relative(join(engine.home, 'downloads'), downloads[0]?.path ?? '/')).toMatch(
      /^[^./\\][^/\\]*$/,
    );
  });
});
