// subscriptions/listen of the 2026 protocol: starts the watches whose changes the client wants.
import { getField, isUnknownArray } from '../../../core/json.ts';
import type { Exchange, Methods } from '../methods.ts';
import { RpcError } from '../protocol.ts';

export const isListen = (message: unknown): boolean =>
  getField(message, 'method') === 'subscriptions/listen';

const readFilter = (message: unknown): unknown =>
  getField(getField(message, 'params'), 'notifications');

/** The resources that the client wants to follow. */
export const listUris = (message: unknown): string[] => {
  const uris = getField(readFilter(message), 'resourceSubscriptions');
  return isUnknownArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
};

/** The SDK answers the request; a resource that does not exist never changes. */
export const startWatches = async (
  methods: Methods,
  message: unknown,
  exchange: Exchange,
): Promise<void> => {
  if (getField(readFilter(message), 'promptsListChanged') === true)
    await methods.get('prompts/list')?.({}, exchange);
  const subscribe = methods.get('resources/subscribe');
  for (const uri of listUris(message))
    await subscribe?.({ uri }, exchange).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
};
