// The methods about resources, prompts and completion; loaded by their first request.
import type { Served, StoredMethods } from './methods.ts';
import { complete, getPrompt, listPrompts, watchPrompts } from './prompts.ts';
import { WATCH_METHOD } from './protocol.ts';
import { readResource, reportChanges, subscribe, unsubscribe, type Watching } from './resources.ts';

export const buildStoredMethods = (engine: Served): StoredMethods => {
  const { resources, prompts } = engine;
  const watching: Watching = {
    resource: (...given) => resources.watch(...given),
    prompts: (...given) => prompts.watch(...given),
  };
  return {
    'resources/list': async (_, { client }) => ({
      resources: await resources.list(client?.session),
    }),
    'resources/templates/list': async () => ({
      resourceTemplates: await resources.listTemplates(),
    }),
    'resources/read': (params, exchange) => readResource(engine, params, exchange),
    ...buildWatchMethods(watching, (_, exchange) => listPrompts(engine, exchange)),
    [WATCH_METHOD]: (params, exchange) => reportChanges(watching, params, exchange),
    'prompts/get': (params, exchange) => getPrompt(engine, params, exchange),
    'completion/complete': (params, exchange) => complete(engine, params, exchange),
  };
};

/** The methods after which the client gets notifications. */
export const buildWatchMethods = (
  watching: Watching,
  list: StoredMethods['prompts/list'],
): Pick<StoredMethods, 'resources/subscribe' | 'resources/unsubscribe' | 'prompts/list'> => ({
  'resources/subscribe': (params, exchange) => subscribe(watching, params, exchange),
  'resources/unsubscribe': unsubscribe,
  'prompts/list': async (params, exchange) => {
    await watchPrompts(watching, exchange);
    return list(params, exchange);
  },
});
