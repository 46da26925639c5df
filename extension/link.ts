// The extension's end of the link to the server: proves both sides, keeps it alive, reconnects.
import {
  computeProof,
  createNonce,
  deriveLinkKey,
  type ExtensionProof,
  isProof,
  LINK_PATH,
  LINK_VERSION,
  type LinkHello,
  type LinkPurpose,
  type LinkTerms,
} from '../src/browser/extension/link-proof.ts';

/** Chrome ends a service worker after 30 s without a message. */
const ALIVE_MS = 20_000;
const RETRY_MS = 2_500;
const PROOF_MS = 5_000;
const ALIVE = JSON.stringify({ method: 'OpenChrome.alive', params: {} });

export interface Pairing {
  readonly port: number;
  readonly key: string;
}

interface LinkListener {
  readonly onMessage: (text: string) => void;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

interface OpenLink {
  readonly socket: WebSocket;
  readonly terms: LinkTerms;
}

export class Link {
  readonly #listener: LinkListener;
  #pairing: Pairing | undefined;
  #socket: WebSocket | undefined;
  #isConnecting = false;

  constructor(listener: LinkListener) {
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return this.#socket !== undefined;
  }

  get pairing(): Pairing | undefined {
    return this.#pairing;
  }

  /** Connects to the paired server, now and whenever the connection is lost. */
  async start(): Promise<void> {
    const { pairing } = (await chrome.storage.local.get('pairing')) as { pairing?: Pairing };
    this.#pairing = pairing;
    setInterval(() => void this.connect(), RETRY_MS);
    setInterval(() => this.send(ALIVE), ALIVE_MS);
    await this.connect();
  }

  async connect(): Promise<void> {
    // A call of Chrome's API keeps the service worker alive while no server is running.
    await chrome.runtime.getPlatformInfo();
    if (!this.#pairing || this.#socket || this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      this.#use(await openLink(this.#pairing.port, 'link', this.#pairing.key));
    } catch {
      // no server is running, or it is not the paired one: the timer tries again
    } finally {
      this.#isConnecting = false;
    }
  }

  /** Pairs with the server that showed the ticket. Throws if it is not that server. */
  async pair(port: number, ticket: string): Promise<void> {
    const { socket, terms } = await openLink(port, 'pair', ticket);
    socket.close();
    this.#pairing = { port, key: await deriveLinkKey(ticket, terms) };
    await chrome.storage.local.set({ pairing: this.#pairing });
    this.#socket?.close();
  }

  async forget(): Promise<void> {
    this.#pairing = undefined;
    await chrome.storage.local.remove('pairing');
    this.#socket?.close();
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  #use({ socket }: OpenLink): void {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#listener.onMessage(String(data)));
    socket.addEventListener('close', () => {
      this.#socket = undefined;
      this.#listener.onClose();
    });
    this.#listener.onOpen();
  }
}

/** Sends nothing but a nonce before the server has proved that it knows the key. */
const openLink = async (port: number, purpose: LinkPurpose, key: string): Promise<OpenLink> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${LINK_PATH}`);
  const timer = setTimeout(() => socket.close(), PROOF_MS);
  try {
    await nextEvent(socket, 'open');
    const extensionNonce = createNonce();
    send<LinkHello>(socket, { version: LINK_VERSION, purpose, nonce: extensionNonce });
    const { nonce, proof } = await nextMessage(socket);
    const terms = { purpose, port, extensionNonce, serverNonce: String(nonce) };
    if (!(await isProof(proof, key, 'server', terms))) throw new Error('The server has no proof.');
    const ready = nextMessage(socket);
    send<ExtensionProof>(socket, { proof: await computeProof(key, 'extension', terms) });
    if ((await ready)['ready'] !== true) throw new Error('The server rejected the proof.');
    return { socket, terms };
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const send = <T>(socket: WebSocket, message: T): void => socket.send(JSON.stringify(message));

const nextEvent = (socket: WebSocket, name: 'open' | 'message'): Promise<Event> =>
  new Promise((resolve, reject) => {
    socket.addEventListener(name, resolve, { once: true });
    const closed = (): void => reject(new Error('The server closed the connection.'));
    socket.addEventListener('close', closed, { once: true });
  });

const MAX_PROOF_CHARS = 1_000;

const nextMessage = async (socket: WebSocket): Promise<Record<string, unknown>> => {
  const { data } = (await nextEvent(socket, 'message')) as MessageEvent;
  if (typeof data !== 'string' || data.length > MAX_PROOF_CHARS)
    throw new Error('The server sent no proof.');
  return JSON.parse(data) as Record<string, unknown>;
};
