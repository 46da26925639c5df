// MCP over stdin and stdout, one JSON message per line: lasts as long as the client keeps them
// open.
import type { Readable, Writable } from 'node:stream';
import { fail, type Failure } from '../../core/failure.ts';
import { settlesWithin } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { claimsStateless } from './era.ts';
import { type LineSplitter, splitLines } from './lines.ts';
import { createMethods, type Methods } from './methods.ts';
import {
  buildErrorResponse,
  buildFailureResponse,
  buildResultResponse,
  classify,
  type Id,
  isObject,
  type Request,
  RPC,
  type RpcResponse,
} from './protocol.ts';
import { toResult } from './result.ts';

/** How long the engine may take to stop before the process ends without it. */
const STOP_MS = 5_000;

interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
  /** Aborts with a failure after an error that no code handled. */
  readonly crash?: AbortSignal;
  /** Bytes of stdin that a process that crashed had read. */
  readonly before?: Buffer | undefined;
}

/** What stands behind the methods: an engine of our own, or the way to one. */
type Behind = Pick<Engine, 'config' | 'log' | 'stop'>;

/**
 * Serves until the client is gone or the engine crashes, and stops the engine. Returns undefined if
 * the client is gone, and after a crash the bytes of stdin that were read and not used: the next
 * process continues with these.
 */
export const serveStdio = (engine: Engine, streams?: Streams): Promise<Buffer | undefined> =>
  serveMethods(createMethods(engine), engine, streams);

export const serveMethods = async (
  methods: Methods,
  engine: Behind,
  { input = process.stdin, output = process.stdout, crash, before }: Streams = {},
): Promise<Buffer | undefined> => {
  const unanswered = new Unanswered((message) => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  });
  const conversation = openingConversation(methods, engine, (message) => unanswered.send(message));
  const { take, rest } = createReader(engine, conversation, unanswered);
  const crashed = whenAborted(crash, (failure) => {
    // A paused stdin reads nothing: later requests stay in the pipe for the next process.
    // Pending calls get their failure now, before anything can hang.
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
  // After a crash the next process needs what this one held: it starts when that is free, or the
  // process exits.
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
  engine: Behind,
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
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined; // no JSON text parses to undefined
  }
};

/**
 * The first message decides: most clients speak the 2025 protocol, and only the others wait for the
 * SDK to load.
 */
const openingConversation = (
  methods: Methods,
  engine: Behind,
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
  engine: Behind,
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
 * A client that closes either pipe is gone; that it does so in the middle of our writing (EPIPE) is
 * no error of ours.
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

  /** Remembers the requests of one line. */
  add(value: unknown): void {
    for (const part of Array.isArray(value) ? value : [value]) {
      const message = classify(part);
      if (message.kind === 'request') this.#requests.set(message.message.id, message.message);
    }
  }

  /**
   * Writes a message of the server. After a crash only the failures of this class answer requests.
   */
  send(message: unknown): void {
    const responses = (Array.isArray(message) ? message : [message]).filter(isResponse);
    if (this.#crashed && responses.length > 0) return;
    for (const { id } of responses) this.#requests.delete(id as Id);
    this.#write(message);
  }

  /** Answers every open request with the failure. */
  crash(failure: Failure): void {
    this.#crashed = true;
    for (const request of this.#requests.values()) this.#write(failureTo(request, failure));
    this.#requests.clear();
  }
}

const isResponse = (message: unknown): message is RpcResponse =>
  isObject(message) && ('result' in message || 'error' in message);

/**
 * Clients of the 2026 protocol expect results in a form that only the SDK builds: they get an error
 * of the protocol.
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
