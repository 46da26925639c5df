// `openchrome daemon run`: receives its start order, reports when it is ready, and serves.
import { once } from 'node:events';
import type { Config } from '../../../core/config.ts';
import { toFailure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import type { ProcessIdentity } from '../../../system/process-identity.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { createLogWriter } from '../../../store/config/daemon-log.ts';
import { Daemon } from './daemon.ts';
import type { DaemonOrder, DaemonReport } from './ensure-daemon.ts';

interface DaemonProcess {
  readonly home: Home;
  readonly own: ProcessIdentity;
  readonly loadEngine: (config: Config) => Promise<(config: Config) => Engine>;
}

/** Resolves when the daemon has ended and the process may exit. */
export const serveDaemon = async (parts: DaemonProcess): Promise<void> => {
  const order = await receiveOrder();
  if (!order) return;
  const log = createLogWriter(parts.home.daemonLog);
  process.stderr.write = (text: string | Uint8Array): boolean => {
    log(text.toString());
    return true;
  };
  try {
    const createEngine = await parts.loadEngine(order.config);
    const daemon = new Daemon({ ...parts, ...order, createEngine, log });
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => void daemon.stop(`it got ${signal}`));
    process.on('SIGHUP', () => {}); // the daemon outlives the terminal it was started from
    await daemon.begin();
    await report({ ready: true });
    await daemon.ended;
  } catch (error) {
    await report({ failure: toFailure(error, (defect) => explain(defect, log)).toJSON().error });
    throw error;
  }
};

const explain = (defect: unknown, log: (line: string) => void): string => {
  const details = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
  log(`daemon cannot start: ${details}`);
  return 'daemon.log';
};

/** Returns undefined without a parent process, or if it disconnects before it sends the order. */
const receiveOrder = async (): Promise<DaemonOrder | undefined> => {
  if (!process.connected) return undefined;
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort());
  const [order] = await once(process, 'message', { signal: gone.signal }).catch(() => [undefined]);
  return order as DaemonOrder | undefined;
};

/** Sends the report to the parent, if it is still connected, and disconnects. */
const report = (message: DaemonReport): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      if (process.connected) process.disconnect();
      resolve();
    };
    if (process.connected && process.send) process.send(message, undefined, {}, done);
    else done();
  });
