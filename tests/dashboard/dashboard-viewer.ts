// A server for all tests of a file, and a viewer: an engine whose Chrome shows its dashboard.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type TestEngine, useEngine } from '../fixtures.ts';
import { type DashboardServer, makeHome, startDashboard } from './dashboard-server.ts';

interface ViewerOptions {
  /** The content of the owner's openchrome.json. */
  readonly ownerFile?: object;
}

export interface DashboardViewer {
  /** Drives the Chrome of the viewer. */
  readonly viewer: TestEngine;
  readonly server: DashboardServer;
  /** Starts another server, which ends with the file. */
  start(options: {
    home?: string;
    port?: number;
    flags?: readonly string[];
  }): Promise<DashboardServer>;
  /** Starts the server again with its home and port, after it was stopped or killed. */
  restart(): Promise<void>;
  openView(fragment: string): Promise<unknown>;
  waitFor(text: string): Promise<string>;
  waitUntil(code: string): Promise<string>;
  click(name: string): Promise<string>;
  press(...keys: string[]): Promise<void>;
  /** Presses Tab until the control whose name passes the test has the focus. */
  tabTo(isWanted: (name: string) => boolean): Promise<void>;
  /** The value that code returns in the page of the dashboard. */
  run<T>(code: string): Promise<T>;
  setWidth(width: number): Promise<string>;
  /** The violations that axe finds in the page, and the pixels by which it is too wide. */
  audit(): Promise<{ violations: readonly string[]; overflow: number }>;
}

const WAIT_MS = 20_000;
const MAX_TABS = 40;

export const useDashboard = ({ ownerFile }: ViewerOptions = {}): DashboardViewer => {
  const viewer = useEngine(['--allow-private-network']);
  let server: DashboardServer;
  const ends: (() => Promise<void>)[] = [];
  const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
  const start: DashboardViewer['start'] = async ({ home, ...options }) =>
    startDashboard({ home: home ?? (await makeHome(onEnd)), onEnd, ...options });
  beforeAll(async () => {
    const home = await makeHome(onEnd);
    if (ownerFile)
      await writeFile(join(home, 'openchrome.json'), JSON.stringify(ownerFile), { mode: 0o600 });
    server = await start({ home });
    await viewer.json('navigate', { url: server.url });
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  const run = async <T>(code: string): Promise<T> => {
    const wrapped = `return JSON.stringify((await (async () => { ${code} })()) ?? null)`;
    return JSON.parse(await viewer.text('javascript_tool', { code: wrapped })) as T;
  };
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await viewer.text('interact', { action: 'press', value: key });
  };
  const tabTo = async (isWanted: (name: string) => boolean): Promise<void> => {
    const passed: string[] = [];
    for (let i = 0; i < MAX_TABS; i++) {
      const name = await run<string>(`const focused = document.activeElement;
        return focused === document.body ? '' :
          (focused.getAttribute('aria-label') ?? focused.textContent).trim()`);
      if (isWanted(name)) return;
      passed.push(name);
      await press('Tab');
    }
    throw new Error(`no such control among ${JSON.stringify(passed)}`);
  };
  return {
    viewer,
    get server() {
      return server;
    },
    start,
    restart: async () => {
      server = await start({ home: server.home, port: server.port });
    },
    openView: (fragment) => viewer.json('navigate', { url: `${server.origin}/#/${fragment}` }),
    waitFor: (text) => viewer.text('wait_for', { text, timeout_ms: WAIT_MS }),
    waitUntil: (code) => viewer.text('wait_for', { function: code, timeout_ms: WAIT_MS }),
    click: (name) => viewer.text('act', { instruction: `click "${name}"` }),
    press,
    tabTo,
    run,
    setWidth: (width) => viewer.text('emulate', { viewport: { width, height: 800 } }),
    audit: async () => {
      if (!(await run<boolean>('return "axe" in window'))) await run(await readAxe());
      return run(
        `const { violations } = await axe.run(document);
         return { violations: violations.map(({ id, nodes }) => id + ': ' + nodes[0].html),
           overflow: document.documentElement.scrollWidth - innerWidth }`,
      );
    },
  };
};

/** A script that defines `axe` in its document, which all views share. */
const readAxe = (): Promise<string> =>
  readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** True when the live view shows a picture of each tab in its window. */
export const HAS_PICTURE =
  'document.querySelector("canvas")?.width > 300 && !document.querySelector(".picture-note")';
