// Without a task in its arguments, no call's reply knows of envelopes: the same bytes as with their
// step taken out.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { AdmittedCall, IdentifiedCall, Step } from '../../src/pipeline/call.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { useSite } from '../fixtures.ts';

const PAGE = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Orders</title><meta name="description" content="Orders of the day">
<h1>Orders</h1><p>Welcome. Three orders are open.</p>
<form><label>Email <input name="email" type="email"></label><label>Country <select name="country"><option>Norway<option>Peru</select></label>
<label><input type="checkbox" name="agree"> I agree</label><button type="button">Send</button><button type="button">Sign in</button></form>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>4</td></tr><tr><td>Bread</td><td>3</td></tr></table>
<ul><li><a href="/second">Second</a></li></ul></html>`;

const site = useSite({
  '/sitemap.xml': (request, response) =>
    void response.end(
      `<urlset><url><loc>http://${request.headers.host}/second</loc></url></urlset>`,
    ),
  '/': PAGE,
  '/second':
    '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Second</title><h1>Second page</h1></html>',
});

/** The home folder of the engine that has no such step. */
const out = vi.hoisted(() => ({ tasks: '' }));
vi.mock('../../src/pipeline/envelope.ts', async (original) => {
  const { envelope } = await original<typeof import('../../src/pipeline/envelope.ts')>();
  const inOrOut: Step<IdentifiedCall, AdmittedCall> = (call, next) =>
    call.services.home.tasks === out.tasks ? next(call) : envelope(call, next);
  return { envelope: inOrOut };
});

/**
 * What differs from one run of anything to the next: names that are made up, times, processes, and
 * whether a page was still loading.
 */
const steady = (text: string): string =>
  text
    .replaceAll(/\b[0-9A-F]{32}\b/g, '<tab>')
    .replaceAll(/\boh_[A-Z2-7]{12}\b/g, '<handle>')
    .replaceAll(/\b(?:[0-9a-f]{64}|(?:snap_)?[0-9a-f]{16})\b/g, '<id>')
    .replaceAll(/openchrome-bytes-\w+/g, '<home>')
    .replaceAll(/\d{8}(?:-\d{6}|T\d{9}Z)-[0-9a-f]+/g, '<name>')
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.-]+Z)?|\b1[789]\d{11}\b/g, '<time>')
    .replaceAll(/\b\d+(?= ms\b)/g, '<ms>')
    .replaceAll(/(?<=cursor )\d+/g, '<n>') // counts all that ever happened in the tab, however late
    // the recording counts elapsed milliseconds
    .replaceAll(/("done\\?":)\d+(?=,\\?"total\\?":2000,)/g, '$1<n>')
    .replaceAll(/((?:Ms|_ms|pid|bytes|tokens|uptimeSeconds|residentMiB)\\?":)\d+/g, '$1<n>')
    .replaceAll(/(screenshots\\?":)[1-9]\d*/g, '$1<n>') // a busy machine takes fewer in the same time
    // a recording of 2 s may end by itself before it is stopped
    .replaceAll(/(stop_reason\\?":\\?")(?:duration|stopped)/g, '$1<reason>')
    .replaceAll(/,\\?"loading\\?":true/g, '');

/** What is waited for in vain is not waited for long. */
const args = (name: string, example: object): unknown => {
  const here = JSON.stringify(example).replaceAll(
    /https?:\/\/(?:example\.com|localhost:3000)/g,
    site.origin,
  );
  return {
    ...(JSON.parse(here) as object),
    ...(name === 'wait_for' ? { timeout_ms: 3_000 } : {}),
    ...JOBS[name],
  };
};

/**
 * Ends what the others need, or measures what is never twice the same: only how it refuses is
 * compared.
 */
const isUnsteady = ({ name, traits }: Tool): boolean =>
  VARYING.has(name) || (traits.effect === 'act' && traits.scope === 'none' && !traits.ledger);

/** Tools whose results contain measurements, or random ids of questions. */
const VARYING = new Set(['performance', 'oc_handoff']);

/** Long work, made short. */
const JOBS: Readonly<Record<string, object>> = {
  crawl: { max_pages: 2, delay_ms: 0 },
  crawl_sitemap: { max_pages: 2, delay_ms: 0 },
  recording: { duration_ms: 2000, exports: ['json'] },
};

const homes: string[] = [];
const engines: Engine[] = [];

const openEngine = async (): Promise<Engine> => {
  const home = await mkdtemp(join(tmpdir(), 'openchrome-bytes-'));
  homes.push(home);
  const engine = createEngine({
    config: resolveConfig({
      flags: ['--headless', '--isolated', '--log-level', 'error', '--allow-root', home],
      env: process.env,
    }),
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
  out.tasks = resolveHome({ OPENCHROME_HOME: homes[1] ?? '' }).tasks;
});

afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  for (const home of homes) await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** Everything that a client would get, as one text. */
const said = async (engine: Engine, name: string, given: unknown): Promise<string> => {
  const { text, json, images, notes, failure } = await engine.call({
    name,
    arguments: given,
    folder: homes[engine === withStep ? 0 : 1] ?? '',
  });
  return steady(
    JSON.stringify({ text, json, images: images.map(({ mimeType }) => mimeType), notes, failure }),
  );
};

/** At the same time: they share nothing. */
const both = (name: string, given: unknown): Promise<[string, string]> =>
  Promise.all([said(withStep, name, given), said(without, name, given)]);

/**
 * What an earlier call started in the background is over: how far it is at a given moment is never
 * twice the same.
 */
const tasksEnded = async (engine: Engine): Promise<void> => {
  const { text = '{}' } = await engine.call({
    name: 'oc_task_list',
    arguments: { kind: 'crawl', status: 'RUNNING' },
  });
  const { tasks = [] } = JSON.parse(text) as { tasks?: { task_id: string }[] };
  for (const { task_id } of tasks)
    await engine.call({ name: 'oc_task_wait', arguments: { task_id } });
};

/** Whether the tabs show the page as it was loaded. */
let isFresh = false;

describe('without taskId', () => {
  it('the step looks at nothing of a call but whether it names a task, and leaves it as it is', async () => {
    const { envelope } = await vi.importActual<typeof import('../../src/pipeline/envelope.ts')>(
      '../../src/pipeline/envelope.ts',
    );
    const touched: unknown[] = [];
    const noted = (what: string) => (_: object, key: string | symbol) => {
      touched.push([what, key]);
      return what === 'reads' && key === 'common' ? Object.freeze({}) : undefined;
    };
    const call = new Proxy(
      {},
      {
        get: noted('reads'),
        set: (of, key) => Boolean(noted('writes')(of, key)),
        has: (of, key) => Boolean(noted('asks for')(of, key)),
      },
    );
    const next = vi.fn(() => Promise.resolve({ images: [], notes: [] }));
    await envelope(call as IdentifiedCall, next);
    expect(next).toHaveBeenCalledOnce();
    expect(touched).toEqual([['reads', 'common']]);
  });

  it('the step is really out of the other engine', async () => {
    const note = /task_not_recorded/;
    expect(
      await said(withStep, 'expand_tools', { query: 'tabs', taskId: '0123456789abcdef' }),
    ).toMatch(note);
    expect(
      await said(without, 'expand_tools', { query: 'tabs', taskId: '0123456789abcdef' }),
    ).not.toMatch(note);
  });

  it.each(TOOLS.filter((tool) => !isUnsteady(tool)).map((tool) => [tool.name, tool] as const))(
    '%s returns the same result with and without the envelope step',
    async (name, { examples, traits }) => {
      if (traits.ledger) await Promise.all(engines.map(tasksEnded));
      for (const example of examples) {
        if (traits.scope !== 'none' && !isFresh) await both('navigate', { url: site.origin });
        isFresh =
          traits.effect === 'read' && (isFresh || traits.scope !== 'none') && !traits.loadsPages;
        const [first, second] = await both(name, args(name, example));
        expect(first).toBe(second);
      }
    },
  );

  it.each(TOOLS.map(({ name }) => name))('%s refuses the same', async (name) => {
    const [first, second] = await both(name, { no_such_argument: 1 });
    expect(first).toBe(second);
  });

  it('the compared results are complete: pages of crawls, parts of bundles, steps of recordings', async () => {
    expect(await said(withStep, 'crawl', { url: site.origin, ...JOBS['crawl'] })).toContain(
      'Second page',
    );
    expect(
      await said(withStep, 'crawl_sitemap', { url: site.origin, ...JOBS['crawl_sitemap'] }),
    ).toContain('Second page');
    await said(withStep, 'navigate', { url: site.origin });
    expect(await said(withStep, 'oc_evidence_bundle', {})).toContain('network.har');
    expect(await said(withStep, 'recording', JOBS['recording'])).toContain(`open ${site.origin}`);
  }, 180_000);
});
