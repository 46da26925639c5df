// A Chrome of a user with the extension in it. The test is the user: it acts through the pipe.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { PageAnswer, PageRequest } from '../../extension/page-messages.ts';
import { buildExtension } from '../../scripts/extension.mjs';
import { createEngine } from '../../src/app.ts';
import { CdpConnection, type CdpSession } from '../../src/browser/cdp/connection.ts';
import { EXTENSION_ID } from '../../src/browser/extension/link-proof.ts';
import { endProcess, startProcess } from '../../src/browser/launch/chrome-process.ts';
import { resolveConfig } from '../../src/core/config.ts';
import type { ConsentRule } from '../../src/core/consent-rule.ts';
import { resolveHome } from '../../src/core/home.ts';
import { offerPairing } from '../../src/features/setup/pair-extension.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { engineCalls, type EngineCalls } from '../fixtures.ts';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
  '--remote-debugging-pipe',
  '--remote-debugging-port=0',
  '--enable-unsafe-extension-debugging',
  '--window-size=1200,900',
];

const POLL = { timeout: 10_000, interval: 20 };

export interface UserChrome {
  readonly root: CdpSession;
  /** A second connection for the user, by which tools such as Playwright connect. */
  readonly url: string;
  readonly isRunning: () => boolean;
  /** Runs an expression in the extension's service worker. */
  worker<T>(expression: string): Promise<T>;
  /** Crashes the page of a tab. */
  crash(targetId: string): Promise<void>;
  /** Ends the service worker as Chrome does if it needs memory. */
  killWorker(): Promise<void>;
  /** Opens a page as the user does. */
  open(url: string): Promise<UserTab>;
  /** Presses the button of the extension in Chrome's toolbar. */
  openPopup(): Promise<UserTab>;
  end(): Promise<void>;
}

export interface UserTab {
  readonly targetId: string;
  readonly session: CdpSession;
  evaluate<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

const evaluateIn = async <T>(session: CdpSession, expression: string): Promise<T> => {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
    userGesture: true,
  });
  if (exceptionDetails)
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
};

/** The user's settings for downloads. */
const writePreferences = async (folder: string): Promise<void> => {
  const path = join(folder, 'profile', 'Default');
  await mkdir(path, { recursive: true });
  const download = {
    default_directory: join(folder, 'home', 'downloads'),
    prompt_for_download: false,
  };
  // Otherwise Chrome asks the user before a page downloads a second file.
  const settings = { default_content_setting_values: { automatic_downloads: 1 } };
  await writeFile(join(path, 'Preferences'), JSON.stringify({ download, profile: settings }));
};

export const startUserChrome = async (folder: string): Promise<UserChrome> => {
  const extension = join(folder, 'extension');
  await buildExtension(extension, '1.0.0');
  await writePreferences(folder);
  const child = await startProcess({
    path: process.env['CHROME_PATH'] ?? '',
    flags: [...FLAGS, `--user-data-dir=${join(folder, 'profile')}`, 'about:blank'],
    cwd: folder,
    env: process.env,
  });
  const connection = new CdpConnection(child.transport);
  const { root } = connection;
  const attach = async (targetId: string): Promise<CdpSession> => {
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    const session = connection.session(sessionId);
    if (!session) throw new Error('Chrome attached no session.');
    return session;
  };
  const { id } = await root.send('Extensions.loadUnpacked', { path: extension });
  if (id !== EXTENSION_ID) throw new Error(`The extension has the id ${id}.`);
  const findWorker = async (): Promise<string> => {
    const { targetInfos } = await root.send('Target.getTargets', {
      filter: [{ type: 'service_worker' }],
    });
    const found = targetInfos.find(({ url }) => url.includes(EXTENSION_ID));
    if (!found) throw new Error('The service worker is not running.');
    return found.targetId;
  };
  const openPage = async (url: string): Promise<string> =>
    (await root.send('Target.createTarget', { url })).targetId;
  let worker: CdpSession | undefined;
  const runInWorker = async <T>(expression: string): Promise<T> => {
    if (!worker || worker.closed) worker = await attach(await findWorker());
    return evaluateIn(worker, expression);
  };
  const usePage = async (targetId: string): Promise<UserTab> => {
    const session = await attach(targetId);
    await vi.waitFor(async () => {
      const isLoaded = 'document.readyState === "complete" && location.href !== "about:blank"';
      if (!(await evaluateIn(session, isLoaded))) throw new Error('The page is not loaded.');
    }, POLL);
    return {
      targetId,
      session,
      evaluate: (expression) => evaluateIn(session, expression),
      close: async () => void (await root.send('Target.closeTarget', { targetId })),
    };
  };
  const findPopup = async (): Promise<string> => {
    const { targetInfos } = await root.send('Target.getTargets');
    const popup = targetInfos.find(({ url }) => url.endsWith(`${EXTENSION_ID}/popup.html`));
    if (!popup) throw new Error('The popup is not open.');
    return popup.targetId;
  };
  const [port = '', path = ''] = (
    await readFile(join(folder, 'profile', 'DevToolsActivePort'), 'utf8')
  ).split('\n');
  return {
    root,
    url: `ws://127.0.0.1:${port}${path}`,
    isRunning: () => !connection.closed,
    worker: runInWorker,
    openPopup: async () => {
      // Chrome opens no popup while the one before is closing.
      await vi.waitFor(() => runInWorker('chrome.action.openPopup()'), POLL);
      return usePage(await vi.waitFor(findPopup, POLL));
    },
    crash: async (targetId) => {
      const session = await attach(targetId);
      session.send('Page.crash').catch(() => {}); // the page does not answer
    },
    killWorker: async () => {
      const before = await findWorker();
      if (worker && !worker.closed)
        await root.send('Target.detachFromTarget', { sessionId: worker.id });
      const page = await attach(await openPage(`chrome-extension://${EXTENSION_ID}/pair.html`));
      await page.send('ServiceWorker.enable');
      await page.send('ServiceWorker.stopAllWorkers');
      await vi.waitFor(async () => {
        if ((await findWorker().catch(() => '')) === before) throw new Error('It is running.');
      }, POLL);
      await root.send('Target.closeTarget', { targetId: page.targetId ?? '' });
    },
    open: async (url) => usePage(await openPage(url)),
    end: () => endProcess(child),
  };
};

/** Acts as the user: opens the printed address, compares the digits, presses Confirm. */
export const confirmPairing = async (
  chrome: UserChrome,
  { url, digits }: { readonly url: string; readonly digits: string },
): Promise<void> => {
  const page = await chrome.open(url);
  await vi.waitFor(async () => {
    const shown = await page.evaluate<string>('document.querySelector("#digits").textContent');
    expect(shown.replace(' ', '')).toBe(digits);
  }, POLL);
  await page.evaluate('document.querySelector("#confirm").click()');
  await vi.waitFor(async () => {
    const outcome = await page.evaluate('document.querySelector("#outcome").textContent');
    expect(outcome).toBe('Paired. You can close this tab.');
  }, POLL);
  await page.close();
};

export const pair = async (chrome: UserChrome, pairingFile: string): Promise<void> => {
  const offer = await offerPairing(pairingFile);
  try {
    await Promise.all([offer.finish(AbortSignal.timeout(20_000)), confirmPairing(chrome, offer)]);
  } finally {
    await offer.close();
  }
};

/** Presses a button of the extension's own pages. */
export interface ExtensionButtons {
  press(request: PageRequest): Promise<PageAnswer>;
}

/** Opens the settings of the extension as the user does. */
export const openSettings = async (chrome: UserChrome): Promise<UserTab & ExtensionButtons> => {
  const page = await chrome.open(`chrome-extension://${EXTENSION_ID}/options.html`);
  return {
    ...page,
    press: (request) => page.evaluate(`chrome.runtime.sendMessage(${JSON.stringify(request)})`),
  };
};

export interface OwnChrome extends EngineCalls {
  readonly chrome: UserChrome;
  /** Grants a tab of the user to the default agent. */
  grant(targetId: string): Promise<void>;
  /** Another server of the user, with the same home. It ends with the file. */
  addServer(): Promise<EngineCalls & { readonly engine: Engine }>;
  readonly engine: Engine;
  readonly home: string;
  readonly folder: string;
}

interface OwnChromeOptions {
  /** The rules of the owner, which come before the default of the user's own Chrome. */
  readonly policy?: readonly ConsentRule[];
  readonly flags?: readonly string[];
}

/** An engine with `--attach extension`, and the user's Chrome, which is paired with it. */
export const useOwnChrome = ({
  policy = [{ decision: 'allow' }],
  flags = [],
}: OwnChromeOptions = {}): OwnChrome => {
  const engines: Engine[] = [];
  let folder = '';
  let chrome: UserChrome;
  let engine: Engine;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    chrome = await startUserChrome(folder);
    const home = resolveHome({ OPENCHROME_HOME: join(folder, 'home') });
    await pair(chrome, home.pairing);
    engine = startEngine();
  });
  const startEngine = (): Engine => {
    const config = resolveConfig({
      flags: ['--attach', 'extension', '--log-level', 'error', ...flags],
    });
    const home = resolveHome({ OPENCHROME_HOME: join(folder, 'home') });
    const started = createEngine({ config: { ...config, policy: [...policy] }, home });
    engines.push(started);
    return started;
  };
  afterAll(async () => {
    await Promise.all(engines.map((one) => one.stop()));
    await chrome?.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return {
    get chrome() {
      return chrome;
    },
    get engine() {
      return engine;
    },
    grant: async (targetId) => {
      const tabId = await chrome.worker<number>(
        `chrome.debugger.getTargets().then((all) =>
          all.find(({ id }) => id === ${JSON.stringify(targetId)}).tabId)`,
      );
      const settings = await openSettings(chrome);
      await settings.press({ kind: 'grant', tabId, agent: 'OpenChrome' });
      await settings.close();
    },
    addServer: async () => {
      const added = startEngine();
      return { engine: added, ...engineCalls(() => added) };
    },
    get home() {
      return join(folder, 'home');
    },
    get folder() {
      return folder;
    },
    ...engineCalls(() => engine),
  };
};
