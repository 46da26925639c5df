// Take-over: the user's input reaches the page, the actions of agents wait, and reads continue.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { UserInput } from '../../src/core/user-input.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { engineCalls, useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<title>Page</title><body style="margin:0;height:3000px">
    <button style="position:absolute;left:0;top:0;width:100px;height:40px"
      onclick="document.title='pressed ' + event.isTrusted">Press</button>
    <input aria-label="Name" style="position:absolute;left:0;top:50px;width:200px;height:30px">
    <input type="file" aria-label="File" style="position:absolute;left:0;top:100px;height:30px"
      onchange="this.files[0].text().then((text) => document.title = this.files[0].name + text)">`,
});
const engine = useEngine();
const signal = AbortSignal.timeout(60_000);

const open = async (): Promise<string> => {
  const { tabId } = await engine.json<{ tabId: string }>('navigate', { url: `${site.origin}/` });
  return tabId;
};
const press = (x: number, y: number): UserInput[] =>
  (['move', 'down', 'up'] as const).map((event) => ({ type: 'pointer', event, x, y }));
const title = (): Promise<string> => engine.text('javascript_tool', { code: 'document.title' });

it('sends pointer, keys, text and paste as real input, while agents can only read', async () => {
  const tabId = await open();
  const takeOver = await engine.engine.takeOver();
  expect(await takeOver.begin(tabId, 'viewer', signal)).toMatchObject({ active: true, tabId });
  const inputs: UserInput[] = [
    ...press(20, 20),
    ...press(20, 60),
    { type: 'key', event: 'down', key: 'a', code: 'KeyA' },
    { type: 'key', event: 'up', key: 'a', code: 'KeyA' },
    { type: 'text', text: 'é' },
    { type: 'paste', text: 'bc' },
    { type: 'wheel', x: 300, y: 300, deltaX: 0, deltaY: 200 },
  ];
  for (const input of inputs) await takeOver.input(tabId, 'viewer', input, signal);
  expect(await engine.text('read_page')).toContain('aébc');
  await engine.text('wait_for', { function: 'scrollY > 0' });
  expect(
    await engine.failure('interact', { action: 'click', query: 'Press', timeout_ms: 700 }),
  ).toMatchObject({ code: 'human_has_control', retryable: true });
  const waiting = engine.reply('interact', { action: 'hover', query: 'Press' });
  await takeOver.giveBack(tabId, 'viewer');
  expect((await waiting).failure).toBeUndefined();
  expect(await title()).toBe('pressed true');
});

it('gives chosen files to the page', async () => {
  const tabId = await open();
  const takeOver = await engine.engine.takeOver();
  await takeOver.begin(tabId, 'viewer', signal);
  const opened = takeOver.events.next('changed', ({ chooser }) => chooser !== undefined, signal);
  for (const input of press(20, 110)) await takeOver.input(tabId, 'viewer', input, signal);
  expect(await opened).toMatchObject({ chooser: { multiple: false } });
  const data = new TextEncoder().encode('content');
  await takeOver.chooseFiles(tabId, 'viewer', [{ name: '../a.txt', data }], signal);
  await takeOver.giveBack(tabId, 'viewer');
  await engine.text('wait_for', { function: 'document.title === "a.txtcontent"' });
});

it('belongs to one viewer, and ends when the viewer disconnects', async () => {
  const tabId = await open();
  const takeOver = await engine.engine.takeOver();
  await takeOver.begin(tabId, 'one', signal);
  await expect(takeOver.begin(tabId, 'two', signal)).rejects.toMatchObject({
    code: 'human_has_control',
  });
  await expect(
    takeOver.input(tabId, 'two', { type: 'text', text: 'x' }, signal),
  ).rejects.toMatchObject({ code: 'human_has_control' });
  const ended = takeOver.events.next('ended', undefined, signal);
  await takeOver.disconnect('one');
  expect(await ended).toMatchObject({ why: 'disconnected' });
  expect(takeOver.list()).toEqual([]);
});

let quick: Engine;
let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'openchrome-take-'));
  quick = createEngine({
    config: resolveConfig({ flags: ['--headless', '--isolated'], env: process.env }),
    home: { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers },
    takeOverIdleMs: 50,
  });
});
afterAll(async () => {
  await quick.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

it('ends by itself without input', async () => {
  const calls = engineCalls(() => quick);
  const { tabId } = await calls.json<{ tabId: string }>('navigate', { url: `${site.origin}/` });
  const takeOver = await quick.takeOver();
  const ended = takeOver.events.next('ended', undefined, signal);
  await takeOver.begin(tabId, 'viewer', signal);
  expect(await ended).toMatchObject({ tabId, why: 'idle' });
});
