// `openchrome top` in a real pseudo-terminal: what it shows, its keys, and how it ends.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
const ends: (() => Promise<void>)[] = [];

const WAIT = { timeout: 20_000, interval: 50 };
const [ENTER, LEAVE] = ['\u001b[?1049h', '\u001b[?25h\u001b[?1049l'];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    if (url === '/wait') return;
    response.setHeader('content-type', 'text/html');
    response.end('<title>Shop \u001b]0;evil\u0007</title><a href="/wait">wait</a>');
  }, onEnd);
  user = await createShellUser(onEnd);
  await user.text('open', origin, '--session', 'buyer');
});

afterAll(async () => {
  for (const end of ends) await end();
});

const startCrawl = async (): Promise<string> => {
  const { task_id: id } = await user.json<{ task_id: string }>(
    ...['tasks', 'start', 'crawl', `${origin}/`, '--render', 'fetch', '--max-pages', '2'],
  );
  await vi.waitFor(async () => {
    const { meta } = await user.json<{ meta: { progress?: { done: number } } }>(
      'tasks',
      'show',
      id,
    );
    expect(meta.progress?.done).toBe(1);
  }, WAIT);
  return id;
};

/** The last frame, as lines. */
const readFrame = (shown: string): string[] => {
  const frame = shown.split('\u001b[?2026h').at(-1) ?? '';
  // oxlint-disable-next-line no-control-regex
  return frame.replace(/\u001b\[[?\d;]*[A-Za-z]/g, '').split(/\r?\n/);
};

const readStatus = async (id: string): Promise<string> =>
  (await user.json<{ meta: { status: string } }>('tasks', 'show', id)).meta.status;

it('prints one table in a pipe, and JSON with --json', async () => {
  const id = await startCrawl();
  const { status, stdout } = await user.run('top');
  expect(status).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(
    /^OpenChrome \S+ {2}pid \d+ {2}up .* 2 sessions, 1 tab, 1 task running$/,
  );
  expect(lines[2]).toMatch(/^SESSION +TAB +(?:STATE +)?TITLE +URL$/);
  expect(lines[3]).toMatch(/^buyer +t1\* +Shop .*http:/);
  expect(lines[4]).toMatch(/^default +no tabs$/);
  expect(stdout).toMatch(
    new RegExp(`\n${id.slice(0, 12)}\\S* +crawl +RUNNING +\\[#{8}-{8}\\] 1/2 `),
  );
  const { tabs, tasks } = await user.json<{ tabs: object[]; tasks: object[] }>('top');
  expect([tabs.length, tasks.length]).toEqual([1, 1]);
  await user.text('tasks', 'cancel', id);
});

it('redraws in place, cancels the selected task after a confirmation, and q quits', async () => {
  const id = await startCrawl();
  const top = user.terminal('openchrome top; echo "status $?"; stty -a | grep -o -- "-\\?icanon"');
  const frame = (): string => readFrame(top.shown()).join('\n');
  await vi.waitFor(() => expect(frame()).toContain('RUNNING'), WAIT);
  expect(top.shown()).toContain(ENTER);
  expect(frame()).toMatch(new RegExp(`> +${id.slice(0, 12)}`));
  expect(readFrame(top.shown()).every((line) => line.length <= 80)).toBe(true);
  expect(top.shown()).not.toContain('\u001b]0;evil'); // a page cannot set the title of the terminal
  top.write('j');
  await vi.waitFor(() => expect(frame()).not.toMatch(new RegExp(`> +${id.slice(0, 12)}`)), WAIT);
  top.write('\u001b[A');
  await vi.waitFor(() => expect(frame()).toMatch(new RegExp(`> +${id.slice(0, 12)}`)), WAIT);
  top.write('k');
  await vi.waitFor(() => expect(frame()).toContain(`Cancel crawl ${id}?`), WAIT);
  top.write('n');
  await vi.waitFor(() => expect(frame()).toContain('continues'), WAIT);
  expect(await readStatus(id)).toBe('RUNNING');
  top.write('k');
  await vi.waitFor(() => expect(frame()).toContain(`Cancel crawl ${id}?`), WAIT);
  top.write('y');
  await vi.waitFor(() => expect(frame()).toContain('CANCELLED'), WAIT);
  expect(await readStatus(id)).toBe('CANCELLED');
  top.write('q');
  expect(await top.ended).toBe(0);
  expect(top.shown()).toContain(LEAVE);
  expect(top.shown()).toMatch(/status 0\nicanon\n$/);
});

it('restores the terminal after SIGTERM and after Ctrl-C', async () => {
  const line = `bash -c 'echo "pid=$$;"; exec openchrome top'; echo "status $?"; stty -a | grep -o -- "-\\?icanon"`;
  const ways: readonly ((top: ReturnType<ShellUser['terminal']>, pid: number) => void)[] = [
    (_, pid) => process.kill(pid, 'SIGTERM'),
    (top) => top.write('\u0003'),
  ];
  for (const end of ways) {
    const top = user.terminal(line);
    await vi.waitFor(() => expect(top.shown()).toContain('q quit'), WAIT);
    end(top, Number(/pid=(\d+);/.exec(top.shown())?.[1]));
    await top.ended;
    expect(top.shown()).toContain(LEAVE);
    expect(top.shown()).toMatch(/status 130\nicanon\n$/);
  }
});

it('opens the dashboard, keeps the last state if the daemon ends, and fails without a daemon', async () => {
  const top = user.terminal('openchrome top; echo "status $?"');
  const frame = (): string => readFrame(top.shown()).join('\n');
  await vi.waitFor(() => expect(frame()).toContain('q quit'), WAIT);
  top.write('o');
  await vi.waitFor(() => expect(frame()).toMatch(/Dashboard: (?:http:|Opened)/), WAIT);
  await user.text('daemon', 'stop');
  await vi.waitFor(() => expect(frame()).toContain('No daemon is running.'), WAIT);
  expect(frame()).toContain('buyer');
  top.write('q');
  await top.ended;
  expect(top.shown()).toContain('status 0');
  expect(await user.run('top')).toMatchObject({ status: 3, stdout: '' });
});
