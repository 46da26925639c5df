// Starts a daemon as a process of its own, and waits until it says that it is ready, or why it is
// not.
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Config } from '../../../core/config.ts';
import { fail, type Failure, type FailureBody } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import { abortable, Deadline } from '../../../core/time.ts';
import { openDaemonLog, tailDaemonLog } from '../../../store/config/daemon-log.ts';
import type { DaemonOrder, DaemonReport } from './start-order.ts';

/**
 * Chrome is not part of it, so a second is long; a machine with other things to do is given time.
 */
const START_MS = 30_000;
const LINES_SHOWN = 12;

interface DaemonLaunch {
  readonly home: Home;
  readonly config: Config;
  readonly environment: string;
  /** The file that Node runs. */
  readonly entry: string;
}

/** Resolves when it listens and daemon.json names it. */
export const launchDaemon = async ({
  home,
  config,
  environment,
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
    // that it could not be sent is seen by its end
    child.send({ config, environment } satisfies DaemonOrder, () => {});
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

/**
 * What keeps it from starting is said in its own words: a secrets file that is not there, for
 * instance.
 */
const ofChild = ({ code, message, ...details }: FailureBody['error']): Failure =>
  fail(code, message, details);
