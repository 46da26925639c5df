// Starts a daemon process and waits until it reports that it is ready or why it failed.
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Config, ConfigOrigins } from '../../../core/config.ts';
import { fail, type Failure, type FailureBody } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import { abortable, Deadline } from '../../../core/time.ts';
import { openDaemonLog, tailDaemonLog } from '../../../store/config/daemon-log.ts';
import type { DaemonOrder, DaemonReport } from './start-order.ts';

/** Timeout of a start, which takes less than a second on an idle machine (Chrome starts later). */
const START_MS = 30_000;
const LINES_SHOWN = 12;

interface DaemonLaunch {
  readonly home: Home;
  readonly config: Config;
  readonly environment: string;
  readonly sources?: ConfigOrigins;
  readonly entry: string;
}

/** Resolves when the daemon listens and is named in daemon.json. */
export const launchDaemon = async ({
  home,
  config,
  environment,
  sources = {},
  entry,
}: DaemonLaunch): Promise<void> => {
  const log = openDaemonLog(home.daemonLog);
  const child = spawn(process.execPath, [entry, 'daemon', 'run'], {
    detached: true,
    windowsHide: true,
    cwd: resolve(home.root),
    env: {
      ...process.env,
      OPENCHROME_HOME: resolve(home.root),
      OPENCHROME_TASK_ROOT: resolve(home.tasks),
    },
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  const said = (): string[] =>
    tailDaemonLog(home.daemonLog, { lines: LINES_SHOWN, from: log.size });
  const notStarted = (why: string): Failure =>
    fail('daemon_start_failed', `The daemon did not start: ${why}.`, {
      log: said(),
      log_file: home.daemonLog,
    });
  using deadline = new Deadline(START_MS, () =>
    notStarted(`it was not ready within ${START_MS / 1000} s`),
  );
  try {
    const report = reportOf(child, notStarted);
    // a failed send is noticed by the exit of the child
    child.send({ config, environment, sources } satisfies DaemonOrder, () => {});
    const outcome = await abortable(report, deadline.signal);
    if ('failure' in outcome) throw ofChild(outcome.failure);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    log.close();
    if (child.connected) child.disconnect();
    child.unref();
  }
};

const reportOf = (
  child: ChildProcess,
  notStarted: (why: string) => Failure,
): Promise<DaemonReport> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as DaemonReport));
    child.once('error', (error) => reject(notStarted(error.message)));
    child.once('exit', (code, signal) =>
      reject(notStarted(signal ? `it was ended by ${signal}` : `it ended with status ${code}`)),
    );
  });

/** The daemon's own failure, for example a missing secrets file. */
const ofChild = ({ code, message, ...details }: FailureBody['error']): Failure =>
  fail(code, message, details);
