// The whole pipeline with tools of the test's own, without a browser.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../src/browser/browser.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { Events } from '../../src/core/events.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import { createLineTest, toResult } from '../../src/frontends/mcp/result.ts';
import type { Reply } from '../../src/pipeline/call.ts';
import { runCall } from '../../src/pipeline/index.ts';
import { ConsentPolicy } from '../../src/policy/consent-policy.ts';
import { createRedactor } from '../../src/policy/redact.ts';
import { SecretHosts } from '../../src/store/config/secrets-file.ts';
import { createPayloadWriter } from '../../src/store/files/payload-writer.ts';
import { Handles } from '../../src/store/handles/handles.ts';
import { PayloadFiles } from '../../src/store/handles/payload-files.ts';
import { openJournal } from '../../src/store/journal/journal.ts';
import type { Context, Services } from '../../src/toolkit/context.ts';
import { defineTool, type Tool, type Traits, type View } from '../../src/toolkit/define-tool.ts';
import { ocOutputFetch } from '../../src/tools/server/oc-output-fetch.ts';

interface Recipe {
  readonly traits?: Partial<Traits<object, 'none'>>;
  readonly run: (context: Context) => unknown;
  readonly render?: (data: never) => View | string;
}

/** A tool with a large payload by default. */
export const tool = (name: string, { traits, run, render }: Recipe): Tool =>
  defineTool({
    name,
    description: 'For a test.',
    tier: 1,
    traits: {
      effect: 'read',
      scope: 'none',
      observation: true,
      duration: 'instant',
      dialog: 'allowed',
      timeoutMs: 10_000,
      large: true,
      ...traits,
    },
    input: () => ({}),
    examples: [],
    run: (_, context) => run(context),
    ...(render ? { render: render as (data: unknown) => View | string } : {}),
  });

export class TestRooms {
  private constructor(
    readonly home: string,
    readonly services: Services,
  ) {}

  static async create(
    tools: readonly Tool[],
    flags: readonly string[] = [],
    secrets: readonly string[] = [],
  ): Promise<TestRooms> {
    const root = await mkdtemp(join(tmpdir(), 'openchrome-services-'));
    const home = resolveHome({ OPENCHROME_HOME: root });
    const config = resolveConfig({ flags });
    const log = createLog({ level: 'error', write: () => {} });
    const redactor = createRedactor(secrets);
    const writer = createPayloadWriter(redactor);
    const journal = openJournal({ folder: home.journal, log, writer });
    const workers = new WorkerPool();
    const handles = new Handles({
      payloads: new PayloadFiles(home.output),
      ttlMs: 3_600_000,
      maxTotalBytes: 2 ** 31,
      sweepEveryMs: 300_000,
      log,
      workers,
      onCreated: (event) => journal.append({ ...event }),
    });
    const browser = new Browser({ config, home, log, redactor });
    return new TestRooms(root, {
      config,
      home,
      log,
      browser,
      journal,
      redactor,
      writer,
      calls: new Events(),
      hosts: new Set(),
      secrets: [],
      secretHosts: new SecretHosts(home),
      consentPolicy: new ConsentPolicy([], { tools: [] }),
      consent: () => Promise.reject(new Error('no rule needs it')),
      waiting: () => Promise.reject(new Error('no tool here asks the user')),
      handles,
      tasks: undefined as never, // no tool here starts one
      workers,
      scriptThreads: workers,
      call: () => Promise.reject(new Error('no tool here makes calls')),
      tools: [...tools, ocOutputFetch],
    });
  }

  call(name: string, args: object = {}): Promise<Reply> {
    const fits = createLineTest(this.services.config.structuredContent);
    return runCall(this.services, { name, arguments: args, fits });
  }

  async json<T>(name: string, args: object = {}): Promise<T> {
    const reply = await this.call(name, args);
    if (reply.failure) throw new Error(JSON.stringify(reply.failure));
    return JSON.parse(reply.text ?? '') as T;
  }

  /** The line that a client receives. */
  line(reply: Reply): string {
    const result = toResult(reply, {
      asked: this.services.config.structuredContent,
      promised: false,
    });
    return JSON.stringify({
      jsonrpc: '2.0',
      id: 'a-request-id-of-the-usual-length-0123456789',
      result,
    });
  }

  /** Everything that was written to disk. */
  async written(): Promise<string> {
    const entries = await readdir(this.home, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
    return (await Promise.all(files)).join('\n');
  }

  remove(): Promise<void> {
    return rm(this.home, { recursive: true, force: true });
  }
}
