// Starts Chrome over a pipe and owns its processes, profile and ownership file until it ends.
import { statfsSync } from 'node:fs';
import { attempt } from '../../core/attempt.ts';
import { defined } from '../../core/defined.ts';
import type { Config } from '../../core/config.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import type { Log } from '../../core/log.ts';
import { Deadline } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import {
  endProcess,
  endStragglers,
  isSilentWithin,
  startProcess,
  type ChromeProcess,
} from './chrome-process.ts';
import { buildChromeFlags, isHeadless, withoutSandbox } from './flags.ts';
import { embeddedEnvironment, isEmbedded } from './embedded.ts';
import { requireChrome, type FoundChrome } from './find-chrome.ts';
import { isProfileInUse, launchFailure } from './launch-failure.ts';
import { dropOwnership, newOwnerId, ownerMark, saveOwnership } from './ownership.ts';
import { endGroup, ownIdentity } from '../../system/process-identity.ts';
import {
  acquireProfile,
  isTemporary,
  type Profile,
  type ProfileFacts,
  profileInUseFailure,
  temporaryProfile,
  savePreferences,
} from './profile.ts';
import { clearSingletonLock } from './singleton.ts';

export interface LaunchOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  /** Additional flags besides the default ones and the user's. */
  readonly flags?: readonly string[];
  /** Receives lines about a long download; the log by default. */
  readonly progress?: (line: string) => void;
  /** How long to wait for the first response. */
  readonly timeoutMs?: number;
  /**
   * Called for each started process before it responds: commands sent now are answered as soon as
   * Chrome listens.
   */
  readonly onStarted?: (started: StartedChrome) => void;
}

interface StartedChrome {
  readonly transport: Transport;
  readonly headless: boolean;
}

export interface RunningChrome {
  readonly transport: Transport;
  readonly pid: number;
  readonly binary: FoundChrome;
  /** The product that Chrome reports, such as `Chrome/156.0.8078.79`. */
  readonly version: string;
  readonly profile: ProfileFacts;
  readonly headless: boolean;
  readonly sandbox: boolean;
  /**
   * Resolves with the reason when all processes have ended and the profile is released. The
   * transport reports a crash earlier.
   */
  readonly exited: Promise<string>;
  /** Ends Chrome if necessary and waits for `exited`. */
  close(): Promise<void>;
}

const LAUNCH_MS = 30_000;

/** Larger than any message id of a connection. */
const FIRST_COMMAND = JSON.stringify({ id: 1_999_999_999, method: 'Browser.getVersion' });

export const launchChrome = async (launch: LaunchOptions): Promise<RunningChrome> => {
  const { config, home, log, signal } = launch;
  const { progress = (line: string) => log.warn(line) } = launch;
  const chrome = await requireChrome({ config, home, progress, signal });
  if (config.extension.length > 0 && chrome.product === 'headless-shell')
    throw fail('invalid_argument', '--extension needs a full Chrome, not the headless shell.', {
      argument: 'extension',
      hint: 'Install Chrome or Chromium, or set --chrome-path.',
    });
  const headless = isHeadless({
    config,
    product: chrome.product,
    platform: process.platform,
    env: process.env,
  });
  const wanted = { config, home, chrome, id: newOwnerId() };
  const profile = await acquireProfile(wanted);
  try {
    return await start(launch, { chrome, headless, id: wanted.id, profile });
  } catch (error) {
    if (isTemporary(profile) || !isProfileInUse(error)) throw error;
    // Another Chrome uses the profile, which only Chrome's own check detected.
    const substitute = await temporaryProfile(
      wanted,
      'temporary',
      profileInUseFailure(profile.dir, 'a Chrome that is already running'),
    );
    return start(launch, { chrome, headless, id: wanted.id, profile: substitute });
  }
};

interface Prepared {
  readonly chrome: FoundChrome;
  readonly headless: boolean;
  readonly id: string;
  readonly profile: Profile;
}

const start = async (
  launch: LaunchOptions,
  { chrome, headless, id, profile }: Prepared,
): Promise<RunningChrome> => {
  const { home, log } = launch;
  const leave = async (): Promise<void> => {
    await profile.release();
    await dropOwnership(home, id);
  };
  let chromeProcess: ChromeProcess | undefined;
  try {
    launch.signal?.throwIfAborted();
    await saveOwnership(
      home,
      defined({
        id,
        server: ownIdentity(),
        temporaryProfile: isTemporary(profile) ? profile.dir : undefined,
      }),
    );
    // The settings of a profile of the user are not changed, and the headless shell has none.
    if (profile.kind !== 'named' && chrome.product !== 'headless-shell')
      await savePreferences(profile.dir);
    const { flags, sandbox } = flagsFor(launch, { chrome, headless, id, profile });
    chromeProcess = await startProcess({
      path: chrome.path,
      flags,
      cwd: profile.dir,
      env: await environmentFor(chrome),
    });
    chromeProcess.transport.send(FIRST_COMMAND);
    launch.onStarted?.({ transport: chromeProcess.transport, headless });
    const version = await firstAnswer(chromeProcess, chrome, launch);
    return {
      ...manageLifetime(chromeProcess, profile, leave, log),
      binary: chrome,
      version,
      profile: toFacts(profile),
      headless,
      sandbox,
    };
  } catch (error) {
    if (chromeProcess) await endGroup(chromeProcess.pid, 0);
    await leave();
    throw error;
  }
};

const toFacts = ({ dir, kind, note }: Profile): ProfileFacts => defined({ dir, kind, note });

/** Releases the resources of Chrome when it ends, for any reason. */
const manageLifetime = (
  chromeProcess: ChromeProcess,
  { dir }: Profile,
  leave: () => Promise<void>,
  log: Log,
): Pick<RunningChrome, 'transport' | 'pid' | 'exited' | 'close'> => {
  const { transport, pid } = chromeProcess;
  const exited = chromeProcess.exited.then(async (reason) => {
    await endStragglers(chromeProcess);
    transport.close();
    await clearSingletonLock(pid, dir);
    await leave().catch((error: unknown) =>
      log.warn('Files of a previous Chrome could not be removed', error),
    );
    return reason;
  });
  const close = async (): Promise<void> => {
    await endProcess(chromeProcess);
    await exited;
  };
  return { transport, pid, exited, close };
};

const flagsFor = (
  { config, log, flags: further = [] }: LaunchOptions,
  { chrome, headless, id, profile }: Prepared,
): { flags: string[]; sandbox: boolean } => {
  const isRoot = process.getuid?.() === 0;
  const { platform } = process;
  const sandbox = !withoutSandbox({ config, platform, isRoot });
  if (!sandbox && config.sandbox !== false)
    log.warn(
      'Running as root: Chrome is started with --no-sandbox, because it cannot run as root with ' +
        'a sandbox.',
    );
  const flags = buildChromeFlags({
    config,
    product: chrome.product,
    headless,
    userDataDir: profile.dir,
    foreignProfile: profile.kind === 'named',
    ownerMark: ownerMark(id),
    platform,
    isRoot,
    smallSharedMemory: platform === 'linux' && sharedMemoryBytes() < SMALL_SHARED_MEMORY,
    hasLocale: namesLanguage(process.env),
    further,
  });
  return {
    flags,
    sandbox: sandbox && !flags.some((flag) => UNSANDBOXED.has(flag.split('=', 1)[0] ?? flag)),
  };
};

/** The user can also pass these with --chrome-arg. */
const UNSANDBOXED: ReadonlySet<string> = new Set([
  '--no-sandbox',
  '--disable-gpu-sandbox',
  '--disable-seccomp-filter-sandbox',
  '--single-process',
]);

const SMALL_SHARED_MEMORY = 256 * 1024 * 1024;

const sharedMemoryBytes = (): number =>
  attempt(() => {
    const { blocks, bsize } = statfsSync('/dev/shm');
    return blocks * bsize;
  }, 0);

const namesLanguage = (env: NodeJS.ProcessEnv): boolean =>
  /^[a-z]{2,3}(?:[_-]|$)/i.test(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '');

/**
 * Depends on the path, because an embedded Chrome that is named with --chrome-path needs its fonts
 * too.
 */
const environmentFor = async ({ path }: FoundChrome): Promise<NodeJS.ProcessEnv> =>
  isEmbedded(path) ? { ...process.env, ...(await embeddedEnvironment(path)) } : process.env;

/** The version that Chrome reports. It is the first command, so the first response. */
const firstAnswer = async (
  chromeProcess: ChromeProcess,
  chrome: FoundChrome,
  { signal, timeoutMs = LAUNCH_MS }: LaunchOptions,
): Promise<string> => {
  using deadline = new Deadline(
    timeoutMs,
    () => fail('timeout', `it did not respond within ${timeoutMs} ms`),
    signal,
  );
  try {
    return await ask(chromeProcess, deadline.signal);
  } catch (error) {
    if (signal?.aborted) throw error;
    const event = error instanceof Failure ? error.message : await howItEnded(chromeProcess);
    throw launchFailure({ path: chrome.path, event, stderr: chromeProcess.stderr() }, error);
  }
};

/** Handles the first response only; later messages go to the previous listener. */
const ask = ({ transport }: ChromeProcess, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    const { onMessage = () => {}, onClose = () => {} } = transport;
    transport.onClose = (reason) => {
      reject(new Error(reason));
      onClose(reason);
    };
    transport.onMessage = (text) => {
      Object.assign(transport, { onMessage, onClose });
      const product = productIn(text);
      if (product === undefined)
        reject(fail('chrome_launch_failed', 'its response is not the DevTools protocol'));
      else resolve(product);
    };
  });

/** Returns undefined if the text is not Chrome's response: the user can name any program. */
const productIn = (text: string): string | undefined =>
  attempt(() => {
    const { result } = JSON.parse(text) as { result?: { product?: unknown } };
    return typeof result?.product === 'string' ? result.product : undefined;
  });

const LAST_WORDS_MS = 1000;

/** The pipe closes first: waits for the rest of stderr and the exit status. */
const howItEnded = async (chromeProcess: ChromeProcess): Promise<string> => {
  await isSilentWithin(LAST_WORDS_MS, chromeProcess);
  return Promise.race([chromeProcess.exited, Promise.resolve('it closed its pipe')]);
};
