// Runs all checks of `openchrome doctor` in order; each returns one finding.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { CdpConnection } from '../../browser/cdp/connection.ts';
import { canEmbed } from '../../browser/launch/embedded.ts';
import { findChrome } from '../../browser/launch/find-chrome.ts';
import { launchChrome, type RunningChrome } from '../../browser/launch/launch-chrome.ts';
import type { Config } from '../../core/config.ts';
import { defined } from '../../core/defined.ts';
import { Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import type { Log } from '../../core/log.ts';
import { monotonicMs } from '../../core/time.ts';
import { isOpenToOthers, probeFolder } from '../../system/private-files.ts';
import {
  type Check,
  configFilesCheck,
  diskCheck,
  type DoctorFinding,
  type Examination,
  hostsCheck,
  nodeVersionCheck,
  versionCheck,
} from './installation.ts';

const SOURCES = {
  flag: 'as configured',
  system: 'found on this machine',
  installed: 'installed by OpenChrome',
  embedded: 'embedded',
} as const;

const NO_CHROME_YET = [
  'No Chrome on this machine yet:',
  'a headless one is downloaded with npm when it is first needed.',
].join(' ');

const INSTALL_CHROME = 'openchrome install-browser';

const NOT_TRIED = {
  status: 'warn',
  message: 'Not tried: no Chrome could be started.',
  fix: INSTALL_CHROME,
} as const;

const chromeFoundCheck: Check = {
  id: 'chrome',
  run: async (examination) => {
    try {
      const chrome = await findChrome(examination);
      if (chrome)
        return {
          status: 'ok',
          message: `${chrome.product} ${SOURCES[chrome.source]}: ${chrome.path}`,
        };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { message, hint } = error.toJSON().error;
      return defined({ status: 'fail', message, fix: hint });
    }
    const fix = INSTALL_CHROME;
    return canEmbed()
      ? {
          status: 'warn',
          message: NO_CHROME_YET,
          fix,
        }
      : {
          status: 'fail',
          message: 'No Chrome, Chromium, Edge or Brave was found on this machine.',
          fix,
        };
  },
};

const tryToListen = async (host: string, port: number): Promise<void> => {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

const loopbackCheck: Check = {
  id: 'ports',
  run: async ({ config }) => {
    const places: [host: string, port: number][] = [['127.0.0.1', 0]];
    if (config.http !== undefined) places.push([config.host, config.http]);
    for (const [host, port] of places) {
      try {
        await tryToListen(host, port);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const taken = code === 'EADDRINUSE';
        const reason = taken ? 'another process uses it' : message;
        return {
          status: 'fail',
          message: `${host}:${port} is not available: ${reason}`,
          fix: taken
            ? 'openchrome serve --http 0 (any free port)'
            : 'Allow local connections for Node in the firewall.',
        };
      }
    }
    const names = places.map(([host, port]) => (port ? `${host}:${port}` : host));
    return { status: 'ok', message: `can listen on ${names.join(' and ')}` };
  },
};

const MEASURE = `(() => {
  const line = document.body.appendChild(document.createElement('span'));
  line.textContent = 'The quick brown fox';
  return line.getBoundingClientRect().width;
})()`;

const fontsCheck: Check = {
  id: 'fonts',
  run: async ({ chrome, signal }) => {
    const running = await chrome().catch(() => undefined);
    if (!running) return NOT_TRIED;
    const connection = new CdpConnection(running.transport);
    const { targetId } = await connection.root.send(
      'Target.createTarget',
      { url: 'about:blank' },
      signal,
    );
    const { sessionId } = await connection.root.send(
      'Target.attachToTarget',
      { targetId, flatten: true },
      signal,
    );
    const { result } =
      (await connection
        .session(sessionId)
        ?.send('Runtime.evaluate', { expression: MEASURE, returnByValue: true }, signal)) ?? {};
    if (typeof result?.value === 'number' && result.value > 0)
      return { status: 'ok', message: 'text has a size' };
    return {
      status: 'fail',
      message: 'No font is installed: text has no size, and pages appear empty.',
      fix: 'sudo apt-get install fonts-liberation (or another font package)',
    };
  },
};

const chromeLaunchCheck: Check = {
  id: 'launch',
  run: async ({ chrome }) => {
    const startedAt = monotonicMs();
    try {
      const running = await chrome();
      if (!running) return NOT_TRIED;
      const how = running.headless ? 'without a window' : 'with a window';
      const tookMs = Math.round(monotonicMs() - startedAt);
      return { status: 'ok', message: `${running.version} answered ${how} after ${tookMs} ms` };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { message, stderr } = error.toJSON().error as { message: string; stderr?: unknown };
      const lastLine =
        typeof stderr === 'string' && stderr !== ''
          ? ` Its output: ${stderr.split('\n').at(-1)}`
          : '';
      return { status: 'fail', message: `${message}${lastLine}`, fix: fixFor(error) };
    }
  },
};

/** Returns the fix for a failed launch. The general hint, to run the doctor, does not help here. */
const fixFor = ({ code, details, kind }: Failure): string => {
  if (details.hint !== undefined) return details.hint;
  if (code !== 'chrome_launch_failed' && kind.hint !== undefined) return kind.hint;
  return 'Use another Chrome: "openchrome install-browser", or set --chrome-path.';
};

const formatHomeFix = (root: string): string =>
  `chmod -R u+rwX "${root}", free some space, or set OPENCHROME_HOME to another folder`;

/** Checks that the home folder is writable and not readable by other users. */
const homeFolderCheck: Check = {
  id: 'home',
  run: async ({ home: { root } }) => {
    try {
      await probeFolder(root);
    } catch (error) {
      return {
        status: 'fail',
        message: `The home folder ${root} cannot be written: ${(error as Error).message}`,
        fix: formatHomeFix(root),
      };
    }
    if (await isOpenToOthers(root))
      return {
        status: 'warn',
        message: `Other users of this machine can read ${root}.`,
        fix: `chmod 700 "${root}"`,
      };
    return { status: 'ok', message: `${root} is writable` };
  },
};

/** Checks that Chrome's sandbox is on. */
const sandboxCheck: Check = {
  id: 'sandbox',
  run: async ({ chrome, config }) => {
    const running = await chrome().catch(() => undefined);
    if (!running) return NOT_TRIED;
    if (running.sandbox) return { status: 'ok', message: 'Chrome runs in its sandbox' };
    return config.sandbox === false
      ? {
          status: 'warn',
          message: 'The sandbox is switched off by configuration.',
          fix: 'openchrome daemon restart --sandbox',
        }
      : {
          status: 'warn',
          message: 'Chrome runs without its sandbox, because the user is root.',
          fix: 'sudo -u USER openchrome daemon restart (as an ordinary user)',
        };
  },
};

export type { DoctorFinding as Finding } from './installation.ts';

/** A check comes after those that it depends on. */
const CHECKS: readonly Check[] = [
  versionCheck,
  nodeVersionCheck(),
  homeFolderCheck,
  loopbackCheck,
  chromeFoundCheck,
  chromeLaunchCheck,
  sandboxCheck,
  fontsCheck,
  configFilesCheck,
  hostsCheck,
  diskCheck,
];

interface DoctorContext {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const runDoctor = async (visit: DoctorContext): Promise<DoctorFinding[]> => {
  const chrome = launchedOnce(visit);
  const examination: Examination = {
    config: visit.config,
    home: visit.home,
    signal: visit.signal,
    chrome: chrome.get,
  };
  try {
    const findings: DoctorFinding[] = [];
    for (const check of CHECKS) findings.push(await examine(check, examination));
    findings.push(...(await examineDatabase(visit)));
    return findings;
  } finally {
    await chrome.close();
  }
};

/** Only with --cluster, which loads the code of the database. */
const examineDatabase = async ({ config, log }: DoctorContext): Promise<DoctorFinding[]> => {
  if (config.cluster === undefined) return [];
  const { examineCluster } = await import('../../store/cluster/examine-cluster.ts');
  return examineCluster(config.cluster, log);
};

/** An error in a check becomes a finding, so that the other checks still run. */
const examine = async ({ id, run }: Check, examination: Examination): Promise<DoctorFinding> => {
  try {
    return { id, ...(await run(examination)) };
  } catch (error) {
    examination.signal.throwIfAborted();
    const message = `The check itself failed: ${(error as Error).message}`;
    return { id, status: 'fail', message, fix: 'openchrome doctor --log-level debug' };
  }
};

/**
 * Launches Chrome at most once, with a temporary profile, so that the user's profile stays
 * unchanged and is not locked.
 */
const launchedOnce = ({
  config,
  home,
  log,
  signal,
}: DoctorContext): { get: Examination['chrome']; close: () => Promise<void> } => {
  let launch: Promise<RunningChrome | undefined> | undefined;
  const start = async (): Promise<RunningChrome | undefined> => {
    if (!(await findChrome({ config, home }))) return undefined;
    return launchChrome({ config: { ...config, isolated: true }, home, log, signal });
  };
  return {
    get: () => (launch ??= start()),
    close: async () => (await launch?.catch(() => undefined))?.close(),
  };
};
