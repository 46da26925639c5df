// Client of the daemon: finds it, starts it if requested, and calls its tools. Loads few modules.
import { defined } from '../../core/defined.ts';
import type { Settings } from '../../core/config.ts';
import { fail, type Failure, type FailureCode, FAILURES } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { abortable } from '../../core/time.ts';
import type { DaemonNote } from '../../store/config/daemon-file.ts';
import type { ReplyFacts } from '../../pipeline/call.ts';
import type { ClientAnswers } from '../mcp/client-answers.ts';
import {
  type ClientFacts,
  FACTS_KEY,
  toHeaders,
  type ClientPreferences,
} from '../mcp/client-facts.ts';
import { findDaemon, findDaemonProcess, HELLO_MS, runsThisProgram } from './daemon/find-daemon.ts';
import { digestSettingSources } from './daemon/settings.ts';
import { ConnectionLost, LEASE_PATH, sendRequest } from './daemon/wire.ts';

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** The result of tools/call as the daemon sent it. */
export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
  readonly _meta?: { readonly [FACTS_KEY]?: ReplyFacts };
}

/** The JSON of a reply; throws the failure of a call that failed. */
export const readAnswer = <T>({ content, isError }: ToolAnswer): T => {
  const [first] = content;
  const value = JSON.parse(first?.type === 'text' ? first.text : '{}') as T;
  if (!isError) return value;
  const { code, message, ...details } = (value as { error: { code: string; message: string } })
    .error;
  throw fail(Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal', message, details);
};

export interface ProgressMessage {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  /** Aborting it cancels the work in the daemon; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ProgressMessage) => void) | undefined;
  /** Receives the requests that the daemon sends during the call; `send` sends the responses. */
  readonly createAnswers?: ((send: (response: object) => void) => ClientAnswers) | undefined;
}

export interface DaemonClient {
  /** Resolves with isError if the tool failed; throws a Failure if the daemon cannot be reached. */
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolAnswer>;
  /** The tools as tools/list returns them. */
  listTools(): Promise<readonly Record<string, unknown>[]>;
  /** Any MCP method; throws RpcFailure for protocol errors. */
  request(method: string, params: object, options?: CallOptions): Promise<object>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly home: Home;
  /** Called only to start a daemon, or if the running one may have other settings. */
  readonly settings: () => Promise<Settings>;
  /**
   * True if the settings may come from flags, which the daemon's digest of its sources does not
   * cover.
   */
  readonly mayHaveFlags: boolean;
  /** The session of calls that do not name one. */
  readonly session?: string;
  /**
   * Base of relative paths; files may be read and written in it and in the home folder. Default:
   * the working folder.
   */
  readonly folder?: string;
  /** Output settings of this client; they override those of the daemon. */
  readonly wishes?: ClientPreferences;
  /** Start a daemon if none is running; otherwise the call fails with `no_daemon`. */
  readonly start: boolean;
  /**
   * Identify the daemon by its process, if the system allows it. Saves a request; if the daemon
   * does not respond, the call fails with `no_daemon` and had no effect.
   */
  readonly quick?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the reason if the tabs of an earlier daemon are gone. */
  readonly onLostTabs?: ((reason: string) => void) | undefined;
  /** Called when the daemon has ended. If set, the session ends when this client closes. */
  readonly onGone?: () => void;
  /** The program file to start as the daemon. Default: this program. */
  readonly entry?: string;
}

export const connectDaemon = async (options: ConnectOptions): Promise<DaemonClient> => {
  const known = options.quick ? findOwnDaemon(options) : undefined;
  const note = known ?? (await requireDaemon(options));
  const facts: ClientFacts = { folder: process.cwd(), ...pick(options) };
  await requireSameSettings(note, options);
  const client = createClient(note, facts, known && HELLO_MS);
  return options.onGone ? { ...client, close: await stay(note, facts, options.onGone) } : client;
};

const findOwnDaemon = ({ home, entry }: ConnectOptions): DaemonNote | undefined => {
  const note = findDaemonProcess(home.daemon);
  return note && runsThisProgram(note, entry) ? note : undefined;
};

/** The daemon keeps the session while this connection is open, then closes its tabs. */
const stay = async (
  note: DaemonNote,
  facts: ClientFacts,
  onGone: () => void,
): Promise<DaemonClient['close']> => {
  const leaving = new AbortController();
  const asked = {
    method: 'GET',
    path: LEASE_PATH,
    headers: toHeaders(facts),
    signal: leaving.signal,
    onMessage: () => {},
  } as const;
  void sendRequest(note, asked)
    .catch(() => {})
    .finally(onGone);
  return async () => leaving.abort(fail('cancelled', 'The host is gone.'));
};

const pick = ({ session, folder, wishes }: ConnectOptions): ClientFacts =>
  defined({
    session,
    wishes,
    folder,
  });

/** Returns the running daemon of this program, or starts one. */
const requireDaemon = async (options: ConnectOptions): Promise<DaemonNote> => {
  const { home, signal, start, entry } = options;
  const found = await findDaemon(home.daemon, signal);
  if (found.state === 'ready' && runsThisProgram(found.note, entry)) return found.note;
  if (!start && found.state !== 'ready') throw fail('no_daemon', 'No daemon is running.');
  const { ensureDaemon, otherVersionFailure: otherVersion } =
    await import('./daemon/ensure-daemon.ts');
  if (!start && found.state === 'ready') throw otherVersion(found.note);
  const { note, lost: reason } = await abortable(ensureDaemon(options), signal);
  if (reason !== undefined) options.onLostTabs?.(reason);
  return note;
};

/** Loads the configuration only if it can differ from the daemon's: loading slows every command. */
const requireSameSettings = async (
  note: DaemonNote,
  { mayHaveFlags, settings, home, wishes }: ConnectOptions,
): Promise<void> => {
  if (!mayHaveFlags && (await digestSettingSources(home.root)) === note.environment) return;
  const { requireMatchingDaemon } = await import('./daemon/compare-settings.ts');
  await requireMatchingDaemon(note, await settings(), wishes?.shell ? 'command' : 'host');
};

/**
 * The daemon must be identified before this is called. `confirmMs`: it has not answered yet, so the
 * first request waits this long for a sign of life.
 */
const createClient = (
  note: DaemonNote,
  facts: ClientFacts,
  confirmMs: number | undefined,
): DaemonClient => {
  const headers = toHeaders(facts);
  let lastId = 0;

  /** A response that is lost is not needed: the daemon ends the call when its connection ends. */
  const respond = (response: object): void =>
    void sendRequest(note, { method: 'POST', path: '/mcp', headers, body: response }).catch(
      () => {},
    );

  const request: DaemonClient['request'] = async (method, params, options = {}) => {
    const { signal, onProgress, createAnswers } = options;
    const id = ++lastId;
    let response: unknown;
    using answers = createAnswers?.(respond);
    const onMessage = (message: unknown): void => {
      answers?.receive(message);
      if (!isProgress(message, onProgress)) response = message;
    };
    const body = {
      jsonrpc: '2.0',
      id,
      method,
      params: onProgress ? withProgressToken(params, id) : params,
    };
    const sent = {
      method: 'POST',
      path: '/mcp',
      headers,
      body,
      signal,
      confirmMs: id === 1 ? confirmMs : undefined,
    } as const;
    const streams = onProgress !== undefined || answers !== undefined;
    const answer = await sendRequest(note, streams ? { ...sent, onMessage } : sent).catch(
      (error: unknown) => {
        throw error instanceof ConnectionLost ? lost(error) : error;
      },
    );
    return resultOf(response ?? answer.body, answer.status);
  };

  return {
    request,
    callTool: async (name, args, options) =>
      (await request('tools/call', { name, arguments: args }, options)) as ToolAnswer,
    listTools: async () =>
      ((await request('tools/list', {})) as { tools: Record<string, unknown>[] }).tools,
    close: async () => {},
  };
};

const withProgressToken = (params: object, progressToken: number): object => {
  const { _meta } = params as { readonly _meta?: object };
  return { ...params, _meta: { ..._meta, progressToken } };
};

const isProgress = (message: unknown, tell: CallOptions['onProgress']): boolean => {
  const { method, params } = message as {
    readonly method?: string;
    readonly params?: ProgressMessage;
  };
  if (method === 'notifications/progress' && params) tell?.(params);
  return method !== undefined;
};

/** A request that was not sent had no effect; a request that was sent may have had one. */
const lost = ({ sent, cause }: ConnectionLost): Failure =>
  sent
    ? fail('daemon_lost', 'The daemon ended during the call.', {}, cause)
    : fail(
        'no_daemon',
        'The daemon is gone.',
        { hint: 'Call again: a new one is started.', retryable: true },
        cause,
      );

interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** A protocol error, as opposed to a failed tool. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  constructor(readonly body: RpcErrorBody) {
    super(body.message);
  }
}

const resultOf = (response: unknown, status: number): object => {
  const { result, error } = (response ?? {}) as {
    readonly result?: object;
    readonly error?: RpcErrorBody;
  };
  if (result) return result;
  throw error
    ? failureOf(error)
    : fail('daemon_lost', `The daemon's answer cannot be understood (status ${status}).`);
};

/** Errors from our own server carry the failure in `data`. */
const failureOf = (error: RpcErrorBody): Failure | RpcFailure => {
  const { code, ...details } = (error.data ?? {}) as { readonly code?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(FAILURES, code);
  return known ? fail(code as FailureCode, error.message, details) : new RpcFailure(error);
};
