// Listens on the loopback port of the link: accepts our extension and other servers of the user.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { fail } from '../../core/failure.ts';
import { isObject, tryParseJson } from '../../core/json.ts';
import { Events } from '../../core/events.ts';
import { Deadline } from '../../core/time.ts';
import {
  computeProof,
  createNonce,
  EXTENSION_ID,
  isProof,
  LINK_PATH,
  LINK_VERSION,
  type LinkPurpose,
  type LinkReady,
  type LinkTerms,
  type ListenerProof,
  SHARE_PATH,
} from './link-proof.ts';

export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** How long a connection may take to prove that it knows the key. */
const PROOF_MS = 5_000;
const MAX_UNPROVEN = 8;
const MAX_PROOF_BYTES = 1_000;
/** The WebSocket status code of a connection that violates the protocol. */
export const POLICY_VIOLATION = 1008;

export interface LinkServerOptions {
  readonly port: number;
  readonly purposes: readonly LinkPurpose[];
  /** The key of the pairing, or the ticket of a new one. */
  readonly key: string;
}

/** A connection whose two sides have proved that they know the key. */
export interface ProvenLink {
  readonly socket: WebSocket;
  readonly terms: LinkTerms;
  /** The id of a server that shares the link; '' for the extension. */
  readonly member: string;
}

export class LinkServer {
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  readonly #events = new Events<{ proven: ProvenLink }>();
  readonly #options: LinkServerOptions;
  #unproven = 0;

  private constructor(options: LinkServerOptions) {
    this.#options = options;
    this.#server = createServer((_, response) => response.writeHead(404).end());
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Returns undefined if the port is in use. */
  static async start(options: LinkServerOptions): Promise<LinkServer | undefined> {
    const link = new LinkServer(options);
    return new Promise((resolve, reject) => {
      link.#server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
      );
      link.#server.listen(options.port, '127.0.0.1', () => resolve(link));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The listener must call `sendReady` before it uses the connection. */
  onProven(listener: (link: ProvenLink) => void): void {
    this.#events.on('proven', listener);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy()); // the client disconnected
    const purposes = listPurposes(request, this.port).filter((purpose) =>
      this.#options.purposes.includes(purpose),
    );
    if (purposes.length === 0 || this.#unproven >= MAX_UNPROVEN)
      return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    this.#sockets.handleUpgrade(
      request,
      socket,
      head,
      (client) => void this.#accept(client, purposes),
    );
  }

  async #accept(socket: WebSocket, purposes: readonly LinkPurpose[]): Promise<void> {
    this.#unproven++;
    socket.on('error', () => socket.terminate()); // an invalid frame, or the client disconnected
    try {
      this.#events.emit('proven', await this.#prove(socket, purposes));
    } catch {
      socket.close(POLICY_VIOLATION); // the client learns only that it was rejected
    } finally {
      this.#unproven--;
    }
  }

  async #prove(socket: WebSocket, purposes: readonly LinkPurpose[]): Promise<ProvenLink> {
    using deadline = new Deadline(PROOF_MS, () => fail('timeout', 'No proof in time.'));
    const { key } = this.#options;
    const hello = await readMessage(socket, deadline.signal);
    const { nonce: callerNonce, member = '' } = hello;
    const purpose = purposes.find((one) => one === hello['purpose']);
    if (hello['version'] !== LINK_VERSION || purpose === undefined) throw REJECTED;
    if (!isMatch(callerNonce, NONCE) || !isMatch(member, MEMBERS[purpose])) throw REJECTED;
    const listenerNonce = createNonce();
    const terms = { purpose, port: this.port, callerNonce, listenerNonce };
    const proof = await computeProof(key, 'listener', terms);
    const answer = readMessage(socket, deadline.signal);
    send<ListenerProof>(socket, { nonce: listenerNonce, proof });
    if (!(await isProof((await answer)['proof'], key, 'caller', terms))) throw REJECTED;
    return { socket, terms, member };
  }
}

const NONCE = /^[0-9a-f]{64}$/;
const MEMBERS: Readonly<Record<LinkPurpose, RegExp>> = {
  pair: /^$/,
  link: /^$/,
  share: /^[0-9a-f]{16}$/,
};

const isMatch = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value);

export const sendReady = (socket: WebSocket): void => send<LinkReady>(socket, { ready: true });

const REJECTED = new Error('The connection does not know the key.');

/**
 * The purposes that a request may have. A web page cannot forge its Origin and cannot omit it; the
 * Host check rejects names that resolve to loopback.
 */
const listPurposes = ({ url, headers }: IncomingMessage, port: number): readonly LinkPurpose[] => {
  if (headers.host !== `127.0.0.1:${port}`) return [];
  if (url === SHARE_PATH && headers.origin === undefined) return ['share'];
  const isExtension = headers.origin === `chrome-extension://${EXTENSION_ID}`;
  return url === LINK_PATH && isExtension ? ['pair', 'link'] : [];
};

const send = <T>(socket: WebSocket, message: T): void => socket.send(JSON.stringify(message));

/** Rejects if the socket closes, if the signal aborts, or if the message is not a small object. */
export const readMessage = (
  socket: WebSocket,
  signal: AbortSignal,
): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    const finish = (): void => {
      socket.off('message', take);
      socket.off('close', stop);
      signal.removeEventListener('abort', stop);
    };
    const stop = (): void => {
      finish();
      reject(REJECTED);
    };
    const take = (data: RawData): void => {
      finish();
      const message = parseSmall(data as Buffer);
      if (message) resolve(message);
      else reject(REJECTED);
    };
    socket.on('message', take);
    socket.on('close', stop);
    signal.addEventListener('abort', stop);
  });

const parseSmall = (data: Buffer): Record<string, unknown> | undefined => {
  if (data.length > MAX_PROOF_BYTES) return undefined;
  const message = tryParseJson(data.toString('utf8'));
  return isObject(message) ? message : undefined;
};
