// Without a task in its arguments, no call's reply knows of envelopes: the same bytes as with their step taken out.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Step } from '../../src/pipeline/call.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { useSite } from '../fixtures.ts';

const PAGE = `<!doctype html><html lang="en"><title>Orders</title><meta name="description" content="Orders of the day">
<h1>Orders</h1><p>Three orders are open.</p>
<form><label>Email <input name="email" type="email"></label><label>Country <select name="country"><option>Norway<option>Peru</select></label>
<label><input type="checkbox" name="agree"> I agree</label><button type="button">Send</button><button type="button">Sign in</button></form>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>4</td></tr><tr><td>Bread</td><td>3</td></tr></table>
<ul><li><a href="/second">Second</a></li></ul></html>`;

const site = useSite({ '/': PAGE, '/second': '<!doctype html><html lang="en"><title>Second</title><h1>Second page</h1></html>' });

/** Whether the engine that is called has the step. */
const step = vi.hoisted(() => ({ in: true }));
vi.mock('../../src/pipeline/envelope.ts', async (original) => {
  const { envelope } = await original<typeof import('../../src/pipeline/envelope.ts')>();
  const inOrOut: Step = (call, next) => (step.in ? envelope(call, next) : next());
  return { envelope: inOrOut };
});

/** What differs from one run of anything to the next: names, times, sizes, and whether a page was still loading. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b[0-9A-F]{32}\b/g, '<tab>')
    .replaceAll(/\boh_[A-Z2-7]{12}\b/g, '<handle>')
    .replaceAll(/\b[0-9a-f]{16}\b/g, '<task>')
    .replaceAll(/openchrome-bytes-\w+/g, '<home>')
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.-]+Z)?/g, '<time>')
    .replaceAll(/,\\?"loading\\?":true/g, '')
    .replaceAll(/\b\d+(?:\.\d+)?\b/g, '<n>');

const args = (example: object): unknown =>
  JSON.parse(JSON.stringify(example).replaceAll(/https?:\/\/(?:example\.com|localhost:3000)/g, site.origin));

/** Ends what the others need, works for minutes, or measures what is never twice the same: only how it refuses is compared. */
const isUnsteady = ({ name, traits }: Tool): boolean =>
  traits.duration === 'job' || name === 'performance' || (traits.effect === 'act' && traits.scope === 'none' && !traits.ledger);

const homes: string[] = [];
const engines: Engine[] = [];

const openEngine = async (): Promise<Engine> => {
  const home = await mkdtemp(join(tmpdir(), 'openchrome-bytes-'));
  homes.push(home);
  const engine = createEngine({
    config: resolveConfig({ flags: ['--headless', '--isolated', '--log-level', 'error', '--allow-root', home], env: process.env }),
    home: { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers },
  });
  engines.push(engine);
  return engine;
};

let withStep: Engine;
let without: Engine;

beforeAll(async () => {
  withStep = await openEngine();
  without = await openEngine();
});

afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  for (const home of homes) await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Everything that a client would get, as one text. */
const said = async (engine: Engine, name: string, given: unknown): Promise<string> => {
  step.in = engine === withStep;
  const { text, json, images, notes, failure } = await engine.call({
    name,
    arguments: given,
    folder: homes[engine === withStep ? 0 : 1] ?? '',
  });
  return steady(JSON.stringify({ text, json, images: images.map(({ mimeType }) => mimeType), notes, failure }));
};

const both = async (name: string, given: unknown): Promise<[string, string]> => {
  const first = await said(withStep, name, given);
  return [first, await said(without, name, given)];
};

describe('without taskId', () => {
  it('the step is really out of the other engine', async () => {
    const note = /task_not_recorded/;
    expect(await said(withStep, 'expand_tools', { query: 'tabs', taskId: '0123456789abcdef' })).toMatch(note);
    expect(await said(without, 'expand_tools', { query: 'tabs', taskId: '0123456789abcdef' })).not.toMatch(note);
  });

  // Chrome may be slower once than the other time, which shows; a difference of ours would show every time.
  it.each(TOOLS.filter((tool) => !isUnsteady(tool)).map((tool) => [tool.name, tool] as const))(
    '%s answers the same',
    { retry: 2 },
    async (name, { examples, traits }) => {
      for (const example of examples) {
        if (traits.scope === 'tab') await both('navigate', { url: site.origin });
        const [first, second] = await both(name, args(example));
        expect(first).toBe(second);
      }
    },
  );

  it.each(TOOLS.map(({ name }) => name))('%s refuses the same', async (name) => {
    const [first, second] = await both(name, { no_such_argument: 1 });
    expect(first).toBe(second);
  });

  it('crawl brings the same', async () => {
    const [first, second] = await both('crawl', { url: site.origin, max_pages: 2, delay_ms: 0 });
    expect(first).toBe(second);
    expect(first).toContain('Second page');
  });
});
