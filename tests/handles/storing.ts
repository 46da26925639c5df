// A process that stores payloads: over and over until it is killed, or once, on a disk that has no
// room.
import { createLog } from '../../src/core/log.ts';
import { Failure } from '../../src/core/failure.ts';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import { jsonPayload, textPayload } from '../../src/store/handles/handle-payload.ts';
import { Handles } from '../../src/store/handles/handles.ts';
import { PayloadFiles } from '../../src/store/handles/payload-files.ts';

const [, , mode, folder = '', bytes = '0'] = process.argv;
const handles = new Handles({
  payloads: new PayloadFiles(folder),
  ttlMs: 3_600_000,
  maxTotalBytes: 2 ** 31,
  sweepEveryMs: 300_000,
  log: createLog({ level: 'error' }),
  workers: new WorkerPool(),
});

/** Prints at once, as a server replies: a printed handle must exist after a kill. */
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const storeOnce = async (size: number): Promise<void> => {
  try {
    const { output_handle: handle } = await handles.store(textPayload('x'.repeat(size)), 'test');
    tell({ handle });
  } catch (error) {
    tell({ failure: error instanceof Failure ? error.toJSON() : String(error) });
  }
};

const storeOn = async (): Promise<never> => {
  tell({ ready: true });
  for (let i = 0; ; i++) {
    const size = [10, 5000, 200_000, 3_000_000][i % 4] ?? 0;
    const items = Array.from({ length: Math.ceil(size / 100) }, (_, n) => ({
      n,
      text: 'y'.repeat(80),
    }));
    const { output_handle: handle, item_count: count } = await handles.store(
      jsonPayload(items),
      'test',
    );
    tell({ handle, count });
  }
};

await (mode === 'once' ? storeOnce(Number(bytes)) : storeOn());
