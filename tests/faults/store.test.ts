// The disk at its worst: many processes on one file, a full disk, a process killed while it writes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/core/log.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { createPayloadWriter } from '../../src/store/files/payload-writer.ts';
import { JsonFile } from '../../src/store/files/json-file.ts';
import { openJournal, type Journal } from '../../src/store/journal/journal.ts';
import { bundleOnce } from '../bundled-programs.ts';
import { readRunFolder } from '../run-folder.ts';

const run = promisify(execFile);
const posix = process.platform !== 'win32';

let folder: string;
let journalWriter: string;
let fileWriter: string;
const journal = (): Journal =>
  openJournal({
    folder: join(folder, 'journal'),
    log: createLog({ level: 'error' }),
    writer: createPayloadWriter(createRedactor([])),
  });

beforeAll(async () => {
  journalWriter = await bundleOnce('tests/faults/journal-writer.ts');
  fileWriter = await bundleOnce('tests/faults/file-writer.ts');
});
beforeEach(async () => {
  folder = await mkdtemp(join(readRunFolder(), 'faults-'));
});

describe('several processes on one journal', () => {
  it('lose and tear no line', async () => {
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(
      names.map((name) =>
        run(process.execPath, [journalWriter, join(folder, 'journal'), name, '500']),
      ),
    );
    const { calls, torn, tools } = await journal().summary();
    expect({ calls, torn }).toEqual({ calls: 2_000, torn: 0 });
    expect(tools.map(({ calls: of }) => of)).toEqual([500, 500, 500, 500]);
    for (const tool of names) {
      const order = (await journal().recent({ count: 500, tool })).map(
        (entry) => (entry['args' as never] as { i: number }).i,
      );
      expect(order).toEqual(Array.from({ length: 500 }, (_, i) => i));
    }
  });
});

describe('a process that is killed', () => {
  it('loses nothing that it had appended', async () => {
    const child = spawn(
      process.execPath,
      [journalWriter, join(folder, 'journal'), 'a', '1000000'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    let said = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      said = Number(chunk.toString().trim().split('\n').at(-1));
      if (said > 2_000) child.kill('SIGKILL');
    });
    await once(child, 'close');
    expect((await journal().summary()).calls).toBeGreaterThan(said);
    expect((await journal().summary()).torn).toBeLessThanOrEqual(1);
  });

  it('leaves the old file or the new one, never half a file', async () => {
    const path = join(folder, 'state.json');
    const file = new JsonFile({
      path,
      version: 1,
      schema: z.object({ n: z.number(), pad: z.string() }),
      onSetAside: () => expect.unreachable(),
    });
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [fileWriter, path, '1000000', '200000'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      child.stdout.on('data', (chunk: Buffer) => {
        if (Number(chunk.toString().split(' ').at(-1)) > 3 + round) child.kill('SIGKILL');
      });
      await once(child, 'close');
      expect((await file.load())?.n).toBeGreaterThanOrEqual(1);
    }
  });
});

/**
 * A limit on the size of files is a full disk for those who write: part of the bytes fit, then an
 * error.
 */
const withLimit = (
  blocks: number,
  ...args: string[]
): Promise<{ stdout: string; stderr: string }> =>
  run('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', process.execPath, ...args]);

describe.runIf(posix)('a full disk', () => {
  it('drops the journal entries that do not fit, reports it once, and leaves at most one torn line', async () => {
    const { stdout, stderr } = await withLimit(
      64,
      journalWriter,
      join(folder, 'journal'),
      'a',
      '200',
    );
    const lost = Number(/lost (\d+)/.exec(stdout)?.[1]);
    expect(lost).toBeGreaterThan(0);
    expect(stderr.match(/the journal cannot be written/g)).toHaveLength(1);
    const later = journal();
    later.append({
      ts: Date.now(),
      tool: 'later',
      session: 'default',
      args: {},
      durationMs: 1,
      ok: true,
      summary: 'there is space again',
    });
    const { calls, torn } = await later.summary();
    expect(calls).toBe(200 - lost + 1);
    expect(torn).toBeLessThanOrEqual(1);
  });

  it('is a structured failure for a file, which keeps its old content and leaves no half file', async () => {
    const path = join(folder, 'state.json');
    const { stdout } = await withLimit(8, fileWriter, path, '2', '1000000');
    expect(stdout).toBe('saved 1\nstorage_failed 2\n');
    const file = new JsonFile({ path, version: 1, schema: z.object({ n: z.number() }) });
    expect(await file.load()).toEqual({ n: 1 });
    expect(await readdir(folder)).toEqual(['state.json']);
  });
});
