// Answers tools/list before the engine is loaded, because hosts wait for the list at their start.
import type { Config } from '../../core/config.ts';
import { createLog, type Log, type LogLevel, LOG_LEVELS } from '../../core/log.ts';
import { after } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { METHOD_NAMES } from './method-names.ts';
import type { Methods, RpcMethod } from './methods.ts';
import type { EngineHandle } from './stdio.ts';
import { chooseListing, listSummaries, readKnownTools } from './tool-list.ts';

/** The engine is loaded after this time at the latest: it also removes expired files. */
const LOAD_AFTER_MS = 1000;

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

/** An engine that is loaded by the first request that needs it, or after the first tools/list. */
export interface LazyEngine extends EngineHandle {
  readonly methods: Methods;
}

export const createLazyEngine = (config: Config, loadEngine: () => Promise<Engine>): LazyEngine => {
  let loading: Promise<readonly [Engine, Methods]> | undefined;
  let log = createLog({ level: config.logLevel });
  const load = (): Promise<readonly [Engine, Methods]> =>
    (loading ??= Promise.all([loadEngine(), import('./methods.ts')]).then(
      ([engine, { createMethods }]) => {
        log = engine.log;
        return [engine, createMethods(engine)];
      },
    ));
  const latest = after(LOAD_AFTER_MS, () => void load());
  const methods = new Map<string, RpcMethod>(
    METHOD_NAMES.map((name) => [name, async (...given) => callLoaded(await load(), name, given)]),
  );
  methods.set('tools/list', async (_, { client }) => {
    after(0, () => void load());
    return { tools: listSummaries(readKnownTools(), chooseListing(config, client?.wishes)) };
  });
  return {
    config,
    log: forwardLog(() => log),
    methods,
    stop: async () => {
      latest[Symbol.dispose]();
      const [engine] = (await loading) ?? [];
      await engine?.stop();
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
