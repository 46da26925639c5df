// Every tool with arguments made from its schema and against it: no crash, no hang, and every
// failure a structured one. OPENCHROME_FUZZ_CALLS is their number (`npm run test:fuzz`: 20,000),
// OPENCHROME_FUZZ_SEED repeats a run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAILURES } from '../../src/core/failure.ts';
import { monotonicMs } from '../../src/core/time.ts';
import type { Reply } from '../../src/pipeline/call.ts';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import { buildInputSchema } from '../../src/toolkit/tool-description.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { hostile, mutate, objectOf, pick, type Pools, type Random, seeded } from './values.ts';

const CALLS = Number(process.env['OPENCHROME_FUZZ_CALLS'] ?? 800);
const SEED = Number(process.env['OPENCHROME_FUZZ_SEED'] ?? 20_261_115);
const LANES = 8;
/** A busy machine is late; a hung call is later. */
const SLACK_MS = 15_000;
/** These end what the others work with: seldom enough that the others get to work. */
const SELDOM = 0.02;

const site = useSite({
  '/': '<title>Fuzz</title><h1>Fuzz</h1><a href="/form">Form</a><button onclick="fetch(`/data.json`)">Load</button><ul><li>One<li>Two</ul>',
  '/form':
    '<title>Form</title><form><label>Name <input name=name></label><select name=s><option>a<option>b</select><input type=checkbox name=c><button>Send</button></form>',
  '/hostile':
    '<title>\u202E</title><button onclick="alert(1)">Ask</button><iframe src="/"></iframe><script>setInterval(()=>document.body.append("x"),50)</script>',
  '/data.json': (_, response) =>
    response.setHeader('content-type', 'application/json').end('{"items":[{"id":1},{"id":2}]}'),
  '/slow': (_, response) => void response.write('<title>Slow</title>'),
});
const it = useEngine();

const poolsOf = (): Pools => {
  const pages = ['/', '/form', '/hostile', '/data.json', '/slow', '/missing'].map(
    (path) => `${site.origin}${path}`,
  );
  return {
    text: ['Load', 'Send', 'Form', 'Name', 'One', 'a', 'click Load; press Enter'],
    url: [
      ...pages,
      'about:blank',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://',
      'http://127.0.0.1:1/',
      'data:text/html,x',
      'http://[::1',
    ],
    ref: ['e1', 'e2', 'e3', 'e4', 'e9', 'e999', 'x'],
    selector: ['button', 'input', '#none', 'a', '*', ':::', 'div > > p', 'li:nth-child(2)'],
    code: [
      '1+1',
      'document.title',
      'throw new Error("x")',
      '({a:[1,{b:2}]})',
      'new Promise(()=>{})',
      'syntax error (',
      'document.querySelectorAll("*")',
    ],
    function: ['() => true', '() => false', '() => { throw 1 }', '('],
    path: [`${it.home}/x.png`, '../x', '/etc/passwd', '/proc/self/environ', tmpdir(), 'a\0b', ''],
    handle: ['oh_aaaaaaaaaaaa', 'oh_../../x', 'x'],
    task_id: ['t_none', '../../x'],
    tabId: ['none', '../..'],
    timeout_ms: [1, 50, 500, 1500],
    duration_ms: [1, 200, 100_000],
    waitForMs: [0, 100],
    delay_ms: [0, 50],
    signature: ['x'],
  };
};

/** Arguments of a correct call, of a call with a mistake, or random ones. */
const argumentsFor = (tool: Tool, pools: Pools, random: Random): unknown => {
  const way = random();
  if (way < 0.04) return hostile(random);
  const base =
    way < 0.2
      ? (pick(random, tool.examples) as Record<string, unknown>)
      : objectOf(buildInputSchema(tool), pools, random);
  // The examples point into the world and write into the working folder.
  const local = Object.fromEntries(
    Object.entries(base).map(([name, value]) => [
      name,
      name === 'url' || name === 'path' ? pick(random, pools[name] ?? []) : value,
    ]),
  );
  const made = random() < 0.35 ? mutate(local, random) : local;
  return { timeout_ms: pick(random, [200, 500, 1500]), ...made };
};

const complaint = (reply: Reply): string | undefined => {
  const { failure, text, images, notes } = reply;
  if (notes.some((note) => note.includes('\n')))
    return `a note of several lines: ${JSON.stringify(notes)}`;
  if (!failure) return text === undefined && images.length === 0 ? 'an empty reply' : undefined;
  if (!(failure.code in FAILURES)) return `an unknown code ${failure.code}`;
  if (failure.code === 'internal')
    return `a defect: ${failure.message} ${String(failure.cause instanceof Error ? failure.cause.stack : '')}`;
  if (failure.message === '' || failure.message.length > 1001)
    return `a message of ${failure.message.length} characters`;
  if (/\n\s+at /.test(JSON.stringify(failure.toJSON()))) return 'a stack trace';
  return undefined;
};

/** Made-up paths are made up in a working folder of their own. */
const [here, workingFolder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'openchrome-fuzz-'))];
beforeAll(() => process.chdir(workingFolder));
afterAll(() => {
  process.chdir(here);
  rmSync(workingFolder, { recursive: true, force: true });
});

const defects: string[] = [];
const onDefect = (error: unknown): void =>
  void defects.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
process.on('unhandledRejection', onDefect);
process.on('uncaughtException', onDefect);
afterAll(() => {
  process.off('unhandledRejection', onDefect);
  process.off('uncaughtException', onDefect);
});

test(
  `${CALLS} calls with made-up arguments are each answered in time and in form`,
  { timeout: 60_000 + CALLS * 200 },
  async () => {
    const tools = it.engine.tools;
    const pools = poolsOf();
    const complaints: string[] = [];
    let made = 0;

    const lane = async (number: number): Promise<void> => {
      const random = seeded(SEED + number);
      const session = `lane-${number}`;
      while (made < CALLS && complaints.length < 10) {
        const tool = pick(random, tools);
        if (
          tool.traits.scope !== 'tab' &&
          tool.traits.effect === 'act' &&
          tool.traits.duration === 'instant' &&
          random() > SELDOM
        )
          continue;
        made++;
        const args = argumentsFor(tool, pools, random);
        const startedAt = monotonicMs();
        const reply = await it.reply(tool.name, args, session);
        const tookMs = monotonicMs() - startedAt;
        const wrong =
          complaint(reply) ??
          (tookMs > limitOf(tool, args) + SLACK_MS ? `took ${Math.round(tookMs)} ms` : undefined);
        if (wrong !== undefined)
          complaints.push(`${tool.name} ${JSON.stringify(args)?.slice(0, 400)}: ${wrong}`);
        if (reply.failure?.code === 'dialog_open')
          await it.reply('handle_dialog', { action: 'accept' }, session);
        if (random() < 0.05)
          await it.reply(
            'navigate',
            { url: pick(random, pools['url'] ?? []), timeout_ms: 3000 },
            session,
          );
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));

    expect(complaints).toEqual([]);
    expect(defects).toEqual([]);
    const health = await it.json<{ state?: string }>('oc_connection_health');
    expect(health).toBeTruthy();
    await it.text('navigate', { url: `${site.origin}/` });
    expect(await it.text('read_page')).toContain('Fuzz');
  },
);

const limitOf = (tool: Tool, args: unknown): number => {
  const asked =
    typeof args === 'object' && args !== null
      ? (args as { timeout_ms?: unknown }).timeout_ms
      : undefined;
  return typeof asked === 'number' ? Math.max(asked, 0) : tool.traits.timeoutMs;
};
