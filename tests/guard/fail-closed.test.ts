// A control that Chrome does not establish is a failure: no page is opened or used without it, and
// the health shows it.
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CdpSession } from '../../src/browser/cdp/connection.ts';
import { CdpError } from '../../src/browser/cdp/errors.ts';
import { FilterProxy } from '../../src/browser/guard/filter-proxy.ts';
import { type TestEngine, useEngine } from '../fixtures.ts';
import { lookUp, route, useSites } from './sites.ts';

const sites = useSites();
afterEach(() => void vi.restoreAllMocks());

/** Makes Chrome reject a command, as an older Chrome would. */
const rejectCommand = (refused: string, code = -32601): void => {
  const send = CdpSession.prototype.send;
  vi.spyOn(CdpSession.prototype, 'send').mockImplementation(function (
    this: CdpSession,
    method,
    ...rest
  ) {
    if (method === refused)
      return Promise.reject(new CdpError(method, code, `'${method}' was rejected`));
    return send.call(this, method, ...rest);
  });
};

const startTask = async (engine: TestEngine): Promise<string> => {
  const policy = { allowedDomains: ['localhost'] };
  return (
    await engine.json<{ task_id: string }>('oc_task_start', { objective: 'stay at home', policy })
  ).task_id;
};

interface Health {
  readonly controls: {
    readonly tabs: {
      readonly restricted: number;
      readonly controlled: number;
      readonly failures: readonly string[];
    };
  };
}

describe('With a list of domains', () => {
  const engine = useEngine(['--allow-domains', 'localhost'], { lookUp, route });

  it('a tab whose requests Chrome does not intercept is not opened, and one opened later works.', async () => {
    rejectCommand('Fetch.enable');
    const failure = await engine.failure('navigate', { url: `${sites.home}/` });
    expect(failure).toMatchObject({
      code: 'control_failed',
      message: expect.stringContaining('request interception'),
    });
    expect(sites.homePaths()).toEqual([]);
    vi.restoreAllMocks();
    expect(await engine.text('navigate', { url: `${sites.home}/` })).toContain('home');
    expect(await engine.json<Health>('oc_connection_health')).toMatchObject({
      controls: { proxy: 'on', tabs: { restricted: 1, controlled: 1, failures: [] } },
    });
  });
});

describe('In a task', () => {
  const engine = useEngine([], { lookUp, route });
  let taskId = '';
  beforeAll(async () => {
    taskId = await startTask(engine);
  });

  it.each([
    ['Fetch.enable', 'request interception'],
    ['Network.emulateNetworkConditionsByRule', 'rules for WebSockets'],
  ])(
    'no call runs in a tab on which Chrome rejects %s, and the health names the control.',
    async (command, control) => {
      await engine.text('navigate', { url: `${sites.home}/` });
      rejectCommand(command);
      const code = `document.title = 'changed'; return document.title`;
      for (let attempt = 0; attempt < 2; attempt++)
        expect(await engine.failure('javascript_tool', { code, taskId })).toMatchObject({
          code: 'control_failed',
        });
      const { controls } = await engine.json<Health>('oc_connection_health');
      expect(controls.tabs.failures.join()).toContain(control);
      vi.restoreAllMocks();
      expect(
        await engine.text('javascript_tool', { code: 'return document.title', taskId }),
      ).toContain('home');
      expect((await engine.json<Health>('oc_connection_health')).controls.tabs).toMatchObject({
        controlled: 1,
        failures: [],
      });
      await engine.text('tabs_context');
      await engine.text('read_page');
    },
  );

  it('a worker on which Chrome rejects a control does not run, and the tab is not used until it is left.', async () => {
    await engine.text('navigate', { url: `${sites.home}/`, taskId });
    rejectCommand('Network.emulateNetworkConditionsByRule', -32000);
    const code = `globalThis.said = 0; const w = new Worker('/worker.js'); w.onmessage = () => said++; w.postMessage('${sites.home}/ok'); return 1`;
    await engine.text('javascript_tool', { code, taskId });
    await expect
      .poll(async () => (await engine.reply('read_page', { taskId })).failure?.code, {
        timeout: 10_000,
      })
      .toBe('control_failed');
    vi.restoreAllMocks();
    await engine.text('navigate', { url: `${sites.home}/again`, taskId });
    expect(await engine.text('read_page', { taskId })).toContain('home');
  });
});

describe('A popup on which Chrome rejects a control', () => {
  const engine = useEngine([], { lookUp, route });

  it.each(['Fetch.enable', 'Network.emulateNetworkConditionsByRule'])(
    'loads nothing and is closed, and its opener still answers (%s).',
    async (command) => {
      const taskId = await startTask(engine);
      await engine.text('navigate', { url: `${sites.home}/opener`, taskId });
      rejectCommand(command, -32000);
      const path = `/popup-${command}`;
      const code = `window.child = open('${sites.home}${path}'); return 1`;
      await engine.reply('javascript_tool', { code, taskId });
      await expect
        .poll(
          () =>
            engine.text('javascript_tool', {
              code: 'return child.closed',
              taskId,
              timeoutMs: 5000,
            }),
          { timeout: 20_000 },
        )
        .toContain('true');
      vi.restoreAllMocks();
      expect(sites.homePaths()).not.toContain(path);
    },
  );
});

describe('A proxy that cannot listen', () => {
  const engine = useEngine([], { lookUp, route });

  it('keeps Chrome from starting, with its own failure code.', async () => {
    vi.spyOn(FilterProxy, 'start').mockRejectedValue(new Error('listen EMFILE'));
    expect(await engine.failure('navigate', { url: `${sites.home}/` })).toMatchObject({
      code: 'control_failed',
      message: expect.stringContaining('EMFILE'),
    });
    vi.restoreAllMocks();
    expect(await engine.text('navigate', { url: `${sites.home}/` })).toContain('home');
  });
});
