// Worker thread that runs scripts in QuickJS, a JavaScript engine without access to Node.
import { parentPort } from 'node:worker_threads';
import loadEmscripten from '@jitl/quickjs-singlefile-cjs-release-sync/emscripten-module';
import { QuickJSFFI } from '@jitl/quickjs-singlefile-cjs-release-sync/ffi';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
  type VmCallResult,
} from 'quickjs-emscripten-core';
import { attempt } from '../../../core/attempt.ts';
import { defined } from '../../../core/defined.ts';
import { isRecord } from '../../../core/json.ts';
import { openRegularFile } from '../../../system/private-files.ts';
import { SCRIPT_FILE, SCRIPT_PRELUDE } from '../script-prelude.ts';
import {
  MAX_ARGUMENT_CHARS,
  MAX_LOG_CHARS,
  MAX_LOG_LINES,
  MAX_SLEEPS,
  MAX_VALUE_CHARS,
  type PrepareOrder,
  SCRIPT_CPU_MS,
  SCRIPT_MEMORY_BYTES,
  type ScriptDelivery,
  type ScriptEnd,
  type ScriptOrder,
  type ScriptRequest,
} from '../script-messages.ts';

/** Deeper recursion is an error in the script, before the stack of WebAssembly overflows. */
const STACK_BYTES = 256 * 1024;

/** The line in a frame of a stack trace. */
const SCRIPT_LINE = /script\.js:(\d{1,9})/;

type ThreadOutcome<T> = T extends unknown ? Omit<T, 'logged' | 'retire'> : never;

interface Thrown {
  readonly message?: string;
  readonly line?: number;
  readonly callId?: number;
  readonly isLimit?: boolean;
}

/** The script can replace what the prelude uses, so that any JSON is possible. */
const parseThrown = (text: string): Thrown => {
  const given: unknown = JSON.parse(text);
  const { message, line, callId, isLimit } = isRecord(given) ? given : {};
  return defined({
    message: typeof message === 'string' ? message : 'an unknown error',
    line: Number.isSafeInteger(line) ? Number(line) : undefined,
    callId: Number.isSafeInteger(callId) ? Number(callId) : undefined,
    isLimit: isLimit === true,
  });
};

/** A sandbox for one script, which may be created before its script is known. */
class ScriptRun {
  readonly #runtime: QuickJSRuntime;
  readonly #vm: QuickJSContext;
  #order: ScriptOrder | undefined;
  #functions: QuickJSHandle | undefined;
  #end: ThreadOutcome<ScriptEnd> | undefined;
  #usedMs = 0;
  #enteredAt = performance.now();
  #isInterrupted = false;
  #outstanding = 0;
  #calls = 0;
  #sleeps = 0;
  #logged = 0;

  constructor(quickjs: QuickJSWASMModule) {
    this.#runtime = quickjs.newRuntime();
    this.#runtime.setMemoryLimit(SCRIPT_MEMORY_BYTES);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => {
      const used = this.#usedMs + performance.now() - this.#enteredAt;
      return (this.#isInterrupted ||= used > SCRIPT_CPU_MS);
    });
    this.#vm = this.#runtime.newContext();
  }

  async run(order: ScriptOrder): Promise<Omit<ScriptEnd, 'retire'>> {
    this.#order = order;
    const ended = new Promise<void>((resolve) => {
      order.port.on('message', (delivery: ScriptDelivery) => {
        this.#outstanding--;
        this.#enter(() => this.#deliver(delivery));
        if (this.#end) resolve();
      });
      this.#post({ kind: 'start' });
      this.#enter(() => this.#start(order));
      if (this.#end) resolve();
    });
    await ended;
    const end = this.#end ?? { end: 'limit', limit: 'crash' };
    return { ...end, logged: this.#logged };
  }

  /** Frees the memory of the script. Throws if the engine is in an undefined state. */
  dispose(): void {
    this.#functions?.dispose();
    this.#vm.dispose();
    this.#runtime.dispose();
  }

  /** Runs code of the script until it waits, and detects the end of the script. */
  #enter(work: () => void): void {
    if (this.#end) return;
    this.#enteredAt = performance.now();
    try {
      work();
      const jobs = this.#runtime.executePendingJobs();
      if (jobs.error) this.#endWith(jobs.error);
      else jobs.dispose();
    } catch (error) {
      // a trap of WebAssembly: its state is undefined
      const isStack = error instanceof RangeError;
      this.#end ??= { end: 'limit', limit: isStack ? 'stack' : 'crash' };
    }
    this.#usedMs += performance.now() - this.#enteredAt;
    if (this.#isInterrupted) this.#end = { end: 'limit', limit: 'cpu' };
    if (this.#outstanding === 0)
      this.#finishThrown({ message: 'The script waits for a promise that is never resolved.' });
  }

  #start(order: ScriptOrder): void {
    const vm = this.#vm;
    using send = vm.newFunction('send', (...values) => this.#receive(...values));
    using prelude = vm.unwrapResult(vm.evalCode(SCRIPT_PRELUDE, 'prelude.js'));
    using tools = vm.unwrapResult(vm.evalCode(JSON.stringify(order.tools), 'tools.js'));
    using args = vm.newString(order.args);
    const functions = this.#unwrap(vm.callFunction(prelude, vm.undefined, send, tools, args));
    if (!functions) return;
    this.#functions = functions;
    const main = this.#compile(order);
    if (!main) return;
    this.#call('start', main);
    main.dispose();
  }

  /** An expression or statements, as the body of an async function. Its lines keep their numbers. */
  #compile({ code }: ScriptOrder): QuickJSHandle | undefined {
    const expression = this.#evaluate(`[async () => [${code}\n]]`, `(async () => (${code}\n))`);
    if (!expression.error) return expression.value;
    expression.error.dispose();
    const declared = `async function f() {${code}\n}`;
    return this.#unwrap(this.#evaluate(declared, `(async () => {${code}\n})`));
  }

  /** Code that closes the brackets around it is valid in one of the forms only. */
  #evaluate(other: string, source: string): VmCallResult<QuickJSHandle> {
    const parsed = this.#vm.evalCode(other, SCRIPT_FILE, { compileOnly: true });
    if (parsed.error) return parsed;
    parsed.value.dispose();
    return this.#vm.evalCode(source, SCRIPT_FILE);
  }

  #deliver({ id, ok, text }: ScriptDelivery): void {
    const vm = this.#vm;
    using callId = vm.newNumber(id);
    using content = vm.newString(text);
    this.#call('deliver', callId, ok ? vm.true : vm.false, content);
  }

  #call(name: string, ...values: QuickJSHandle[]): void {
    if (!this.#functions) return;
    using method = this.#vm.getProp(this.#functions, name);
    this.#unwrap(this.#vm.callFunction(method, this.#vm.undefined, ...values))?.dispose();
  }

  #unwrap(result: VmCallResult<QuickJSHandle>): QuickJSHandle | undefined {
    if (!result.error) return result.value;
    this.#endWith(result.error);
    return undefined;
  }

  /** Ends the script with an error that no code of the script caught. */
  #endWith(error: QuickJSHandle): void {
    const thrown = this.#describe(error);
    error.dispose();
    this.#finishThrown(thrown);
  }

  #describe(error: QuickJSHandle): Thrown {
    const dumped: unknown = this.#vm.dump(error);
    if (typeof dumped !== 'object' || dumped === null) return { message: String(dumped) };
    const { name, message, stack } = dumped as Record<string, unknown>;
    const [, line] = SCRIPT_LINE.exec(String(stack)) ?? [];
    const text = `${String(name)}: ${String(message)}`;
    return defined({ message: text, line: line === undefined ? undefined : Number(line) });
  }

  #finishThrown({ message = '', line, callId, isLimit = false }: Thrown): void {
    if (message === 'null' || message.includes('out of memory'))
      this.#end ??= { end: 'limit', limit: 'memory' };
    else this.#end ??= { end: 'thrown', message: message.slice(0, 2000), line, callId, isLimit };
  }

  /** The function that the sandbox calls: texts and numbers only. Returns a refusal as a text. */
  #receive(...values: QuickJSHandle[]): QuickJSHandle {
    const [kind, id, first, second, line] = values.map((value): unknown => this.#vm.dump(value));
    const refusal = this.#accept(String(kind), Number(id), [String(first), String(second)], line);
    return refusal === undefined ? this.#vm.undefined : this.#vm.newString(refusal);
  }

  #accept(
    kind: string,
    id: number,
    [first, second]: readonly [string, string],
    line: unknown,
  ): string | undefined {
    if (kind === 'call') return this.#requestCall(id, first, second, Number(line));
    if (kind === 'sleep') return this.#requestSleep(id, Number(first));
    if (kind === 'log') this.#log(first);
    else if (kind === 'returned') this.#return(first);
    else if (kind === 'thrown') this.#finishThrown(parseThrown(first));
    return undefined;
  }

  #requestCall(id: number, tool: string, args: string, line: number): string | undefined {
    const { maxCalls = 0 } = this.#order ?? {};
    if (++this.#calls > maxCalls) return `The script made more than ${maxCalls} calls.`;
    if (args.length > MAX_ARGUMENT_CHARS)
      return `The arguments of ${tool} are longer than ${MAX_ARGUMENT_CHARS} characters.`;
    this.#outstanding++;
    this.#post({ kind: 'call', id, tool, args, line: line > 0 ? line : undefined });
    return undefined;
  }

  #requestSleep(id: number, ms: number): string | undefined {
    if (++this.#sleeps > MAX_SLEEPS) return `The script slept more than ${MAX_SLEEPS} times.`;
    this.#outstanding++;
    this.#post({ kind: 'sleep', id, ms });
    return undefined;
  }

  #post(request: ScriptRequest): void {
    this.#order?.port.postMessage(request);
  }

  #log(text: string): void {
    if (++this.#logged > MAX_LOG_LINES) return;
    this.#post({ kind: 'log', text: text.slice(0, MAX_LOG_CHARS + 1) });
  }

  #return(text: string): void {
    this.#end ??=
      text.length > MAX_VALUE_CHARS ? { end: 'limit', limit: 'value' } : { end: 'returned', text };
  }
}

/**
 * QuickJS aborts if it cannot free the memory of a script, for example one with 60,000 objects. The
 * thread then ends; the message would appear on stderr.
 */
const emscriptenModule: object = { printErr() {} };

let loading: Promise<QuickJSWASMModule> | undefined;

/** Compiles the code of the file; the package would first decode it from a text. */
const loadQuickjs = async (path: string): Promise<QuickJSWASMModule> => {
  await using file = await openRegularFile(path);
  if (!file) throw new Error(`${path} is missing`);
  const wasmModule = await WebAssembly.compile(await file.readFile());
  const variant: QuickJSSyncVariant = {
    type: 'sync',
    importFFI: async () => QuickJSFFI,
    importModuleLoader: async () => loadEmscripten,
  };
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, emscriptenModule }));
};

/** The sandbox of the next script. */
let next: ScriptRun | undefined;

const answer = async (order: ScriptOrder | PrepareOrder): Promise<void> => {
  const quickjs = await (loading ??= loadQuickjs(order.quickjsFile));
  const run = next ?? new ScriptRun(quickjs);
  next = undefined;
  if (order.kind === 'prepare') {
    // without the prelude: V8 would optimise QuickJS, and the process keeps the memory of that
    next = run;
    return parentPort?.postMessage('prepared');
  }
  const end = await run.run(order);
  order.port.postMessage({ kind: 'end' } satisfies ScriptRequest);
  order.port.close();
  const retire = end.end === 'limit' || !isDisposed(run);
  parentPort?.postMessage({ ...end, retire });
  if (!retire) next = new ScriptRun(quickjs);
};

/** After a limit, or if its memory cannot be freed, the thread ends with its script. */
const isDisposed = (run: ScriptRun): boolean | undefined =>
  attempt(() => {
    run.dispose();
    return true;
  });

parentPort?.on('message', (order: ScriptOrder | PrepareOrder) => void answer(order));
