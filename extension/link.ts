// The extension's end of the link to the server: proves both sides, keeps it alive, reconnects.
import {
  deriveLinkKey,
  LINK_PATH,
  type LinkPurpose,
  type LinkTerms,
  type Pairing,
  proveAsCaller,
} from '../src/browser/extension/link-proof.ts';

/** Chrome ends a service worker after 30 s without a message. */
const ALIVE_MS = 20_000;
const RETRY_MS = 2_500;
/** After a lost link, another server of the user may listen at once. */
const FIRST_RETRY_MS = 400;
const PROOF_MS = 5_000;

interface LinkListener {
  /** `memberId`: the server that sent it; '' for the hub of the servers. */
  readonly onMessage: (memberId: string, message: unknown) => void;
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
    setInterval(() => this.send('', { alive: true }), ALIVE_MS);
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

  /** Each message is preceded by a line with the server that gets it. */
  send(memberId: string, message: object): void {
    this.#socket?.send(`${memberId}\n${JSON.stringify(message)}`);
  }

  #receive(text: string): void {
    const end = text.indexOf('\n');
    this.#listener.onMessage(text.slice(0, end), JSON.parse(text.slice(end + 1)));
  }

  #use({ socket }: OpenLink): void {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', () => {
      this.#socket = undefined;
      this.#listener.onClose();
      setTimeout(() => void this.connect(), FIRST_RETRY_MS);
    });
    this.#listener.onOpen();
  }
}

const openLink = async (port: number, purpose: LinkPurpose, key: string): Promise<OpenLink> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${LINK_PATH}`);
  const timer = setTimeout(() => socket.close(), PROOF_MS);
  try {
    await nextEvent(socket, 'open');
    const channel = {
      send: (text: string) => socket.send(text),
      read: () => nextMessage(socket),
    };
    const terms = await proveAsCaller(channel, { purpose, port, key });
    return { socket, terms };
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

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
