// A real Chrome with one tab, and pages written in the test: what the reading tests share.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { CdpConnection, requireField } from '../../src/browser/cdp/connection.ts';
import { launchChrome, type RunningChrome } from '../../src/browser/launch/launch-chrome.ts';
import { type ReadOptions, readTree } from '../../src/browser/read/read-tree.ts';
import type { Snapshot } from '../../src/browser/read/snapshot.ts';
import { navigateTo } from '../../src/browser/tabs/navigate.ts';
import { Tab } from '../../src/browser/tabs/tab.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { Failure, type FailureBody } from '../../src/core/failure.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';
import { type PageTextOptions, renderPage } from '../../src/render/page.ts';
import { type Site, useSite } from '../fixtures.ts';

export interface Reader {
  readonly site: Site;
  readonly tab: Tab;
  readonly connection: CdpConnection;
  readonly signal: AbortSignal;
  /** Opens a page with this body; waits until it has loaded. */
  open(html: string): Promise<void>;
  goto(url: string): Promise<void>;
  snapshot(options?: ReadOptions): Promise<Snapshot>;
  /** The page as text. */
  read(options?: ReadOptions & Partial<PageTextOptions>): Promise<string>;
  /** Runs an expression in the page's own world. */
  run<T = unknown>(expression: string): Promise<T>;
  newTab(): Promise<Tab>;
}

/** One Chrome for the test file, with every site in a process of its own. */
export const useReader = (): Reader => {
  const site = useSite();
  const signal = AbortSignal.timeout(600_000);
  let home = '';
  let chrome: RunningChrome;
  let connection: CdpConnection;
  let tab: Tab;
  const newTab = async (): Promise<Tab> => {
    const { targetId } = await connection.root.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await connection.root.send('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    const session = requireField(connection.session(sessionId), 'the session of a new tab');
    return Tab.attach(targetId, session, connection, true, {
      viewport: { width: 1280, height: 720 },
    });
  };
  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'openchrome-read-'));
    const config = resolveConfig({
      flags: ['--headless', '--isolated', '--chrome-arg=--site-per-process'],
      env: process.env,
    });
    const homes = { ...resolveHome({ OPENCHROME_HOME: home }), browsers: resolveHome().browsers };
    chrome = await launchChrome({ config, home: homes, log: createLog({ level: 'error' }) });
    connection = new CdpConnection(chrome.transport);
    tab = await newTab();
  });
  afterAll(async () => {
    await chrome.close();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const goto = async (url: string): Promise<void> => {
    await navigateTo(tab, url, { until: 'load', signal, patienceMs: 100_000 });
  };
  const reader: Reader = {
    site,
    signal,
    get tab() {
      return tab;
    },
    get connection() {
      return connection;
    },
    goto,
    open: (html) =>
      goto(
        site.page(
          '/',
          `<!doctype html><html lang=en><meta charset=utf-8><title>Test</title><body>${html}`,
        ),
      ),
    snapshot: (options = {}) => readTree(tab, options, signal),
    read: async ({ filter, depth, maxTokens = 1_000_000, ...options } = {}) =>
      renderPage(await readTree(tab, { ...options, maxTokens }, signal), {
        filter,
        depth,
        maxTokens,
      }),
    run: async <T>(expression: string) => {
      const { result, exceptionDetails } = await tab.cdp.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value as T;
    },
    newTab,
  };
  return reader;
};

/** The failure with which something must end. */
export const failureOf = async (work: Promise<unknown>): Promise<FailureBody['error']> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Failure) return error.toJSON().error;
    throw error;
  }
  throw new Error('it did not fail');
};
