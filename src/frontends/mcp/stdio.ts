// MCP over stdin and stdout, one JSON message per line, until the client closes them.
import { tryParseJson } from '../../core/json.ts';
import type { Readable, Writable } from 'node:stream';
import { fail, type Failure } from '../../core/failure.ts';
import { settlesWithin } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import {
  type Conversation,
  createConversation,
  type LineSplitter,
  splitLines,
} from './conversation.ts';
import {
  buildErrorResponse,
  buildFailureResponse,
  buildResultResponse,
  claimsStateless,
  classify,
  type Id,
  type Request,
  RPC,
  type RpcResponse,
} from './protocol.ts';
import { isRecord } from '../../core/json.ts';
import type { Methods } from './methods.ts';
import { toResult } from './result.ts';

/** Timeout for stopping the engine before the process exits. */
const STOP_MS = 5_000;

interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
  /** Aborts with a failure after an unhandled error. */
  readonly crash?: AbortSignal;
  /** Bytes of stdin that a crashed process had read. */
  readonly before?: Buffer | undefined;
}

/** The engine of this process, or the connection to a shared one. */
export type EngineHandle = Pick<Engine, 'config' | 'log' | 'stop'>;

/**
 * Serves until the client disconnects or the engine crashes, and stops the engine. Returns
 * undefined if the client disconnected; after a crash the unused bytes of stdin, for the next
 * process.
 */
export const serveStdio = async (
  engine: Engine,
  streams?: Streams,
): Promise<Buffer | undefined> => {
  const { createMethods } = await import('./methods.ts');
  return serveMethods(createMethods(engine), engine, streams);
};

export const serveMethods = async (
  methods: Methods,
  engine: EngineHandle,
  { input = process.stdin, output = process.stdout, crash, before }: Streams = {},
): Promise<Buffer | undefined> => {
  const unanswered = new Unanswered((message) => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  });
  const conversation = openingConversation(methods, engine, (message) => unanswered.send(message));
  const { take, rest } = createReader(engine, conversation, unanswered);
  const crashed = whenAborted(crash, (failure) => {
    // A paused stdin reads nothing: later requests stay in the pipe for the next process. Pending
    // calls get their failure now, before anything can hang.
    input.off('data', take);
    input.pause();
    unanswered.crash(failure);
  });
  const gone = clientGone(input, output);
  if (before) take(before);
  input.on('data', take);
  await Promise.race([gone, crashed]);
  conversation.close();
  const stopped = engine.stop();
  // After a crash this waits without a timeout: the next process needs the resources of this one.
  await (crash?.aborted ? stopped : settlesWithin(stopped, STOP_MS));
  await flushed(output);
  return crash?.aborted ? rest() : undefined;
};

const whenAborted = (
  signal: AbortSignal | undefined,
  act: (failure: Failure) => void,
): Promise<void> =>
  new Promise((resolve) => {
    signal?.addEventListener('abort', () => {
      act(signal.reason as Failure);
      resolve();
    });
  });

const createReader = (
  engine: EngineHandle,
  conversation: Conversation,
  unanswered: Unanswered,
): LineSplitter => {
  const maxBytes = engine.config.maxRequestBytes;
  const send = (message: unknown): void => unanswered.send(message);
  return splitLines({
    maxBytes,
    onLine: (line) => {
      const value = parseLine(line);
      if (value === undefined)
        send(buildErrorResponse(null, { code: RPC.parseError, message: 'The line is not JSON.' }));
      else {
        unanswered.add(value);
        conversation.receive(value);
      }
    },
    onTooLong: () =>
      send(
        buildFailureResponse(
          fail('payload_too_large', `A message may have at most ${maxBytes} bytes.`),
        ),
      ),
  });
};

const parseLine = (line: string): unknown => {
  // no JSON text parses to undefined
  return tryParseJson(line);
};

/** The first message decides: clients of the 2025 protocol do not wait for the SDK to load. */
const openingConversation = (
  methods: Methods,
  engine: EngineHandle,
  send: (message: unknown) => void,
): Conversation => {
  let opened: Conversation | undefined;
  return {
    receive: (value) => {
      opened ??= claimsStateless(value)
        ? sdkConversation(methods, engine, send)
        : createConversation(methods, send);
      opened.receive(value);
    },
    close: () => opened?.close(),
  };
};

const sdkConversation = (
  methods: Methods,
  engine: EngineHandle,
  send: (message: unknown) => void,
): Conversation => {
  const loaded = import('./sdk/stdio.ts').then(({ createSdkConversation }) =>
    createSdkConversation(methods, engine.log, send),
  );
  const withLoaded = (use: (conversation: Conversation) => void): void => {
    loaded.then(use).catch((error: unknown) => engine.log.defect(error));
  };
  return {
    receive: (value) => withLoaded((conversation) => conversation.receive(value)),
    close: () => withLoaded((conversation) => conversation.close()),
  };
};

/**
 * A client that closes stdin or stdout has disconnected; an EPIPE while writing is not an error.
 */
const clientGone = (input: Readable, output: Writable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.on(event, () => resolve());
    for (const event of ['close', 'error']) output.on(event, () => resolve());
  });

const flushed = (output: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (!output.writable) return resolve();
    output.once('close', () => resolve());
    output.write('', () => resolve());
  });

class Unanswered {
  readonly #write: (message: unknown) => void;
  readonly #requests = new Map<Id, Request>();
  #crashed = false;

  constructor(write: (message: unknown) => void) {
    this.#write = write;
  }

  /** Adds the requests of one line. */
  add(value: unknown): void {
    for (const part of Array.isArray(value) ? value : [value]) {
      const message = classify(part);
      if (message.kind === 'request') this.#requests.set(message.message.id, message.message);
    }
  }

  /** Writes a message. After a crash only this class answers requests. */
  send(message: unknown): void {
    const responses = (Array.isArray(message) ? message : [message]).filter(isResponse);
    if (this.#crashed && responses.length > 0) return;
    for (const { id } of responses) this.#requests.delete(id as Id);
    this.#write(message);
  }

  /** Answers every pending request with the failure. */
  crash(failure: Failure): void {
    this.#crashed = true;
    for (const request of this.#requests.values()) this.#write(failureTo(request, failure));
    this.#requests.clear();
  }
}

const isResponse = (message: unknown): message is RpcResponse =>
  isRecord(message) && ('result' in message || 'error' in message);

/**
 * Clients of the 2026 protocol get a protocol error, because only the SDK can build their results.
 */
const failureTo = (request: Request, failure: Failure): RpcResponse => {
  if (request.method === 'tools/call' && !claimsStateless(request))
    return buildResultResponse(
      request.id,
      toResult({ failure, images: [], notes: [] }, { asked: false, promised: false }),
    );
  const { message, ...data } = failure.toJSON().error;
  return buildErrorResponse(request.id, { code: RPC.refused, message, data });
};
