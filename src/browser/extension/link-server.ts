// The server's end of the link: accepts our extension on a loopback port and checks its proof.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { fail } from '../../core/failure.ts';
import { isObject, tryParseJson } from '../../core/json.ts';
import { Events } from '../../core/events.ts';
import { after, Deadline } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
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
  type ServerProof,
} from './link-proof.ts';

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** How long a connection may take to prove that it is our extension. */
const PROOF_MS = 5_000;
const MAX_UNPROVEN = 8;
const MAX_PROOF_BYTES = 1_000;
/** The WebSocket status code of a connection that violates the protocol. */
const POLICY_VIOLATION = 1008;

export interface LinkServerOptions {
  readonly port: number;
  readonly purpose: LinkPurpose;
  /** The key of the pairing, or the ticket of a new one. */
  readonly key: string;
}

interface ProvenLink {
  readonly socket: WebSocket;
  readonly terms: LinkTerms;
}

export class LinkServer {
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  readonly #events = new Events<{ proven: ProvenLink }>();
  readonly #options: LinkServerOptions;
  #unproven = 0;
  #current: ProvenLink | undefined;

  private constructor(options: LinkServerOptions) {
    this.#options = options;
    this.#server = createServer((_, response) => response.writeHead(404).end());
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  static async start(options: LinkServerOptions): Promise<LinkServer> {
    const link = new LinkServer(options);
    await new Promise<void>((resolve, reject) => {
      link.#server.once('error', reject);
      link.#server.listen(options.port, '127.0.0.1', resolve);
    }).catch((error: unknown) => {
      throw portFailure(options.port, error);
    });
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Waits for the extension; rejects with the signal's reason. */
  async takeLink(signal: AbortSignal): Promise<Transport> {
    return createTransport((await this.#requireLink(signal)).socket);
  }

  /** The terms of the first proven link. */
  async takeTerms(signal: AbortSignal): Promise<LinkTerms> {
    return (await this.#requireLink(signal)).terms;
  }

  async #requireLink(signal: AbortSignal): Promise<ProvenLink> {
    const open = this.#current?.socket.readyState === WebSocket.OPEN ? this.#current : undefined;
    return open ?? this.#events.next('proven', undefined, signal);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy()); // the client disconnected
    if (!isFromExtension(request, this.port) || this.#unproven >= MAX_UNPROVEN)
      return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
    this.#sockets.handleUpgrade(request, socket, head, (client) => void this.#accept(client));
  }

  async #accept(socket: WebSocket): Promise<void> {
    this.#unproven++;
    socket.on('error', () => socket.terminate()); // an invalid frame, or the client disconnected
    try {
      const terms = await this.#prove(socket);
      this.#begin({ socket, terms });
    } catch {
      socket.close(POLICY_VIOLATION); // the client learns only that it was rejected
    } finally {
      this.#unproven--;
    }
  }

  async #prove(socket: WebSocket): Promise<LinkTerms> {
    using deadline = new Deadline(PROOF_MS, () => fail('timeout', 'No proof in time.'));
    const { purpose, key } = this.#options;
    const hello = await readMessage(socket, deadline.signal);
    const nonce = hello['nonce'];
    if (hello['version'] !== LINK_VERSION || hello['purpose'] !== purpose) throw REJECTED;
    if (typeof nonce !== 'string' || !/^[0-9a-f]{64}$/.test(nonce)) throw REJECTED;
    const serverNonce = createNonce();
    const terms = { purpose, port: this.port, extensionNonce: nonce, serverNonce };
    const proof = await computeProof(key, 'server', terms);
    const answer = readMessage(socket, deadline.signal);
    send<ServerProof>(socket, { nonce: serverNonce, proof });
    if (!(await isProof((await answer)['proof'], key, 'extension', terms))) throw REJECTED;
    return terms;
  }

  #begin(link: ProvenLink): void {
    // A ticket is valid once.
    if (this.#options.purpose === 'pair' && this.#current) throw REJECTED;
    this.#current?.socket.close(); // the extension has restarted
    this.#current = link;
    send<LinkReady>(link.socket, { ready: true });
    this.#events.emit('proven', link);
  }
}

const REJECTED = new Error('The connection is not our extension.');

const portFailure = (port: number, error: unknown): unknown =>
  (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    ? fail(
        'attach_failed',
        `Port ${port}, to which the extension connects, is in use.`,
        {
          hint:
            'One server at a time can use the extension: end the other one, or share it with ' +
            '"openchrome serve --shared".',
        },
        error,
      )
    : error;

/** A web page cannot forge its Origin; the Host check rejects names that resolve to loopback. */
const isFromExtension = ({ url, headers }: IncomingMessage, port: number): boolean =>
  url === LINK_PATH &&
  headers.origin === `chrome-extension://${EXTENSION_ID}` &&
  headers.host === `127.0.0.1:${port}`;

const send = <T>(socket: WebSocket, message: T): void => socket.send(JSON.stringify(message));

const readMessage = (socket: WebSocket, signal: AbortSignal): Promise<Record<string, unknown>> =>
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

/** The extension sends a message every 20 s, so a silent link is broken. */
const SILENCE_MS = 65_000;

const createTransport = (socket: WebSocket): Transport => {
  let silence = after(SILENCE_MS, () => socket.terminate());
  const transport: Transport = {
    send: (message) => socket.send(message),
    close: () => socket.close(),
  };
  socket.on('message', (data: RawData) => {
    silence[Symbol.dispose]();
    silence = after(SILENCE_MS, () => socket.terminate());
    transport.onMessage?.((data as Buffer).toString('utf8'));
  });
  socket.on('close', () => {
    silence[Symbol.dispose]();
    transport.onClose?.('the connection to the extension was closed');
  });
  return transport;
};
