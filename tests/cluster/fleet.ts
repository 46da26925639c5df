// A cluster for tests: engines as gateways in this process, and real worker processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { connectCluster } from '../../src/features/cluster/cluster.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { ClusterMember } from '../../src/store/cluster/cluster-store.ts';

const PROGRAM = new URL('../../dist/index.js', import.meta.url).pathname;

export interface WorkerProcess {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<unknown>;
  readonly output: () => string;
}

export class Fleet {
  readonly #url: string;
  readonly #folders: string[] = [];
  readonly #engines: Engine[] = [];
  #commandHome: Promise<string> | undefined;
  readonly #workers = new Set<ChildProcess>();

  constructor(url: string) {
    this.#url = url;
  }

  /** A gateway; without `url` an engine on one machine. */
  async createGateway({ alone = false } = {}): Promise<Gateway> {
    const home = resolveHome({ OPENCHROME_HOME: await this.#createFolder() });
    const flags = ['--headless', '--log-level', 'error'];
    const config = resolveConfig({ flags: alone ? flags : [...flags, '--cluster', this.#url] });
    const createCluster = alone ? undefined : await connectCluster(config, 'gateway');
    const engine = createEngine({ config, home, createCluster });
    engine.cluster?.join();
    this.#engines.push(engine);
    return new Gateway(engine);
  }

  async startWorker(...flags: readonly string[]): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [PROGRAM, 'worker', ...flags], {
      env: {
        ...process.env,
        OPENCHROME_HOME: await this.#createFolder(),
        OPENCHROME_CLUSTER: this.#url,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#workers.add(child);
    let output = '';
    const exited = once(child, 'exit').finally(() => this.#workers.delete(child));
    const ready = new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('openchrome worker with')) resolve();
      });
      void exited.then(() => reject(new Error(`the worker ended: ${output}`)));
    });
    await ready;
    return {
      pid: child.pid ?? 0,
      kill: (signal) => child.kill(signal),
      exited,
      output: () => output,
    };
  }

  /** Runs a command of the program and returns its output. All commands have one home folder. */
  async runCommand(...words: readonly string[]): Promise<{ out: string; err: string }> {
    this.#commandHome ??= this.#createFolder();
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      env: {
        ...process.env,
        OPENCHROME_HOME: await this.#commandHome,
        OPENCHROME_CLUSTER: this.#url,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
    await once(child, 'close');
    return texts;
  }

  async #createFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'openchrome-fleet-'));
    this.#folders.push(folder);
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#commandHome) await this.runCommand('daemon', 'stop');
    const ends = [...this.#workers].map((child) => once(child, 'exit'));
    for (const child of this.#workers) child.kill('SIGKILL');
    await Promise.all(ends);
    await Promise.all(this.#engines.map((engine) => engine.stop()));
    await Promise.all(
      this.#folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
    );
  }
}

/** The tools of one engine. */
export class Gateway {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async call<T>(name: string, args: object): Promise<T> {
    const reply = await this.engine.call({ name, arguments: args, wholeReply: true });
    if (reply.failure) throw reply.failure;
    return reply.json as T;
  }

  async start(kind: string, args: object): Promise<string> {
    const { task_id } = await this.call<{ task_id: string }>('oc_task_start', { kind, args });
    return task_id;
  }

  async end<T>(taskId: string): Promise<EndedTask<T>> {
    await this.call('oc_task_wait', { task_id: taskId, timeout_ms: 100_000 });
    return this.call('oc_task_get', { task_id: taskId, include_result: true });
  }

  async listWorkers(): Promise<readonly ClusterMember[]> {
    const members = (await this.engine.cluster?.workers()) ?? [];
    return members.filter(({ role }) => role === 'worker');
  }
}

export interface EndedTask<T> {
  readonly meta: {
    readonly status: string;
    readonly worker?: string;
    readonly error?: { readonly code: string; readonly message: string };
  };
  readonly events_tail: readonly { readonly kind: string; readonly data?: unknown }[];
  readonly result: T;
}
