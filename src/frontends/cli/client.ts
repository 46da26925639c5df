// The command line's side of the daemon: finds it, starts it where that is wanted, and calls tools there. Loads next to nothing.
import type { Config } from '../../core/config.ts';
import { fail, FAILURES, type Failure, type FailureCode } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import type { DaemonNote } from '../../store/daemon-file.ts';
import { findDaemon } from './daemon/find.ts';
import { runsThisProgram } from './daemon/program-mark.ts';
import { ask, ConnectionLost } from './daemon/wire.ts';

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** The result of tools/call as the daemon sent it. */
export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
}

export interface ProgressMessage {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  /** Aborting it cancels the work in the daemon; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ProgressMessage) => void) | undefined;
}

export interface DaemonClient {
  /** What the user should know about this daemon, one line each: flags that it was not started with. */
  readonly notes: readonly string[];
  /** A tool that failed is an answer with isError; a daemon that cannot be reached is a thrown Failure. */
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  /** The tools as MCP announces them. */
  listTools(): Promise<readonly Record<string, unknown>[]>;
  /** Any other method of MCP. */
  request(method: string, params: object, options?: CallOptions): Promise<object>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly home: Home;
  /** Asked for only when a daemon is started, or when it may run with other settings. */
  readonly config: () => Promise<Config>;
  /** The configuration's flags of this command, as they were written. */
  readonly flags?: readonly string[];
  /** The workspace of calls that name none. */
  readonly session?: string;
  /** Where relative paths of calls begin, and what may be read and written besides the home folder. */
  readonly folder?: string;
  /** Whether to start a daemon where none runs; else that is the failure `no_daemon`. */
  readonly start: boolean;
  readonly signal?: AbortSignal | undefined;
  /** The program that is started as the daemon: this one, unless told. */
  readonly entry?: string;
}

export const connectDaemon = async (options: ConnectOptions): Promise<DaemonClient> => {
  const { home, signal } = options;
  const found = await findDaemon(home.daemon, signal);
  if (found.state === 'ready' && runsThisProgram(found.note, options.entry)) return createClient(found.note, options);
  if (!options.start && found.state !== 'ready') throw fail('no_daemon', 'No daemon is running.');
  throw fail('no_daemon', 'No daemon is running.');
};

const createClient = (note: DaemonNote, { session, folder = process.cwd() }: ConnectOptions): DaemonClient => {
  const headers = clientHeaders({ session, folder });
  let lastId = 0;

  const request = async (method: string, params: object, { signal, onProgress }: CallOptions = {}): Promise<object> => {
    const id = ++lastId;
    let response: unknown;
    const onMessage = onProgress && ((message: unknown) => void (progressIn(message, onProgress) || (response = message)));
    const body = { jsonrpc: '2.0', id, method, params: onProgress ? withProgressToken(params, id) : params };
    const answer = await ask(note, { method: 'POST', path: '/mcp', headers, body, signal, ...(onMessage ? { onMessage } : {}) });
    return resultOf(response ?? answer.body, answer.status);
  };

  return {
    notes: [],
    request,
    callTool: async (name, args, options) => (await request('tools/call', { name, arguments: args }, options)) as ToolAnswer,
    listTools: async () => ((await request('tools/list', {})) as { tools: Record<string, unknown>[] }).tools,
    close: async () => {},
  };
};

export const SESSION_HEADER = 'openchrome-session';
export const FOLDER_HEADER = 'openchrome-folder';

/** Encoded, because names and paths may hold what a header may not. */
const clientHeaders = ({ session, folder }: { session: string | undefined; folder: string }): Record<string, string> => ({
  ...(session === undefined ? {} : { [SESSION_HEADER]: encodeURIComponent(session) }),
  [FOLDER_HEADER]: encodeURIComponent(folder),
});

const withProgressToken = (params: object, progressToken: number): object => ({
  ...params,
  _meta: { ...('_meta' in params ? (params._meta as object) : {}), progressToken },
});

const progressIn = (message: unknown, tell: (progress: ProgressMessage) => void): boolean => {
  const { method, params } = message as { readonly method?: string; readonly params?: ProgressMessage };
  if (method === 'notifications/progress' && params) tell(params);
  return method !== undefined;
};

interface RpcResponse {
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

const resultOf = (response: unknown, status: number): object => {
  const { result, error } = (response ?? {}) as RpcResponse;
  if (result) return result;
  throw error ? failureOf(error) : fail('daemon_lost', `The daemon's answer cannot be understood (status ${status}).`);
};

/** What our server refuses has a failure in its data; the rest is a request that the protocol does not know. */
const failureOf = ({ message, data = {} }: NonNullable<RpcResponse['error']>): Failure => {
  const { code, ...details } = data as { readonly code?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(FAILURES, code);
  return fail(known ? (code as FailureCode) : 'bad_request', message, details);
};

export { ConnectionLost };
