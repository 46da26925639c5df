// What tests of recordings share: a recording that runs as a task until it is ended, its files, and
// its scripts run for real.
import { execFile } from 'node:child_process';
import { access, readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import type { RecordedStep } from '../../src/features/recording/kept-lines.ts';
import type { RecordingResult } from '../../src/features/recording/assemble.ts';
import type { Site, TestEngine } from '../fixtures.ts';

export interface Ended {
  readonly meta: TaskMeta;
  readonly result: RecordingResult;
}

export interface RunningRecording {
  readonly id: string;
  cancel(): Promise<Ended>;
  wait(): Promise<Ended>;
}

/** Returns once everything is in place: the first picture is taken then. */
export const recordTask = async (
  engine: TestEngine,
  args: object = {},
): Promise<RunningRecording> => {
  const { task_id: id } = await engine.json<{ task_id: string }>('oc_task_start', {
    kind: 'recording',
    args,
  });
  await begun(engine, id);
  const get = (): Promise<Ended> =>
    engine.json('oc_task_get', { task_id: id, include_result: true });
  return {
    id,
    cancel: async () => {
      await engine.json('oc_task_cancel', { task_id: id });
      // a busy machine may take longer than the cancel waits
      await engine.json('oc_task_wait', { task_id: id });
      return get();
    },
    wait: async () => {
      await engine.json('oc_task_wait', { task_id: id });
      return get();
    },
  };
};

const begun = (engine: TestEngine, id: string): Promise<void> =>
  expect
    .poll(
      () =>
        access(join(engine.home, 'tasks', id, 'screenshots.jsonl')).then(
          () => true,
          () => false,
        ),
      { timeout: 15_000 },
    )
    .toBe(true);

/** Everything that was written anywhere below a folder, as text. */
export const everythingIn = async (folder: string): Promise<string> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile() && !entry.name.endsWith('.jpg'));
  return (
    await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))
  ).join('\n');
};

export interface RecordingJson {
  readonly summary: RecordingResult['summary'];
  readonly steps: readonly RecordedStep[];
  readonly calls: readonly {
    readonly tool: string;
    readonly failed?: string;
    readonly did?: readonly string[];
  }[];
  readonly console: readonly { readonly level: string; readonly text: string }[];
  readonly network: readonly { readonly url: string; readonly status?: number }[];
  readonly screenshots: readonly { readonly file: string; readonly why: string }[];
  readonly dom: readonly { readonly type: number; readonly data: unknown }[];
}

export const readJson = async (folder: string): Promise<RecordingJson> =>
  JSON.parse(await readFile(join(folder, 'recording.json'), 'utf8')) as RecordingJson;

const run = promisify(execFile);

/** Runs an exported script as a user would, and returns its last output. */
export const runScript = async (
  folder: string,
  library: 'playwright' | 'puppeteer',
  env: Record<string, string> = {},
): Promise<{ readonly url: string; readonly title: string }> => {
  await symlink(resolve('node_modules'), join(folder, 'node_modules')).catch(() => {});
  const { stdout, stderr } = await run(process.execPath, [join(folder, `${library}.mjs`)], {
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { url: string; title: string };
};

/** Opens the replay in the engine's tab, in front of its end. */
export const openReplay = async (engine: TestEngine, site: Site, folder: string): Promise<void> => {
  const url = site.page(
    `/replay-${folder.replaceAll(/\W/g, '')}`,
    await readFile(join(folder, 'replay.html'), 'utf8'),
  );
  await engine.json('navigate', { url });
  await engine.text('wait_for', { selector: 'html[data-ready]' });
  await seek(engine, Number.MAX_SAFE_INTEGER);
};

export const seek = (engine: TestEngine, ms: number): Promise<string> =>
  engine.text('javascript_tool', {
    code: `const bar = document.getElementById('seek'); bar.value = String(${ms}); bar.dispatchEvent(new Event('input')); return bar.max;`,
  });

/** Evaluates `code` with `page` being the document as it is replayed. */
export const inReplay = (engine: TestEngine, code: string): Promise<string> =>
  engine.text('javascript_tool', {
    code: `const page = document.querySelector('#player iframe').contentDocument; return (${code});`,
  });
