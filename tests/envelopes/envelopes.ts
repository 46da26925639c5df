// Engines with the plain tools on a home of the test's own, and what a host asks of envelopes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Reply } from '../../src/pipeline/call.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { Counters } from '../../src/policy/budget.ts';
import type { TaskEvent, TaskMeta } from '../../src/store/tasks/task-ledger.ts';
import { counts } from '../tasks/counts-tool.ts';
import { acts, looks } from './plain-tools.ts';

export interface VisibilityCache {
  readonly meta: TaskMeta;
  readonly objective: string;
  readonly phase: string;
  readonly policy: Record<string, unknown>;
  readonly counters: Counters;
  readonly budget_status: string;
  readonly budget_exceeded: readonly string[];
  readonly budget_warnings: readonly string[];
  readonly recommended_next?: string;
  readonly signals: Record<string, number>;
  readonly reply_tokens: { readonly total: number; readonly perTool: Record<string, number> };
  readonly recent_events: readonly (TaskEvent & { readonly data: Record<string, unknown> })[];
}

export interface EnvelopeBench {
  readonly engine: Engine;
  readonly home: string;
  /** Another engine on the same home, as after a restart. */
  restart(): Promise<void>;
  reply(name: string, args?: object): Promise<Reply>;
  /** The JSON of a call, or its failure as JSON. */
  call<T = Record<string, unknown>>(name: string, args?: object): Promise<T>;
  code(name: string, args?: object): Promise<string | undefined>;
  start(policy?: object, more?: object): Promise<string>;
  get(id: string): Promise<VisibilityCache>;
}

export const useEnvelopes = (): EnvelopeBench => {
  let home = '';
  let engine: Engine;
  const open = (): Engine =>
    createEngine({
      config: resolveConfig({ flags: ['--log-level', 'error'] }),
      home: resolveHome({ OPENCHROME_HOME: home }),
      tools: [counts, looks, acts],
    });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'openchrome-envelopes-'));
    engine = open();
  });
  afterEach(async () => {
    await engine.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const reply = (name: string, args: object = {}): Promise<Reply> =>
    engine.call({ name, arguments: args });
  const call = async <T>(name: string, args: object = {}): Promise<T> => {
    const { text, failure } = await reply(name, args);
    return (failure ? failure.toJSON() : JSON.parse(text ?? 'null')) as T;
  };
  return {
    get engine() {
      return engine;
    },
    get home() {
      return home;
    },
    restart: async () => {
      await engine.stop();
      engine = open();
    },
    reply,
    call,
    code: async (name, args = {}) => (await reply(name, args)).failure?.code,
    start: async (policy = {}, more = {}) =>
      (await call<{ task_id: string }>('oc_task_start', { objective: 'Find it', policy, ...more }))
        .task_id,
    get: (id) => call('oc_task_get', { task_id: id }),
  };
};
