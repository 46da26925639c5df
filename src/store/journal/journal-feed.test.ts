// Tests of journal-feed.ts.
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { JournalFeed } from './journal-feed.ts';

const DAY = 'journal-2026-11-15.jsonl';
const NEXT_DAY = 'journal-2026-11-16.jsonl';

const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-feed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const line = (ts: number, more: object = {}): string => `${JSON.stringify({ ts, ...more })}\n`;

const listTimes = ({ lines }: { lines: readonly { entry: { ts: number } }[] }): number[] =>
  lines.map(({ entry }) => entry.ts);

it('reads pages backwards over several files without a gap or a repetition', async () => {
  const folder = await makeFolder();
  const times = Array.from({ length: 25 }, (_, i) => i);
  await writeFile(
    join(folder, DAY),
    times
      .slice(0, 12)
      .map((ts) => line(ts))
      .join(''),
  );
  await writeFile(
    join(folder, NEXT_DAY),
    times
      .slice(12)
      .map((ts) => line(ts))
      .join(''),
  );
  const feed = new JournalFeed(folder);
  const found: number[] = [];
  let position: string | undefined;
  for (let more = true; more;) {
    const page = await feed.readBefore(position, 4);
    found.unshift(...listTimes(page));
    ({ position, more } = page);
  }
  expect(found).toEqual(times);
});

it('continues after a position, also if the file was renamed in the meantime', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, DAY), line(1) + line(2));
  const feed = new JournalFeed(folder);
  const end = await feed.end();
  expect(await feed.readAfter(end)).toMatchObject({ lines: [], position: end, more: false });
  await appendFile(join(folder, DAY), line(3));
  await rename(join(folder, DAY), join(folder, 'journal-2026-11-15-1763164800000.jsonl'));
  await writeFile(join(folder, DAY), line(4));
  const first = await feed.readAfter(end);
  expect(listTimes(first)).toEqual([3]);
  const second = await feed.readAfter(first.position);
  expect(listTimes(second)).toEqual([4]);
  expect(second).toMatchObject({ more: false, gap: false });
});

it('leaves out a line until it is complete, and lines that are not entries', async () => {
  const folder = await makeFolder();
  const [start, end] = ['{"ts":3,"to', 'ol":"x"}\n'];
  await writeFile(join(folder, DAY), `${line(1)}garbage\n[]\n${line(2)}${start}`);
  const feed = new JournalFeed(folder);
  const page = await feed.readAfter(`${(await feed.end()).split('.')[0]}.0`);
  expect(listTimes(page)).toEqual([1, 2]);
  await appendFile(join(folder, DAY), end);
  expect(listTimes(await feed.readAfter(page.position))).toEqual([3]);
});

it('finds one line by its position', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, DAY), line(1) + line(2, { tool: 'find' }) + line(3));
  const feed = new JournalFeed(folder);
  const { lines } = await feed.readBefore(undefined, 2);
  expect((await feed.readLine(lines[0]?.id ?? ''))?.entry).toEqual({ ts: 2, tool: 'find' });
  for (const wrong of ['', '1.1', 'x', '../../etc/passwd', `${lines[0]?.id}9`])
    expect(await feed.readLine(wrong)).toBeUndefined();
});

it('reports a gap if the position no longer exists', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, DAY), line(1));
  const feed = new JournalFeed(folder);
  expect(await feed.readAfter('1.5')).toMatchObject({ gap: true, lines: [{ entry: { ts: 1 } }] });
  expect(await new JournalFeed(join(folder, 'none')).readBefore(undefined, 5)).toMatchObject({
    lines: [],
    more: false,
  });
});
