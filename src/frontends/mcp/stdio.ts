// MCP over stdin and stdout, one JSON message per line: lasts as long as the client keeps them open.
import type { Readable, Writable } from 'node:stream';
import { fail } from '../../core/failure.ts';
import { settledWithin } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { claimsStateless } from './era.ts';
import { splitLines } from './lines.ts';
import { createMethods, type Methods } from './methods.ts';
import { errorResponse, failureResponse, RPC } from './protocol.ts';

/** How long the engine may take to stop before the process ends without it. */
const STOP_MS = 5_000;

interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** What stands behind the methods: an engine of our own, or the way to one. */
type Behind = Pick<Engine, 'config' | 'log' | 'stop'>;

/** Serves until the client is gone and the engine is stopped; the process can end then. */
export const serveStdio = (engine: Engine, streams?: Streams): Promise<void> => serveMethods(createMethods(engine), engine, streams);

export const serveMethods = async (
  methods: Methods,
  engine: Behind,
  { input = process.stdin, output = process.stdout }: Streams = {},
): Promise<void> => {
  const send = (message: unknown): void => {
    if (output.writable) output.write(`${JSON.stringify(message)}\n`);
  };
  const conversation = openingConversation(methods, engine, send);
  const gone = clientGone(input, output);
  input.on('data', createReader(engine, conversation, send));
  await gone;
  conversation.close();
  await settledWithin(engine.stop(), STOP_MS);
  await flushed(output);
};

const createReader = (engine: Behind, conversation: Conversation, send: (message: unknown) => void): ((chunk: Buffer) => void) => {
  const maxBytes = engine.config.maxRequestBytes;
  return splitLines({
    maxBytes,
    onLine: (line) => {
      const value = parseLine(line);
      if (value === undefined) send(errorResponse(null, { code: RPC.parseError, message: 'The line is not JSON.' }));
      else conversation.receive(value);
    },
    onTooLong: () => send(failureResponse(fail('payload_too_large', `A message may have at most ${maxBytes} bytes.`))),
  });
};

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined; // no JSON text parses to undefined
  }
};

/** The first message decides: most clients speak the 2025 protocol, and only the others wait for the SDK to load. */
const openingConversation = (methods: Methods, engine: Behind, send: (message: unknown) => void): Conversation => {
  let opened: Conversation | undefined;
  return {
    receive: (value) => {
      opened ??= claimsStateless(value) ? sdkConversation(methods, engine, send) : createConversation(methods, send);
      opened.receive(value);
    },
    close: () => opened?.close(),
  };
};

const sdkConversation = (methods: Methods, engine: Behind, send: (message: unknown) => void): Conversation => {
  const loaded = import('./sdk/stdio.ts').then(({ createSdkConversation }) => createSdkConversation(methods, engine.log, send));
  const withLoaded = (use: (conversation: Conversation) => void): void => {
    loaded.then(use).catch((error: unknown) => engine.log.defect(error));
  };
  return {
    receive: (value) => withLoaded((conversation) => conversation.receive(value)),
    close: () => withLoaded((conversation) => conversation.close()),
  };
};

/** A client that closes either pipe is gone; that it does so in the middle of our writing (EPIPE) is no error of ours. */
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
