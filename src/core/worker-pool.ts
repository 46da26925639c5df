// A bounded pool of worker threads for CPU-heavy work, so that the event loop stays free.
import { availableParallelism } from 'node:os';
import { type MessagePort, Worker } from 'node:worker_threads';
import { defined } from './defined.ts';
import { fail, type Failure } from './failure.ts';
import { after, Deadline } from './time.ts';

/** The code of a thread. It answers every message with exactly one message. */
export interface WorkerScript {
  readonly name: string;
  /** The bundled source (`worker-script:NAME`), loaded when the first job needs it. */
  readonly loadSource: () => Promise<string>;
  /**
   * Limit of a thread's JavaScript heap. A job that exceeds it fails, and the thread is replaced.
   */
  readonly maxHeapMb: number;
  /**
   * Size of the heap's part for new objects; by default that of Node. With a larger one, fewer
   * objects of a job are copied before they become garbage.
   */
  readonly youngHeapMb?: number;
}

interface WorkerJobOptions {
  /** Time limit of the job after it gets a thread; then the thread is terminated. */
  readonly timeoutMs: number;
  readonly onTimeout?: () => Failure;
  readonly signal?: AbortSignal | undefined;
  /** A background job runs after all other jobs and never uses the last thread. */
  readonly background?: boolean;
  /**
   * Terminate the thread after the job instead of reusing it, because the job leaves much memory.
   */
  readonly retireThread?: boolean | ((answer: unknown) => boolean);
  /** Ports in the request that move to the thread. */
  readonly transfer?: readonly MessagePort[];
}

interface WorkerPoolLimits {
  /** Jobs of all scripts that run at the same time. At least 2. */
  readonly maxThreads: number;
  /** Idle threads that are kept in addition while `maxThreads` others exist. */
  readonly spareThreads: number;
  /** Jobs that may wait for a thread; further ones are rejected with `overloaded`. */
  readonly maxQueued: number;
  /** An idle thread is terminated after this time. */
  readonly idleMs: number;
}

/** Leaves one core to the event loop, and one thread to jobs that are not in the background. */
const defaultLimits = (): WorkerPoolLimits => ({
  maxThreads: Math.min(4, Math.max(1, availableParallelism() - 1)) + 1,
  spareThreads: 0,
  maxQueued: 512,
  idleMs: 10_000,
});

interface QueuedJob {
  readonly background: boolean;
  readonly admit: () => void;
  readonly reject: (reason: Failure) => void;
}

/** A running job's share of the thread limit; `release` is idempotent. */
interface Slot {
  release(): void;
}

export class WorkerPool {
  readonly #limits: WorkerPoolLimits;
  /** Sorted by idle time, the longest first. */
  readonly #idle: Thread[] = [];
  readonly #queue: QueuedJob[] = [];
  readonly #deadlines = new Set<Deadline>();
  #closedWith: Failure | undefined;
  #running = 0;
  #runningInBackground = 0;

  constructor(limits: Partial<WorkerPoolLimits> = {}) {
    this.#limits = { ...defaultLimits(), ...limits };
  }

  /** Counts of running jobs, idle threads and queued jobs. */
  get load(): { readonly running: number; readonly idle: number; readonly queued: number } {
    return { running: this.#running, idle: this.#idle.length, queued: this.#queue.length };
  }

  /** Runs one job in a thread of the script and returns the thread's response. */
  async run<Answer>(
    script: WorkerScript,
    request: unknown,
    options: WorkerJobOptions,
  ): Promise<Answer> {
    const slot = await this.#acquireSlot(options.background === true, options.signal);
    using deadline = new Deadline(options.timeoutMs, options.onTimeout, options.signal);
    this.#deadlines.add(deadline);
    let thread: Thread | undefined;
    let reusable = false;
    try {
      thread = await this.#takeThread(script);
      const answer = await thread.ask(request, deadline.signal, options.transfer);
      reusable = !shouldRetire(options, answer);
      return answer as Answer;
    } finally {
      this.#deadlines.delete(deadline);
      if (thread && reusable && !this.#closedWith) {
        this.#keep(thread);
        slot.release();
      } else {
        // Releases the slot only after the thread has ended, so that the thread limit is exact.
        void (thread?.terminate() ?? Promise.resolve()).finally(() => slot.release());
      }
    }
  }

  /** Rejects waiting and running jobs and terminates all threads. */
  async close(): Promise<void> {
    const reason = (this.#closedWith ??= fail('engine_stopped', 'The engine was stopped.'));
    for (const job of this.#queue.splice(0)) job.reject(reason);
    for (const deadline of this.#deadlines) deadline.abort(reason);
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()));
  }

  async #acquireSlot(background: boolean, signal: AbortSignal | undefined): Promise<Slot> {
    signal?.throwIfAborted();
    if (this.#closedWith) throw this.#closedWith;
    if (!this.#mayStart(background)) await this.#waitInQueue(background, signal);
    else this.#count(background, 1);
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        this.#count(background, -1);
        this.#admitNext();
      },
    };
  }

  #waitInQueue(background: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { maxQueued } = this.#limits;
    if (this.#queue.length >= maxQueued)
      throw fail('overloaded', `${maxQueued} jobs are already waiting for a worker thread.`);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(job), 1);
        reject(signal?.reason as Error);
      };
      const job: QueuedJob = {
        background,
        admit: () => {
          signal?.removeEventListener('abort', leave);
          this.#count(background, 1);
          resolve();
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      this.#queue.push(job);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #admitNext(): void {
    for (const background of [false, true]) {
      while (this.#mayStart(background)) {
        const at = this.#queue.findIndex((job) => job.background === background);
        if (at < 0) break;
        this.#queue.splice(at, 1)[0]?.admit();
      }
    }
  }

  #mayStart(background: boolean): boolean {
    const { maxThreads } = this.#limits;
    return (
      this.#running < maxThreads && (!background || this.#runningInBackground < maxThreads - 1)
    );
  }

  #count(background: boolean, by: 1 | -1): void {
    this.#running += by;
    if (background) this.#runningInBackground += by;
  }

  /**
   * Returns an idle thread of the script or creates one; may terminate an idle thread of another
   * script.
   */
  async #takeThread(script: WorkerScript): Promise<Thread> {
    const at = this.#idle.findLastIndex((thread) => thread.script === script);
    const [kept] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (kept) return kept;
    const { maxThreads, spareThreads } = this.#limits;
    const isFull = this.#running + this.#idle.length > maxThreads + spareThreads;
    if (isFull) await this.#idle.shift()?.terminate();
    return new Thread(script, await script.loadSource());
  }

  #keep(thread: Thread): void {
    this.#idle.push(thread);
    thread.rest(this.#limits.idleMs, () => {
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
  }
}

const shouldRetire = ({ retireThread = false }: WorkerJobOptions, answer: unknown): boolean =>
  typeof retireThread === 'function' ? retireThread(answer) : retireThread;

class Thread {
  readonly #worker: Worker;
  #idleTimer: Disposable | undefined;
  #onEnd: (() => void) | undefined;

  constructor(
    readonly script: WorkerScript,
    source: string,
  ) {
    this.#worker = new Worker(source, {
      eval: true,
      name: script.name,
      resourceLimits: defined({
        maxOldGenerationSizeMb: script.maxHeapMb,
        maxYoungGenerationSizeMb: script.youngHeapMb,
      }),
      env: {}, // a job's message contains all its input
      execArgv: [],
      stdout: true, // stdout is reserved for the protocol
    });
    this.#worker.on('error', () => {}); // 'exit' removes an idle thread that fails
    this.#worker.on('exit', () => this.#onEnd?.());
  }

  ask(
    request: unknown,
    signal: AbortSignal,
    transfer: readonly MessagePort[] = [],
  ): Promise<unknown> {
    const worker = this.#worker;
    this.#idleTimer?.[Symbol.dispose]();
    this.#onEnd = undefined;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        worker.off('message', onAnswer).off('error', onError).off('exit', onExit);
        signal.removeEventListener('abort', onAbort);
        end();
      };
      const onAnswer = (answer: unknown): void => settle(() => resolve(answer));
      const onError = (error: Error): void => settle(() => reject(error));
      const onExit = (): void =>
        settle(() => reject(new Error(`the thread ${this.script.name} exited without a result`)));
      const onAbort = (): void => settle(() => reject(signal.reason as Error));
      if (signal.aborted) return onAbort();
      worker.ref();
      worker.on('message', onAnswer).on('error', onError).on('exit', onExit);
      signal.addEventListener('abort', onAbort, { once: true });
      worker.postMessage(request, transfer);
    });
  }

  /**
   * Waits for the next job without keeping the process alive; `onEnd` runs if the thread ends in
   * the meantime.
   */
  rest(idleMs: number, onEnd: () => void): void {
    this.#worker.unref();
    this.#onEnd = onEnd;
    this.#idleTimer = after(idleMs, () => {
      onEnd();
      void this.terminate();
    });
  }

  async terminate(): Promise<void> {
    this.#idleTimer?.[Symbol.dispose]();
    await this.#worker.terminate();
  }
}

/** Whether a job failed because its thread reached the heap limit. */
export const isWorkerOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
