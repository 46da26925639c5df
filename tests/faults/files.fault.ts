// Torn and hostile files in every store: the server starts, reports and deletes none of them.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useSite } from '../fixtures.ts';
import { isStructured, useServers } from './servers.ts';

const servers = useServers();
const site = useSite({ '/': '<title>Home</title><p>A paragraph.</p>' });

const TODAY = new Date().toISOString().slice(0, 10);
const TASK = '019a8c1f2b3d4e5f';

/** One file of each kind that the home folder has. */
const FILES = {
  'the journal': `journal/journal-${TODAY}.jsonl`,
  'what a handle is': `output/${TODAY}/oh_AAAAAAAAAAAA.meta.json`,
  'a payload': `output/${TODAY}/oh_AAAAAAAAAAAA.json`,
  'a task': `tasks/${TASK}/meta.json`,
  "a task's events": `tasks/${TASK}/events.jsonl`,
  "a task's result": `tasks/${TASK}/result.json`,
  "a task's lock": `tasks/${TASK}/lock`,
  'the network capture': 'cache/browser-network/browser:default.json',
  'a snapshot': 'snapshots/snap.json',
  "the daemon's file": 'daemon.json',
} as const;

const CONTENTS: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  'a torn line': (file) => writeFile(file, '{"ts": 17, "tool": "nav'),
  'no bytes': (file) => writeFile(file, ''),
  'bytes that are no text': (file) =>
    writeFile(file, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) % 256))),
  'JSON of another kind': (file) =>
    writeFile(file, '[null, {"__proto__": {"polluted": true}}, 1e999, "\\ud800"]\n'),
  'a very deep value': (file) => writeFile(file, `${'['.repeat(200_000)}${']'.repeat(200_000)}\n`),
  'eight megabytes in one line': (file) =>
    writeFile(file, `{"a":"${'x'.repeat(8 * 1024 * 1024)}"}`),
  'a folder': (file) => mkdir(file),
  'a link to another place': (file) => symlink('/etc/passwd', file),
  'a pipe that nobody writes': async (file) => execFileSync('mkfifo', [file]),
};

describe.each(Object.entries(CONTENTS))('in place of a file: %s', (_, make) => {
  test('the server starts and works', { timeout: 120_000 }, async () => {
    const home = await servers.home();
    for (const file of Object.values(FILES)) {
      await mkdir(dirname(join(home, file)), { recursive: true });
      await make(join(home, file));
    }
    const server = await servers.start(home);
    const looks = [
      await server.call('oc_task_list', { timeout_ms: 10_000 }),
      await server.call('oc_task_get', { task_id: TASK, timeout_ms: 10_000 }),
      await server.call('oc_task_cancel', { task_id: TASK, timeout_ms: 10_000 }),
      await server.call('oc_journal', { timeout_ms: 10_000 }),
      await server.call('oc_output_fetch', {
        output_handle: 'oh_AAAAAAAAAAAA',
        timeout_ms: 10_000,
      }),
      await server.call('network', { detail: 'GET x', timeout_ms: 10_000 }),
      await server.call('oc_session_resume', { timeout_ms: 10_000 }),
    ];
    expect(looks.filter((look) => look.kind === 'gone' || !isStructured(look))).toEqual([]);
    expect(looks.filter(({ ms }) => ms > 15_000)).toEqual([]);
    // what a link points to is not ours to show
    expect(looks.map(({ text }) => text).join('\n')).not.toContain('root:x:0');

    expect(await server.call('navigate', { url: `${site.origin}/` })).toMatchObject({ kind: 'ok' });
    const { text } = await server.call('read_page', { output_mode: 'handle' });
    const [handle] = /oh_[A-Z0-9]{12}/.exec(text) ?? [];
    expect(await server.call('oc_output_fetch', { output_handle: handle })).toMatchObject({
      kind: 'ok',
    });
    const started = await server.call('oc_task_start', {
      kind: 'crawl',
      args: { url: `${site.origin}/`, max_pages: 1, render: 'fetch' },
    });
    const { task_id: task } = JSON.parse(started.text) as { task_id: string };
    expect(
      (await server.call('oc_task_wait', { task_id: task, timeout_ms: 20_000 })).text,
    ).toContain('COMPLETED');
    expect(server.stderr()).not.toMatch(/unexpected|unhandled|polluted/i);
    await server.stop();
    // what could not be read is still there
    expect((await readdir(join(home, 'tasks'))).some((name) => name.startsWith(TASK))).toBe(true);
    expect(await readFile('/etc/passwd', 'utf8')).toContain('root:');
  });
});
