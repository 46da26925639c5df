// Recipes of a task: a run whose action does not have the recorded kind of effect stops.
import { describe, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const shown = new Map<string, string>();

const site = useSite({ '/api': (_, response) => void response.end() });
const engine = useEngine();

interface EffectTest {
  /** Clicks "Save" on a page with this handler in a task, and saves the task as a recipe. */
  readonly record: (onclick: string) => Promise<string>;
  /** Runs the recipe on a page with this handler; returns the message of its failure. */
  readonly run: (onclick: string) => Promise<string | undefined>;
}

const startTest = (name: string): EffectTest => {
  const address = site.page(`/${name}`, (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><link rel="icon" href="data:,"><title>Page</title>
      <div id="out"></div><div role="status"></div><div role="alert"></div>
      <button type="button" onclick="${shown.get(name)}">Save</button>`);
  });
  const record = async (onclick: string): Promise<string> => {
    shown.set(name, onclick);
    const task = await engine.json<{ task_id: string }>('oc_task_start', { objective: name }, name);
    const taskId = task.task_id;
    await engine.text('navigate', { url: address, taskId }, name);
    await engine.text('interact', { action: 'click', query: 'Save', taskId }, name);
    await engine.text('oc_recipe', { name, from_task: taskId }, name);
    return engine.text('oc_recipe', { show: name }, name);
  };
  const run = async (onclick: string): Promise<string | undefined> => {
    shown.set(name, onclick);
    const { failure } = await engine.reply('oc_recipe', { run: name }, name);
    return failure?.message;
  };
  return { record, run };
};

const POST = "fetch('/api', {method: 'POST'})";
const GET = "fetch('/api')";
const STATUS = "document.querySelector('[role=status]').textContent = 'Saved'";
const ALERT = "document.querySelector('[role=alert]').textContent = 'Failed'";
const CHANGE = "out.textContent = 'Saved'";
const later = (code: string): string => `setTimeout(() => { ${code} }, 1000)`;

describe.concurrent('a run', () => {
  it.for([
    ['request', POST, 'sent: true', GET, 'sent data to the server, this one did not'],
    ['announcement', STATUS, 'announced:', CHANGE, 'an announcement (status), this one did not'],
    ['error', STATUS, 'announced:', ALERT, 'this one caused another (alert)'],
    ['change', CHANGE, 'changed: true', '', 'changed the page, this one did not'],
    ['read', GET, 'requested: true', '', 'had an effect, this one had none'],
  ] as const)(
    'stops if its click has no %s as in the recording',
    async ([name, recorded, kind, other, reason], { expect }) => {
      const { record, run } = startTest(name);
      expect(await record(recorded)).toContain(kind);
      expect(await run(recorded)).toBeUndefined();
      expect(await run(later(recorded))).toBeUndefined();
      expect(await run(other)).toContain(reason);
    },
  );

  it('continues if an action has a further effect, or had none in the recording', async ({
    expect,
  }) => {
    const { record, run } = startTest('more');
    await record(POST);
    expect(await run(`${POST}; ${STATUS}; ${CHANGE}`)).toBeUndefined();
    const none = startTest('none');
    expect(await none.record('')).toContain('receipt: {}');
    expect(await none.run(CHANGE)).toBeUndefined();
  });
});
