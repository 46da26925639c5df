// Shares one link to the extension between the servers of the user, each with its own CDP messages.
import { type RawData, WebSocket } from 'ws';
import { Events } from '../../core/events.ts';
import { after } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import type { MembersReport } from './link-commands.ts';
import type { Pairing } from './link-proof.ts';
import { LinkServer, type ProvenLink, sendReady } from './link-server.ts';

/** The extension sends a message every 20 s, so a silent link is broken. */
const SILENCE_MS = 65_000;
const LINK_ENDED = 'the connection to the extension was closed';

/** One server that uses the link. A message is JSON in UTF-8. */
interface Member {
  receive(message: Buffer): void;
  end(): void;
}

/**
 * A message of the link is the id of a member, a line feed, and its CDP message. Messages without a
 * member are those of the hub and the extension themselves: `members` and `alive`.
 */
export class LinkHub {
  readonly #server: LinkServer;
  readonly #members = new Map<string, Member>();
  readonly #events = new Events<{ linked: void }>();
  /** The member in this process. */
  #host = '';
  #extension: WebSocket | undefined;
  #silence: Disposable | undefined;

  private constructor(
    server: LinkServer,
    readonly pairing: Pairing,
  ) {
    this.#server = server;
    server.onProven((link) =>
      link.terms.purpose === 'link' ? this.#link(link.socket) : void this.#admit(link),
    );
  }

  /** Returns undefined if the port is in use, which may be by the hub of another server. */
  static async start(pairing: Pairing): Promise<LinkHub | undefined> {
    const server = await LinkServer.start({ ...pairing, purposes: ['link', 'share'] });
    return server && new LinkHub(server, pairing);
  }

  get port(): number {
    return this.#server.port;
  }

  /** Waits for the extension; rejects with the signal's reason. */
  async join(memberId: string, signal: AbortSignal): Promise<Transport> {
    await this.#requireExtension(signal);
    const transport: Transport = {
      send: (message) => this.#extension?.send(`${memberId}\n${message}`),
      close: () => this.#remove(memberId, member),
    };
    const member: Member = {
      receive: (message) => transport.onMessage?.(message.toString('utf8')),
      end: () => transport.onClose?.(LINK_ENDED),
    };
    this.#host = memberId;
    this.#add(memberId, member);
    return transport;
  }

  async close(): Promise<void> {
    this.#endMembers();
    await this.#server.close();
  }

  async #requireExtension(signal?: AbortSignal): Promise<void> {
    if (this.#extension?.readyState === WebSocket.OPEN) return;
    await this.#events.next('linked', undefined, signal);
  }

  /** A server that connected to this hub. */
  async #admit({ socket, member: memberId }: ProvenLink): Promise<void> {
    await this.#requireExtension();
    if (socket.readyState !== WebSocket.OPEN) return;
    const prefix = Buffer.from(`${memberId}\n`);
    const member: Member = {
      receive: (message) => socket.send(message, { binary: false }),
      end: () => socket.close(),
    };
    socket.on('message', (data: RawData) =>
      this.#extension?.send(Buffer.concat([prefix, data as Buffer]), { binary: false }),
    );
    socket.on('close', () => this.#remove(memberId, member));
    this.#add(memberId, member);
    sendReady(socket);
  }

  #add(memberId: string, member: Member): void {
    this.#members.get(memberId)?.end();
    this.#members.set(memberId, member);
    this.#reportMembers();
  }

  #remove(memberId: string, member: Member): void {
    if (this.#members.get(memberId) !== member) return;
    this.#members.delete(memberId);
    this.#reportMembers();
  }

  /** The extension detaches from the tabs of members that left. */
  #reportMembers(): void {
    const report: MembersReport = { members: [...this.#members.keys()], host: this.#host };
    this.#extension?.send(`\n${JSON.stringify(report)}`);
  }

  #link(socket: WebSocket): void {
    this.#extension?.close(); // the service worker of the extension has restarted
    this.#endMembers();
    this.#extension = socket;
    this.#expectMessage(socket);
    socket.on('message', (data: RawData) => this.#deliver(socket, data as Buffer));
    socket.on('close', () => {
      if (this.#extension !== socket) return;
      this.#extension = undefined;
      this.#silence?.[Symbol.dispose]();
      this.#endMembers();
    });
    sendReady(socket);
    this.#events.emit('linked', undefined);
  }

  #deliver(socket: WebSocket, message: Buffer): void {
    this.#expectMessage(socket);
    const end = message.indexOf('\n');
    this.#members.get(message.toString('latin1', 0, end))?.receive(message.subarray(end + 1));
  }

  #expectMessage(socket: WebSocket): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = after(SILENCE_MS, () => socket.terminate());
  }

  /** Their CDP sessions have ended with the link; each member joins again. */
  #endMembers(): void {
    const ended = [...this.#members.values()];
    this.#members.clear();
    for (const member of ended) member.end();
  }
}
