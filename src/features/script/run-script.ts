// Runs a script in a sandbox: starts its thread, makes its calls, and collects what failed.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { defined } from '../../core/defined.ts';
import { fail, Failure, toFailure } from '../../core/failure.ts';
import { parseJson, stringifyInSlices } from '../../core/json.ts';
import { cutToCharacters } from '../../core/text.ts';
import { abortable, after, Deadline, sleep } from '../../core/time.ts';
import type { WorkerPool, WorkerScript } from '../../core/worker-pool.ts';
import { Slots } from '../tasks/slots.ts';
import { buildCallValue, type InnerEffects, type InnerReply } from './inner-call.ts';
import {
  MAX_COMPUTING_MS,
  MAX_LOG_CHARS,
  MAX_LOG_LINES,
  MAX_VALUE_CHARS,
  type PrepareOrder,
  SCRIPT_CPU_MS,
  SCRIPT_MEMORY_BYTES,
  type ScriptDelivery,
  type ScriptEnd,
  type ScriptLimit,
  type ScriptOrder,
  type ScriptRequest,
} from './script-messages.ts';

/** A message of a script that gets an answer. */
type AnsweredRequest = Extract<ScriptRequest, { readonly id: number }>;

const SCRIPT_THREAD: WorkerScript = {
  name: 'script',
  loadSource: async () => (await import('worker-script:script')).default,
  maxHeapMb: 128,
};

/** The calls of one script that run at the same time; further ones wait. */
const AT_ONCE = 16;
/** A larger result of a call would fill the memory of the script. */
const MAX_RESULT_CHARS = 16_000_000;
/** The time between the end of the script and the end of its thread. */
const END_MS = 2_000;
/** Preparing takes 0.2 s on an idle machine. */
const PREPARE_MS = 30_000;

/** Preparations that have not ended, by the pool of their thread. */
const preparations = new WeakMap<WorkerPool, Promise<void>>();

/**
 * Starts a thread and creates the sandbox of its first script. A script that starts in the meantime
 * waits for this thread.
 */
export const prepareScripts = (threads: WorkerPool): Promise<void> => {
  const preparation = startPreparation(threads).finally(() => preparations.delete(threads));
  preparations.set(threads, preparation);
  return preparation;
};

const startPreparation = async (threads: WorkerPool): Promise<void> => {
  const { running, idle } = threads.load;
  if (running + idle > 0) return; // a script has been here first
  const order: PrepareOrder = { kind: 'prepare', quickjsFile: await findQuickjs() };
  try {
    await threads.run(SCRIPT_THREAD, order, { timeoutMs: PREPARE_MS });
  } catch (error) {
    // the engine has stopped, or the machine is overloaded: a script starts its own thread
    if (!(error instanceof Failure)) throw error;
  }
};

const findQuickjs = async (): Promise<string> => (await import('quickjs-file')).default;

export interface ScriptRequestOptions {
  readonly code: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly maxCalls: number;
  /** The names of the functions that the script can call. */
  readonly tools: readonly string[];
  readonly threads: WorkerPool;
  readonly call: (name: string, args: unknown, signal: AbortSignal) => Promise<InnerReply>;
  readonly effects: InnerEffects;
  /** Gets one line per call that opened a page or acted. */
  readonly onDone: (line: string) => void;
  readonly logDefect: (error: unknown) => string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A call of a script that failed, whether or not the script caught its error. */
export interface FailedScriptCall {
  readonly tool: string;
  readonly line?: number;
  readonly code: string;
  readonly message: string;
}

export interface ScriptOutcome {
  readonly value: unknown;
  readonly calls: number;
  readonly failed: readonly FailedScriptCall[];
  readonly log: readonly string[];
  /** Distinct notes of the calls. */
  readonly notes: readonly string[];
}

/** Returns the value of the script. `report` also gets the outcome of a script that fails. */
export const runScript = async (
  options: ScriptRequestOptions,
  report: (outcome: Omit<ScriptOutcome, 'value'>) => void,
): Promise<unknown> => {
  const calls = new ScriptCalls(options);
  const { port1: port, port2: theirs } = new MessageChannel();
  const received = new Promise<void>((resolve) => {
    port.on('message', (request: ScriptRequest) => {
      if (request.kind === 'end') resolve();
      else calls.receive(request, port);
    });
  });
  try {
    const end = await runThread(options, theirs, calls.signal);
    await abortable(received, options.signal);
    if (end.end === 'returned') await calls.settle();
    calls.countLog(end.logged);
    return readEnd(end, calls);
  } finally {
    calls.abort();
    port.close();
    report(calls.outcome);
  }
};

const runThread = async (
  { code, args, tools, maxCalls, threads, timeoutMs }: ScriptRequestOptions,
  port: MessagePort,
  signal: AbortSignal,
): Promise<ScriptEnd> => {
  await abortable(preparations.get(threads) ?? Promise.resolve(), signal);
  const order: ScriptOrder = {
    kind: 'run',
    code,
    args: JSON.stringify(args),
    tools,
    maxCalls,
    port,
    quickjsFile: await findQuickjs(),
  };
  return threads.run<ScriptEnd>(SCRIPT_THREAD, order, {
    timeoutMs: timeoutMs + END_MS,
    signal,
    transfer: [port],
    retireThread: (answer) => (answer as ScriptEnd).retire,
  });
};

const readEnd = (end: ScriptEnd, calls: ScriptCalls): unknown => {
  if (end.end === 'returned') return parseJson(end.text);
  if (end.end === 'limit') throw limitFailure(end.limit);
  const failed = end.callId === undefined ? undefined : calls.takeFailure(end.callId);
  if (failed) throw failed;
  const { message, line, isLimit } = end;
  const code = isLimit ? 'script_limit_exceeded' : 'script_failed';
  const hint = line === undefined && !isLimit ? 'Correct the script and call again.' : undefined;
  throw fail(code, withLine(message, line), defined({ line, hint }));
};

const lineFact = (line: number | undefined): { line?: number } => defined({ line });

const withLine = (message: string, line: number | undefined): string =>
  line === undefined ? message : `Line ${line}: ${message}`;

const MAX_DONE_CHARS = 200;

const describeDone = (tool: string, { text = '', failure }: InnerReply): string => {
  const said = failure ? `${failure.code}, the outcome is unknown` : text.split('\n', 1)[0];
  return cutToCharacters(`${tool}: ${said}`.slice(0, MAX_DONE_CHARS));
};

const LIMITS: Readonly<Record<ScriptLimit, string>> = {
  cpu: `The script computed for more than ${SCRIPT_CPU_MS / 1000} s.`,
  memory: `The script used more than ${SCRIPT_MEMORY_BYTES / 1024 / 1024} MB of memory.`,
  stack: 'The script called functions too deeply.',
  value: `The script returned a value of more than ${MAX_VALUE_CHARS} characters of JSON.`,
  crash: 'The script ended its JavaScript engine.',
};

const limitFailure = (limit: ScriptLimit): Failure =>
  fail('script_limit_exceeded', LIMITS[limit], { limit });

/** The calls of one script. */
class ScriptCalls {
  readonly #options: ScriptRequestOptions;
  /** Ends the calls with the script. */
  readonly #deadline: Deadline;
  readonly #slots = new Slots(AT_ONCE);
  readonly #running = new Set<Promise<void>>();
  readonly #failures = new Map<number, Failure & { readonly line?: number }>();
  readonly #failed = new Map<number, FailedScriptCall>();
  readonly #log: string[] = [];
  readonly #notes = new Set<string>();
  #watchdog: Disposable | undefined;
  #calls = 0;
  #logged = 0;

  constructor(options: ScriptRequestOptions) {
    this.#options = options;
    this.#deadline = new Deadline(options.timeoutMs + END_MS, undefined, options.signal);
  }

  /** Aborted when the script must end. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get outcome(): Omit<ScriptOutcome, 'value'> {
    const left = this.#logged - this.#log.length;
    return {
      calls: this.#calls,
      failed: [...this.#failed.values()],
      log: left > 0 ? [...this.#log, `… ${left} more lines`] : this.#log,
      notes: [...this.#notes],
    };
  }

  receive(request: Exclude<ScriptRequest, { readonly kind: 'end' }>, port: MessagePort): void {
    if (request.kind === 'start') return this.#watch();
    if (request.kind === 'log') return this.#keepLine(request.text);
    const work = this.#answer(request).then((delivery) => port.postMessage(delivery));
    this.#running.add(work);
    this.#watch();
    void work.finally(() => {
      this.#running.delete(work);
      this.#watch();
    });
  }

  /** While no call runs, the thread computes: it is terminated if this takes too long. */
  #watch(): void {
    this.#watchdog?.[Symbol.dispose]();
    this.#watchdog =
      this.#running.size > 0
        ? undefined
        : after(MAX_COMPUTING_MS, () => this.#deadline.abort(limitFailure('cpu')));
  }

  /** Waits for the calls that the script did not await. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  abort(): void {
    this.#watchdog?.[Symbol.dispose]();
    this.#deadline.abort(fail('cancelled', 'The script ended before the call.'));
    this.#deadline[Symbol.dispose]();
  }

  countLog(logged: number): void {
    this.#logged = Math.max(logged, this.#log.length);
  }

  /** The failure that ends the script: it is not listed again as a failed call. */
  takeFailure(id: number): Failure | undefined {
    const failure = this.#failures.get(id);
    this.#failed.delete(id);
    return failure;
  }

  #keepLine(text: string): void {
    if (this.#log.length >= MAX_LOG_LINES) return;
    const line = cutToCharacters(text.slice(0, MAX_LOG_CHARS));
    this.#log.push(text.length > MAX_LOG_CHARS ? `${line}…` : line);
    this.#logged = this.#log.length;
  }

  async #answer(request: AnsweredRequest): Promise<ScriptDelivery> {
    const { id } = request;
    try {
      return { id, ok: true, text: await this.#perform(request) };
    } catch (error) {
      const failure = toFailure(error, this.#options.logDefect);
      if (request.kind === 'call') this.#keepFailure(id, request, failure);
      const { error: facts } = failure.toJSON();
      return { id, ok: false, text: JSON.stringify(facts) };
    }
  }

  async #perform(request: AnsweredRequest): Promise<string> {
    if (request.kind === 'sleep') {
      // a timer with a longer time than it supports would end at once
      const longest = this.#options.timeoutMs + END_MS;
      await sleep(Math.min(Math.max(0, request.ms), longest), this.signal);
      return '';
    }
    await this.#slots.next(this.signal);
    try {
      return await this.#call(request, parseJson(request.args));
    } finally {
      this.#slots.give();
    }
  }

  async #call(
    { tool, line }: { readonly tool: string; readonly line: number | undefined },
    args: unknown,
  ): Promise<string> {
    this.#calls++;
    const { call, effects, onDone } = this.#options;
    const reply = await effects.observe(call(tool, args, this.signal));
    if (reply.effect) onDone(withLine(describeDone(tool, reply), line));
    for (const note of reply.notes) this.#notes.add(note);
    if (reply.failure) throw reply.failure;
    const text = await stringifyInSlices(buildCallValue(reply), this.signal);
    if (text.length <= MAX_RESULT_CHARS) return text;
    throw fail(
      'script_limit_exceeded',
      `The result of ${tool} has ${text.length} characters, more than ${MAX_RESULT_CHARS}.`,
    );
  }

  #keepFailure(
    id: number,
    { tool, line }: { readonly tool: string; readonly line: number | undefined },
    { code, message, details }: Failure,
  ): void {
    this.#failed.set(id, { tool, code, message, ...lineFact(line) });
    const located = { ...details, tool, ...lineFact(line) };
    this.#failures.set(id, new Failure(code, withLine(`${tool}: ${message}`, line), located));
  }
}
