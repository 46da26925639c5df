// The journal: every entry comes back, and nothing on the disk can make it fail a call.
import { appendFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../core/log.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import { type CallEntry, openJournal, type Journal } from './journal.ts';

let folder: string;
const writer: PayloadWriter = {
  clean: (data) => data,
  cleanLarge: async (data) => data,
  cleanText: (text) => text,
  cleanLargeText: async (text) => text,
  forOrigins: () => writer,
};
let logged: string[];
const open = (now?: () => number): Journal =>
  openJournal({
    folder,
    log: createLog({ level: 'warn', write: (line) => logged.push(line) }),
    writer,
    ...(now ? { now } : {}),
  });

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'openchrome-journal-')), 'journal');
  logged = [];
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const NOON = Date.parse('2026-11-15T12:00:00Z');
const call = (over: Partial<CallEntry> = {}): CallEntry => ({
  ts: NOON,
  tool: 'navigate',
  session: 'default',
  args: { url: 'http://127.0.0.1/' },
  durationMs: 12,
  ok: true,
  summary: 'opened',
  ...over,
});

describe('recent entries', () => {
  it('are returned oldest first, including events', async () => {
    const journal = open(() => NOON);
    journal.append(call({ ts: NOON, summary: 'first' }));
    journal.append({
      ts: NOON + 1,
      event: 'output_handle_created',
      handle: 'oh_ABC',
      size_bytes: 7,
    });
    journal.append(call({ ts: NOON + 2, summary: 'last' }));
    expect(await journal.recent({ count: 10 })).toEqual([
      call({ summary: 'first' }),
      { ts: NOON + 1, event: 'output_handle_created', handle: 'oh_ABC', size_bytes: 7 },
      call({ ts: NOON + 2, summary: 'last' }),
    ]);
  });

  it('are limited by count, tool and time', async () => {
    const journal = open(() => NOON);
    for (let i = 0; i < 20; i++)
      journal.append(call({ ts: NOON + i, tool: i % 2 ? 'tabs' : 'navigate', durationMs: i }));
    const durations = async (options: Parameters<Journal['recent']>[0]): Promise<number[]> =>
      (await journal.recent(options)).map((entry) => (entry as CallEntry).durationMs);
    expect(await durations({ count: 3 })).toEqual([17, 18, 19]);
    expect(await durations({ count: 2, tool: 'navigate' })).toEqual([16, 18]);
    expect(await durations({ count: 100, since: NOON + 15 })).toEqual([15, 16, 17, 18, 19]);
    expect(await durations({ count: 0 })).toEqual([]);
  });

  it('reach back over midnight', async () => {
    let now = NOON;
    const journal = open(() => now);
    journal.append(call({ ts: now, summary: 'yesterday' }));
    now += 24 * 3_600_000;
    journal.append(call({ ts: now, summary: 'today' }));
    expect((await readdir(folder)).sort()).toEqual([
      'journal-2026-11-15.jsonl',
      'journal-2026-11-16.jsonl',
    ]);
    expect((await journal.recent({ count: 5 })).map((entry) => entry['summary' as never])).toEqual([
      'yesterday',
      'today',
    ]);
  });

  it('are found in an entry log of many chunks, with characters of several bytes', async () => {
    const journal = open(() => NOON);
    for (let i = 0; i < 3_000; i++)
      journal.append(call({ ts: NOON + i, summary: `${'žluťoučký kůň 🐎 '.repeat(4)}${i}` }));
    const found = (await journal.recent({ count: 2_000 })) as CallEntry[];
    expect(found).toHaveLength(2_000);
    expect(
      found.every(({ summary }, i) => summary === `${'žluťoučký kůň 🐎 '.repeat(4)}${1_000 + i}`),
    ).toBe(true);
  });

  it('are an empty list before anything happened', async () => {
    expect(await open().recent({ count: 10 })).toEqual([]);
  });
});

describe('the summary', () => {
  it('counts calls, failures and events by tool and code', async () => {
    const journal = open(() => NOON);
    journal.append(call({ durationMs: 10, tokens: 100 }));
    journal.append(call({ ts: NOON + 1, durationMs: 30, ok: false, code: 'timeout', tokens: 20 }));
    journal.append(call({ ts: NOON + 2, tool: 'tabs', durationMs: 1 }));
    journal.append({ ts: NOON + 3, event: 'chrome_started' });
    expect(await journal.summary()).toEqual({
      from: NOON,
      to: NOON + 3,
      calls: 3,
      failed: 1,
      tokens: 120,
      events: 1,
      tools: [
        { tool: 'navigate', calls: 2, failed: 1, totalMs: 40, maxMs: 30, tokens: 120 },
        { tool: 'tabs', calls: 1, failed: 0, totalMs: 1, maxMs: 1, tokens: 0 },
      ],
      codes: { timeout: 1 },
      lost: 0,
      torn: 0,
      unreadable: [],
    });
    expect(await journal.summary({ since: NOON + 2 })).toMatchObject({
      calls: 1,
      failed: 0,
      events: 1,
    });
  });
});

describe('the files on disk', () => {
  const today = (): string => join(folder, 'journal-2026-11-15.jsonl');

  it('are readable only by their owner', async () => {
    open(() => NOON).append(call());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(today())).mode & 0o777).toBe(0o600);
  });

  it('may end in a torn line: it is skipped and counted, and the next entry is not glued to it', async () => {
    open(() => NOON).append(call({ summary: 'whole' }));
    await appendFile(today(), '{"ts":1,"tool":"navi');
    const journal = open(() => NOON);
    journal.append(call({ summary: 'after the crash' }));
    expect(
      ((await journal.recent({ count: 9 })) as CallEntry[]).map(({ summary }) => summary),
    ).toEqual(['whole', 'after the crash']);
    expect(await journal.summary()).toMatchObject({ calls: 2, torn: 1 });
  });

  it('may be garbage: wrong shapes, binary, a line of megabytes, and still the good lines are read', async () => {
    const journal = open(() => NOON);
    journal.append(call({ summary: 'before' }));
    await appendFile(today(), Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
    await appendFile(
      today(),
      `null\n[]\n42\n{"tool":5}\n\n   \n${'x'.repeat(3 * 1024 * 1024)}\n{"__proto__":{"ts":1}}\n`,
    );
    journal.append(call({ summary: 'after' }));
    expect(
      ((await journal.recent({ count: 9 })) as CallEntry[]).map(({ summary }) => summary),
    ).toEqual(['before', 'after']);
    expect(await journal.summary()).toMatchObject({ calls: 2, torn: 7 });
  });

  it('may include a folder instead of a file: it is reported and the others are read', async () => {
    await mkdir(join(folder, 'journal-2026-11-14.jsonl'), { recursive: true });
    const journal = open(() => NOON);
    journal.append(call());
    expect(await journal.summary()).toMatchObject({
      calls: 1,
      unreadable: ['journal-2026-11-14.jsonl'],
    });
  });

  it('may be taken away between two entries', async () => {
    const journal = open(() => NOON);
    journal.append(call({ summary: 'gone' }));
    await rm(folder, { recursive: true });
    journal.append(call({ summary: 'in a new folder' }));
    expect(
      ((await journal.recent({ count: 9 })) as CallEntry[]).map(({ summary }) => summary),
    ).toEqual(['in a new folder']);
  });

  it('never fail a call: a journal that cannot be written warns once and reports the lost entries', async () => {
    await writeFile(folder, 'a file where the folder should be');
    const journal = open(() => NOON);
    journal.append(call());
    journal.append(call());
    expect(logged).toHaveLength(1);
    await rm(folder);
    journal.append(call({ summary: 'works again' }));
    expect(await journal.summary()).toMatchObject({ calls: 1, lost: 2 });
  });

  it('does not carry payloads: huge arguments are named by their size', async () => {
    const journal = open(() => NOON);
    journal.append(call({ args: { value: 'x'.repeat(100_000) } }));
    expect((await stat(today())).size).toBeLessThan(1_000);
    expect((await journal.recent({ count: 1 }))[0]).toMatchObject({
      args: { omitted: '100012 characters' },
    });
  });
});

describe('retention', () => {
  it('removes files older than seven days, and only files of the journal', async () => {
    const journal = open(() => NOON);
    journal.append(call());
    const old = new Date(NOON - 8 * 24 * 3_600_000);
    for (const name of ['journal-2026-11-07.jsonl', 'notes.txt', 'journal-of-mine.jsonl']) {
      await writeFile(join(folder, name), 'x');
      await utimes(join(folder, name), old, old);
    }
    expect(await journal.retention.sweep(NOON)).toEqual({ files: 1, bytes: 1 });
    expect((await readdir(folder)).sort()).toEqual([
      'journal-2026-11-15.jsonl',
      'journal-of-mine.jsonl',
      'notes.txt',
    ]);
  });

  it('is at peace with a folder that does not exist', async () => {
    expect(await open().retention.sweep(NOON)).toEqual({ files: 0, bytes: 0 });
  });
});
