// A real Chrome for the traffic tests: its tabs are watched by a recorder and an interception,
// frames and workers included.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CdpConnection, requireField, type CdpSession } from '../../src/browser/cdp/connection.ts';
import { launchChrome, type RunningChrome } from '../../src/browser/launch/launch-chrome.ts';
import { Interception, type InterceptionOptions } from '../../src/browser/traffic/interception.ts';
import type { Source } from '../../src/browser/traffic/request-record.ts';
import type { RequestRecord } from '../../src/browser/traffic/request-record.ts';
import { Traffic, type TrafficOptions } from '../../src/browser/traffic/traffic.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';

export interface TabOptions extends TrafficOptions, InterceptionOptions {
  /** False turns the recorder off, for comparison. */
  readonly recorded?: boolean;
}

export class TestTab {
  readonly traffic: Traffic;
  readonly interception: Interception;
  readonly sessions: { readonly session: CdpSession; readonly source: Source }[] = [];

  constructor(
    readonly targetId: string,
    readonly page: CdpSession,
    private readonly connection: CdpConnection,
    private readonly options: TabOptions,
  ) {
    this.traffic = new Traffic(options);
    this.interception = new Interception({
      onDecision: (decision) => this.traffic.markIntercepted(decision),
      ...(options.onHandlerError ? { onHandlerError: options.onHandlerError } : {}),
    });
  }

  /**
   * What the browser room's tab does, in little: all commands are sent at once, the last lets the
   * target run.
   */
  watch(session: CdpSession, source: Source): Promise<unknown> {
    this.sessions.push({ session, source });
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      const child = this.connection.session(sessionId);
      const kind = targetInfo.type === 'iframe' ? 'iframe' : 'worker';
      if (child) void this.watch(child, { kind, targetId: targetInfo.targetId }).catch(() => {});
    });
    return Promise.all([
      source.kind === 'worker' ? undefined : session.send('Page.enable'),
      source.kind === 'worker' ? undefined : session.send('Runtime.enable'),
      this.options.recorded === false ? undefined : this.traffic.watch(session, source),
      this.interception.watch(session),
      session.send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
      }),
      session.send('Runtime.runIfWaitingForDebugger'),
    ]);
  }

  /**
   * Navigates and waits for the load event; returns the document's loader, and the net error when
   * there is one.
   */
  async goto(url: string): Promise<{ loaderId: string; errorText: string | undefined }> {
    const loaded = this.page.next('Page.loadEventFired', AbortSignal.timeout(20_000));
    loaded.catch(() => {});
    const { loaderId, errorText } = await this.page.send('Page.navigate', { url });
    if (errorText !== 'net::ERR_ABORTED') await loaded;
    return { loaderId: requireField(loaderId, 'the loader of a navigation'), errorText };
  }

  /**
   * Runs the body of an async function in the page and returns its result; a rejection becomes its
   * text.
   */
  async run<T = unknown>(body: string): Promise<T> {
    const expression = `(async () => { ${body}\n })().catch((error) => 'rejected: ' + error)`;
    const { result } = await this.page.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value as T;
  }

  /** The newest request whose address contains the text, once it has ended. */
  async ended(part: string): Promise<RequestRecord> {
    const { events } = this.traffic;
    const signal = AbortSignal.timeout(20_000);
    const find = (): RequestRecord | undefined => this.all(part).at(-1);
    const isIt = (record: RequestRecord): boolean => record.url.includes(part);
    for (let record = find(); ; record = find()) {
      if (record?.ended) return record;
      if (!record) await events.next('request', isIt, signal);
      else
        await Promise.race([
          events.next('finished', isIt, signal),
          events.next('failed', isIt, signal),
        ]);
    }
  }

  /** Every request whose address contains the text, oldest first. */
  all(part: string): RequestRecord[] {
    return [...this.traffic.requests].filter((record) => record.url.includes(part));
  }
}

export interface TestChrome {
  openTab(options?: TabOptions): Promise<TestTab>;
}

/** One Chrome for the test file. */
export const useChrome = (): TestChrome => {
  let home: string;
  let chrome: RunningChrome;
  let connection: CdpConnection;
  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'openchrome-traffic-'));
    // Chrome isolates frames from other sites in processes of their own; the embedded one does so
    // only with a flag.
    const config = resolveConfig({
      flags: ['--headless', '--isolated', '--chrome-arg=--site-per-process'],
      env: process.env,
    });
    const homes = { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers };
    chrome = await launchChrome({ config, home: homes, log: createLog({ level: 'error' }) });
    connection = new CdpConnection(chrome.transport);
  });
  afterAll(async () => {
    await chrome.close();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return {
    openTab: async (options = {}) => {
      const { targetId } = await connection.root.send('Target.createTarget', {
        url: 'about:blank',
      });
      const { sessionId } = await connection.root.send('Target.attachToTarget', {
        targetId,
        flatten: true,
      });
      const tab = new TestTab(
        targetId,
        requireField(connection.session(sessionId), 'the session of a new tab'),
        connection,
        options,
      );
      await tab.watch(tab.page, { kind: 'page', targetId });
      return tab;
    },
  };
};
