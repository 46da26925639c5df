// Facts about a session of a tab, from its events: usable script worlds, and paused requests.
import type { Params } from './guard.ts';

/** Chrome's message for a script world that does not exist, which the server knows. */
class ContextGone extends Error {
  readonly code = -32_000;
  constructor() {
    super('Cannot find context with specified id');
  }
}

/** The parameters of commands that name a script world. */
const CONTEXT_FIELDS = ['contextId', 'executionContextId', 'uniqueContextId'] as const;

/** The commands after which a request is not paused any more. */
const CONTINUING: ReadonlySet<string> = new Set([
  'Fetch.continueRequest',
  'Fetch.continueResponse',
  'Fetch.failRequest',
  'Fetch.fulfillRequest',
]);

interface ScriptContext {
  readonly id: number;
  readonly uniqueId: string;
  readonly origin: string;
}

export class SessionFacts {
  /** The ids of the page's own script worlds and of those that the server created. */
  readonly #contexts = new Set<unknown>();
  /** The ids of the script worlds of other extensions, whose rights are not those of the page. */
  readonly #foreign = new Set<unknown>();
  readonly #paused = new Map<unknown, string>();

  /** Returns whether the server may get the event. */
  follow(method: string, params: Params): boolean {
    if (method === 'Runtime.executionContextCreated')
      return this.#addContext(params['context'] as ScriptContext);
    if (method === 'Runtime.executionContextsCleared') this.#clearContexts();
    if (method === 'Runtime.executionContextDestroyed') this.#removeContext(params);
    if (method === 'Fetch.requestPaused') this.#addRequest(params);
    return !method.startsWith('Runtime.') || !this.#foreign.has(readContext(params));
  }

  /** Throws if the command names a script world that the server may not use. */
  checkContext(params: Params): void {
    for (const field of CONTEXT_FIELDS) {
      const named = params[field];
      if (named !== undefined && !this.#contexts.has(named)) throw new ContextGone();
    }
  }

  /** The address of the paused request that the command names. */
  findRequestUrl({ requestId }: Params): string | undefined {
    return this.#paused.get(requestId);
  }

  /** Chrome has run the command. */
  finish(method: string, { requestId }: Params): void {
    if (CONTINUING.has(method)) this.#paused.delete(requestId);
    if (method === 'Fetch.disable') this.#paused.clear();
  }

  #addContext({ id, uniqueId, origin }: ScriptContext): boolean {
    const isForeign = origin.startsWith('chrome-extension:');
    const ids = isForeign ? this.#foreign : this.#contexts;
    ids.add(id).add(uniqueId);
    return !isForeign;
  }

  #removeContext({ executionContextId, executionContextUniqueId }: Params): void {
    this.#contexts.delete(executionContextId);
    this.#contexts.delete(executionContextUniqueId);
  }

  #clearContexts(): void {
    this.#contexts.clear();
    this.#foreign.clear();
  }

  #addRequest({ requestId, request }: Params): void {
    this.#paused.set(requestId, (request as { readonly url: string }).url);
  }
}

/** The script world that caused an event: of a message, of an exception, of a binding. */
const readContext = ({ executionContextId, exceptionDetails }: Params): unknown =>
  executionContextId ?? (exceptionDetails as Params | undefined)?.['executionContextId'];
