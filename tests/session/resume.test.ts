// Saving and resuming a session: what is refused, what is left out, and what hostile files and
// pages cannot do.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Resumed } from '../../src/features/session/resume.ts';
import type { SnapshotReport } from '../../src/features/session/session-snapshot.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { FILL, FILLED, LOOK, serveShop } from './session-site.ts';

const site = useSite();
const browser = useEngine();
const guarded = useEngine(['--block-domains', '127.0.0.1']);

let sessions = 0;
/** Every case has a session of its own; what it saves is found by its id. */
const newSession = (): {
  json: <T>(name: string, args?: object) => Promise<T>;
  failure: (name: string, args?: object) => ReturnType<typeof browser.failure>;
  script: (code: string, tabId?: string) => Promise<unknown>;
} => {
  const session = `case-${++sessions}`;
  const json = <T>(name: string, args: object = {}): Promise<T> =>
    browser.json<T>(name, { session, ...args });
  return {
    json,
    failure: (name, args = {}) => browser.failure(name, { session, ...args }),
    script: (code, tabId) =>
      json('javascript_tool', { code, ...(tabId === undefined ? {} : { tabId }) }),
  };
};

const fileOf = (id: string): string => join(browser.home, 'snapshots', `${id}.json`);
type Raw = Record<string, unknown> & {
  id: string;
  tabs: { url: string; frames: { url: string; fields: Record<string, unknown>[] }[] }[];
};
const change = (id: string, edit: (raw: Raw) => void): void => {
  const raw = JSON.parse(readFileSync(fileOf(id), 'utf8')) as Raw;
  edit(raw);
  writeFileSync(fileOf(id), JSON.stringify(raw));
};

describe('a session', () => {
  test('is restored in addition to the open tabs', async () => {
    const { login, shop } = serveShop(site);
    const one = newSession();
    await one.json('navigate', { url: login });
    await one.script(FILL);
    const { id, fields } = await one.json<SnapshotReport>('oc_session_snapshot');
    const other = newSession();
    await other.json('navigate', { url: site.page('/other', '<title>other</title>') });
    const { tabs } = await other.json<Resumed>('oc_session_resume', { id });
    expect(tabs).toMatchObject([{ url: shop, active: true, fields }]);
    expect(await other.script(LOOK)).toMatchObject(FILLED);
    expect(JSON.stringify(await other.json('tabs_context'))).toContain('/other');
    // The page heard of every change as of a person's.
    expect(await other.script('window.inputs')).toBeGreaterThan(5);
  });

  test('has its storage restored before any tab of the site runs a script', async () => {
    const url = site.page(
      '/basket',
      `<title>basket</title><script>document.title = localStorage.getItem('basket') ?? 'empty'</script>`,
    );
    const { json, script } = newSession();
    await json('navigate', { url });
    await script(`localStorage.setItem('basket', 'two chairs'); 1`);
    for (let more = 0; more < 3; more++) await json('tabs', { action: 'new', url });
    const { id } = await json<SnapshotReport>('oc_session_snapshot');
    await script(`localStorage.clear(); 1`);
    const { tabs } = await newSession().json<Resumed>('oc_session_resume', { id });
    expect(tabs.map(({ title }) => title)).toEqual(Array.from({ length: 4 }, () => 'two chairs'));
  });

  test('is known by its name, and listed', async () => {
    const { json, failure } = newSession();
    await json('navigate', { url: site.page('/named', '<title>named</title>') });
    const { id } = await json<SnapshotReport>('oc_session_snapshot', {
      name: 'my work',
      objective: 'remember me',
    });
    const { snapshots } = await json<{ snapshots: Record<string, unknown>[] }>(
      'oc_session_resume',
      { list: true },
    );
    expect(snapshots[0]).toMatchObject({
      id,
      name: 'my work',
      objective: 'remember me',
      tabs: [`${site.origin}/named`],
    });
    expect(await json('oc_session_resume', { id: 'my work' })).toMatchObject({
      id,
      memo: { objective: 'remember me' },
    });
    expect(await failure('oc_session_resume', { id: 'no such' })).toMatchObject({
      code: 'snapshot_not_found',
      available: expect.arrayContaining([expect.objectContaining({ id })]) as object[],
    });
    expect(await failure('oc_session_resume', { id: '../../etc/passwd' })).toMatchObject({
      code: 'snapshot_not_found',
    });
  });

  test('without tabs keeps the memo', async () => {
    const { json } = newSession();
    const { id, tabs } = await json<SnapshotReport>('oc_session_snapshot', {
      nextActions: ['begin'],
    });
    expect(tabs).toBe(0);
    expect(await json('oc_session_resume', { id })).toMatchObject({
      memo: { nextActions: ['begin'] },
      tabs: [],
    });
  });

  test('can be saved in the background', async () => {
    const { json } = newSession();
    await json('navigate', { url: site.page('/background', '<title>background</title>') });
    const { task_id } = await json<{ task_id: string }>('oc_task_start', {
      kind: 'oc_session_snapshot',
      args: { name: 'later' },
    });
    expect(await json('oc_task_wait', { task_id })).toMatchObject({ status: 'COMPLETED' });
    expect(await json('oc_session_resume', { id: 'later' })).toMatchObject({
      name: 'later',
      tabs: [{ url: `${site.origin}/background` }],
    });
  });
});

describe('forms', () => {
  test('in frames and shadow roots are restored, and those that scripts create late', async () => {
    site.page('/frame', '<input name=inner>');
    const url = site.page(
      '/deep',
      `<title>deep</title><div id=host></div><iframe src="/frame"></iframe><script>
       document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<p><input name=shadowed></p>';
       setTimeout(() => { const late = document.createElement('input'); late.name = 'late'; document.body.append(late); }, 300);</script>`,
    );
    const { json, script } = newSession();
    await json('navigate', { url });
    await expect.poll(() => script(`document.querySelectorAll('[name=late]').length`)).toBe(1);
    await script(`document.querySelector('#host').shadowRoot.querySelector('input').value = 'in the shadow';
      document.querySelector('iframe').contentDocument.querySelector('input').value = 'in the frame';
      document.querySelector('[name=late]').value = 'late but here'; 1`);
    const { id, fields } = await json<SnapshotReport>('oc_session_snapshot');
    expect(fields).toBe(3);
    expect(await json<Resumed>('oc_session_resume', { id })).toMatchObject({
      tabs: [{ fields: 3 }],
    });
    expect(
      await script(`[document.querySelector('#host').shadowRoot.querySelector('input').value,
      document.querySelector('iframe').contentDocument.querySelector('input').value, document.querySelector('[name=late]').value]`),
    ).toEqual(['in the shadow', 'in the frame', 'late but here']);
  });

  test('of a page that cannot use storage are restored nevertheless', async () => {
    const url = site.page('/sandbox', (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'content-security-policy': 'sandbox allow-scripts allow-forms',
        })
        .end('<input name=a>'),
    );
    const { json, script } = newSession();
    await json('navigate', { url });
    await script(`document.querySelector('input').value = 'kept'; 1`);
    const { id, fields, not_saved } = await json<SnapshotReport>('oc_session_snapshot');
    expect({ fields, not_saved }).toEqual({
      fields: 1,
      not_saved: [{ tab: url, what: [expect.stringMatching(/^storage: /) as string] }],
    });
    expect(await json<Resumed>('oc_session_resume', { id })).toMatchObject({
      tabs: [{ fields: 1 }],
    });
    expect(await script(`[document.querySelector('input').value]`)).toEqual(['kept']);
  });

  test('a password is neither saved nor filled, for any content of the file', async () => {
    const url = site.page(
      '/secrets',
      '<input name=user><input type=password name=pw><input name=otp autocomplete=one-time-code><input name=api_key><input name=plain>',
    );
    const { json, script } = newSession();
    await json('navigate', { url });
    await script(
      `for (const field of document.querySelectorAll('input')) field.value = 'value-of-' + field.name + '-99'; 1`,
    );
    const { id, fields, not_saved } = await json<SnapshotReport>('oc_session_snapshot');
    expect(fields).toBe(2);
    expect(not_saved).toEqual([{ tab: url, what: ['3 passwords'] }]);
    expect(readFileSync(fileOf(id), 'utf8')).not.toMatch(/value-of-(?:pw|otp|api_key)/);
    change(id, ({ tabs }) => {
      const frame = tabs[0]?.frames[0];
      frame?.fields.push({
        at: ['[name=pw]'],
        kind: 'input password',
        name: 'pw',
        label: 'pw',
        value: 'planted',
      });
    });
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs[0]?.not_restored).toContain('field "pw" is a password field');
    expect(
      await script(`[...document.querySelectorAll('input')].map((field) => field.value)`),
    ).toEqual(['value-of-user-99', '', '', '', 'value-of-plain-99']);
  });

  test('a file is named, and must be chosen again', async () => {
    const { json } = newSession();
    await json('navigate', {
      url: site.page('/upload', '<label>CV <input type=file name=cv></label>'),
    });
    writeFileSync(join(browser.home, 'cv.txt'), 'my life');
    await json('fill_form', {
      fields: [{ label: 'CV', value: join(browser.home, 'cv.txt') }],
    }).catch(() => undefined);
    const { id, not_saved } = await json<SnapshotReport>('oc_session_snapshot');
    expect(not_saved?.[0]?.what).toEqual(['the file in "CV" (cv.txt)']);
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs[0]?.not_restored).toContain('field "CV" is a file field: choose the file again');
  });

  test('of a page that leads elsewhere now are kept from the other page', async () => {
    const url = site.page('/private', '<input name=diary>');
    const { json, script } = newSession();
    await json('navigate', { url });
    await script(`document.querySelector('input').value = 'dear diary'; 1`);
    const { id } = await json<SnapshotReport>('oc_session_snapshot');
    site.page('/elsewhere', '<title>login</title><input name=diary>');
    site.page('/private', (_, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs[0]?.not_restored).toEqual([
      `form and scroll: ${url} redirected to ${site.origin}/elsewhere`,
    ]);
    expect(await script(`[document.querySelector('input').value]`)).toEqual(['']);
  });
});

describe('unresponsive pages and servers', () => {
  test('a tab that hangs is saved as an address, the others whole', async () => {
    const { json, script } = newSession();
    await json('navigate', { url: site.page('/well', '<input name=a>') });
    await script(`document.querySelector('input').value = 'kept'; 1`);
    const { tabId } = await json<{ tabId: string }>('tabs', {
      action: 'new',
      url: site.page('/stuck', '<title>stuck</title>'),
    });
    await script('setTimeout(() => { for (;;); }); 1', tabId);
    const { tabs, fields, not_saved } = await json<SnapshotReport>('oc_session_snapshot');
    expect({ tabs, fields }).toEqual({ tabs: 2, fields: 1 });
    expect(not_saved).toEqual([
      {
        tab: `${site.origin}/stuck`,
        what: [expect.stringMatching(/^scroll, form and storage: page_unresponsive/) as string],
      },
    ]);
    await json('tabs', { action: 'close', tabId });
  });

  test('a server that is down is reported, and the other tabs are restored', async () => {
    const { json } = newSession();
    await json('navigate', { url: site.page('/fine', '<title>fine</title>') });
    await json('tabs', { action: 'new', url: site.page('/gone', '<title>gone</title>') });
    const { id } = await json<SnapshotReport>('oc_session_snapshot');
    change(id, ({ tabs }) => Object.assign(tabs[1] ?? {}, { url: 'http://127.0.0.1:9/gone' }));
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs[0]).toMatchObject({ status: 200, title: 'fine' });
    expect(tabs[1]?.not_restored).toEqual([
      expect.stringMatching(/^page: navigation_failed: /) as string,
    ]);
  });
});

describe('a file', () => {
  const save = async (): Promise<{ id: string } & ReturnType<typeof newSession>> => {
    const session = newSession();
    await session.json('navigate', { url: site.page('/file', '<input name=a value=b>') });
    return { ...session, ...(await session.json<SnapshotReport>('oc_session_snapshot')) };
  };

  test.each([
    [
      'is torn',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 200)),
      'it is not JSON',
    ],
    ['is empty', (path: string) => writeFileSync(path, ''), 'it is not JSON'],
    [
      'is of an old version',
      (path: string) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('"version":1', '"version":0')),
      'old version',
    ],
    [
      'is of a newer version',
      (path: string) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('"version":1', '"version":9')),
      'newer version',
    ],
    [
      'has another shape',
      (path: string) => writeFileSync(path, '{"version":1,"tabs":"all"}'),
      'cannot be used',
    ],
    [
      'is another one',
      (path: string) =>
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(/snap_[0-9a-f]{16}/, 'snap_0000000000000000'),
        ),
      'another snapshot',
    ],
  ])('that %s is rejected with the reason', async (_, spoil, why) => {
    const { id, failure } = await save();
    spoil(fileOf(id));
    const { code, message } = await failure('oc_session_resume', { id });
    expect(code).toBe('snapshot_unreadable');
    expect(message).toContain(why);
    expect(await browser.json('oc_session_resume', { list: true })).toMatchObject({
      snapshots: expect.any(Array) as object[],
    });
  });

  test('that names addresses which may not be opened opens none of them', async () => {
    const { id, json } = await save();
    change(id, (raw) => {
      const [tab] = raw.tabs;
      raw['tabs'] = [
        'file:///etc/passwd',
        'javascript:alert(1)',
        'chrome://settings',
        'data:text/html,x',
        'not an address at all ',
        'about:blank',
      ].map((url) => ({ ...tab, url, frames: [], active: false }));
    });
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs.map(({ tabId }) => tabId !== undefined)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    for (const { not_restored } of tabs.slice(0, 4))
      expect(not_restored?.[0]).toMatch(/^everything: url_not_allowed/);
  });

  test('is restricted to the domains of its server', async () => {
    const { id } = await save();
    mkdirSync(join(guarded.home, 'snapshots'), { recursive: true });
    writeFileSync(join(guarded.home, 'snapshots', `${id}.json`), readFileSync(fileOf(id)));
    const { tabs } = await guarded.json<Resumed>('oc_session_resume', { id });
    expect(tabs).toEqual([
      {
        url: `${site.origin}/file`,
        not_restored: [expect.stringMatching(/^everything: /) as string],
      },
    ]);
  });

  test('with selectors and values that are none does no harm', async () => {
    const { id, json, script } = await save();
    change(id, ({ tabs }) => {
      const [frame] = tabs[0]?.frames ?? [];
      if (!frame) throw new Error('no frame');
      frame.fields = [
        { at: ['((('], kind: 'input text', name: 'zzz', label: 'broken', value: 'x' },
        {
          at: ['body'],
          kind: 'editor',
          name: '',
          label: 'body',
          value: '<img src=x onerror=alert(1)>',
        },
        {
          at: ['[name=a]'],
          kind: 'input text',
          name: 'a',
          label: 'a',
          value: '"><script>alert(1)</script>',
        },
      ];
    });
    const { tabs } = await json<Resumed>('oc_session_resume', { id });
    expect(tabs[0]).toMatchObject({
      fields: 1,
      not_restored: ['field "broken" is not in the page', 'field "body" is not in the page'],
    });
    expect(
      await script(`[document.querySelector('[name=a]').value, document.images.length]`),
    ).toEqual(['"><script>alert(1)</script>', 0]);
  });

  test('that cannot be read is a clear failure', async () => {
    const { id, failure } = await save();
    if (process.getuid?.() === 0) {
      // Root reads everything: a folder in its place is what cannot be read then.
      rmSync(fileOf(id));
      mkdirSync(fileOf(id));
    } else chmodSync(fileOf(id), 0);
    expect(await failure('oc_session_resume', { id })).toMatchObject({
      code: 'snapshot_unreadable',
    });
  });
});

describe('replies', () => {
  test('contain no value of a cookie or of storage', async () => {
    const { login, token } = serveShop(site);
    const { json, script } = newSession();
    await json('navigate', { url: login });
    await script(`localStorage.setItem('note', 'stored-value-1'); 1`);
    const saved = await json<SnapshotReport>('oc_session_snapshot', { objective: 'x' });
    const resumed = await json<Resumed>('oc_session_resume', { id: saved.id });
    const listed = await json('oc_session_resume', { list: true });
    for (const reply of [saved, resumed, listed])
      expect(JSON.stringify(reply)).not.toMatch(new RegExp(`${token}|stored-value-1`));
  });
});
