// The doctor: every check in order, each with one finding, whatever the others found.
import { findChrome } from '../../browser/launch/find-chrome.ts';
import { launchChrome, type RunningChrome } from '../../browser/launch/launch-chrome.ts';
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import type { Log } from '../../core/log.ts';
import type { Check, Examination, Finding } from './check.ts';
import { chromeFoundCheck } from './chrome-found.ts';
import { chromeLaunchCheck } from './chrome-launch.ts';
import { fontsCheck } from './fonts.ts';
import { homeFolderCheck } from './home-folder.ts';
import { loopbackCheck } from './loopback.ts';
import { nodeVersionCheck } from './node-version.ts';
import { sandboxCheck } from './sandbox.ts';

export type { Finding } from './check.ts';

/** What is needed comes before what needs it. */
const CHECKS: readonly Check[] = [
  nodeVersionCheck(),
  homeFolderCheck,
  loopbackCheck,
  chromeFoundCheck,
  chromeLaunchCheck,
  sandboxCheck,
  fontsCheck,
];

interface Visit {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const runDoctor = async (visit: Visit): Promise<Finding[]> => {
  const chrome = launchedOnce(visit);
  const examination: Examination = { config: visit.config, home: visit.home, signal: visit.signal, chrome: chrome.get };
  try {
    const findings: Finding[] = [];
    for (const check of CHECKS) findings.push(await examine(check, examination));
    return findings;
  } finally {
    await chrome.close();
  }
};

/** A check that breaks is a finding too, and no reason to leave the others out. */
const examine = async ({ id, run }: Check, examination: Examination): Promise<Finding> => {
  try {
    return { id, ...(await run(examination)) };
  } catch (error) {
    examination.signal.throwIfAborted();
    return { id, status: 'fail', message: `The check itself failed: ${(error as Error).message}` };
  }
};

/** Its profile is a temporary one: looking must not change, or wait for, what the user has. */
const launchedOnce = ({ config, home, log, signal }: Visit): { get: Examination['chrome']; close: () => Promise<void> } => {
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
