// Answers tools/list before the engine is loaded, because hosts wait for the list at their start.
import type { Config } from '../../core/config.ts';
import { createLog, type Log, type LogLevel, LOG_LEVELS } from '../../core/log.ts';
import { after } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { METHOD_NAMES } from './method-names.ts';
import type { Methods, RpcMethod } from './methods.ts';
import type { EngineHandle } from './stdio.ts';
import { chooseListing, listSummaries, readKnownTools } from './tool-list.ts';

/** Delay before the code that removes leftovers of other processes is loaded. */
const CLEAN_AFTER_MS = 1000;

/**
 * False if a setting can make the engine fail at its start, or changes the list: hosts must see
 * such a failure instead of a list.
 */
export const mayLoadLater = (config: Config): boolean =>
  [config.secrets, config.cluster, config.http].every((value) => value === undefined) &&
  CHECKED_LISTS.every((name) => config[name].length === 0);

const CHECKED_LISTS = [
  'disableTools',
  'policy',
  'allowDomains',
  'blockDomains',
  'attachHeader',
  'proxy',
] as const;

/** An engine that is loaded by the first request that needs it: idle servers use less memory. */
export interface LazyEngine extends EngineHandle {
  readonly methods: Methods;
}

interface EngineParts {
  readonly loadEngine: () => Promise<Engine>;
  /** Removes leftovers of other processes until it is disposed; a loaded engine does this itself. */
  readonly startCleanup: (log: Log) => Promise<Disposable>;
}

export const createLazyEngine = (
  config: Config,
  { loadEngine, startCleanup }: EngineParts,
): LazyEngine => {
  let loading: Promise<readonly [Engine, Methods]> | undefined;
  let log = createLog({ level: config.logLevel });
  const cleanup = delayCleanup(() =>
    startCleanup(log).catch((error: unknown) => {
      log.warn('expired files and leftover Chromes are not removed', error);
      return undefined;
    }),
  );
  const load = (): Promise<readonly [Engine, Methods]> =>
    (loading ??= Promise.all([loadEngine(), import('./methods.ts')]).then(
      ([engine, { createMethods }]) => {
        cleanup[Symbol.dispose]();
        log = engine.log;
        return [engine, createMethods(engine)];
      },
    ));
  const methods = new Map<string, RpcMethod>(
    METHOD_NAMES.map((name) => [name, async (...given) => callLoaded(await load(), name, given)]),
  );
  methods.set('tools/list', async (_, { client }) => ({
    tools: listSummaries(readKnownTools(), chooseListing(config, client?.wishes)),
  }));
  return {
    config,
    log: forwardLog(() => log),
    methods,
    stop: async () => {
      cleanup[Symbol.dispose]();
      const [engine] = (await loading) ?? [];
      await engine?.stop();
    },
  };
};

/** Starts the cleanup after the first replies, unless it is disposed before. */
const delayCleanup = (start: () => Promise<Disposable | undefined>): Disposable => {
  let started: Promise<Disposable | undefined> | undefined;
  const timer = after(CLEAN_AFTER_MS, () => {
    started = start();
  });
  return {
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      void started?.then((cleanup) => cleanup?.[Symbol.dispose]());
    },
  };
};

const callLoaded = (
  [, methods]: readonly [Engine, Methods],
  name: string,
  given: Parameters<RpcMethod>,
): Promise<object> => {
  const method = methods.get(name);
  if (!method) throw new Error(`there is no method ${name}`);
  return method(...given);
};

/** A log that writes to the log that is current at that time. */
const forwardLog = (current: () => Log): Log => ({
  ...(Object.fromEntries(
    LOG_LEVELS.map((level) => [
      level,
      (message: string, data?: unknown) => current()[level](message, data),
    ]),
  ) as Pick<Log, LogLevel>),
  defect: (error) => current().defect(error),
});
