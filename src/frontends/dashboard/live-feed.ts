// /dashboard/live: sends pictures of tabs to viewers, within limits, and receives their input.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { attempt } from '../../core/attempt.ts';
import { fail, Failure } from '../../core/failure.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { after, every, monotonicMs } from '../../core/time.ts';
import type { Observer } from '../../features/observe/observer.ts';
import type { CastPicture, TabCast } from '../../features/observe/tab-pictures.ts';
import { MAX_VIEWERS } from './event-feed.ts';
import type { FilesHeader, FrameHeader, LiveMessage, ViewerMessage } from './messages.ts';

/** Handles the input of viewers that have taken a tab over. */
export interface ViewerControl {
  takeOver(viewer: string, tabId: string): Promise<void>;
  giveBack(viewer: string, tabId: string): Promise<void>;
  input(viewer: string, tabId: string, input: unknown): Promise<void>;
  chooseFiles(
    viewer: string,
    tabId: string,
    files: readonly { readonly name: string; readonly data: Uint8Array }[],
  ): Promise<void>;
  disconnect(viewer: string): void;
  /** The tabs that viewers control now. */
  describe(): readonly LiveMessage[];
}

interface LiveFeedOptions {
  readonly observer: Observer;
  /** Undefined if the dashboard is read-only. */
  readonly control: ViewerControl | undefined;
}

const FRAMES_PER_SECOND = 10;
const BYTES_PER_SECOND = 1_500_000;
const FRAME_MS = 1_000 / FRAMES_PER_SECOND;
/** Between pictures of a tab in which a call runs, because they take time of its page. */
const BUSY_FRAME_MS = 200;
/** Files that the user chooses for a page; larger messages close the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
const MAX_WATCHED_TABS = 60;
const WIDTHS = { min: 320, max: 1_600 } as const;
/** How long a picture may be missing before one is captured. */
const STALE_MS = 2_000;
const PING_MS = 15_000;

/** A viewer, the pictures that it has not acknowledged, and its remaining allowance. */
class LiveViewer {
  readonly id = randomBytes(8).toString('hex');
  readonly watched = new Set<string>();
  /** Numbers of the pictures that the viewer has not acknowledged, by tab. */
  readonly pending = new Map<string, number>();
  /** Tabs with a newer picture than the viewer has, in order of their turn. */
  readonly wanted = new Set<string>();
  width: number = WIDTHS.min;
  /** The viewer has answered since the last ping. */
  isAlive = true;
  #nextFrameAt = 0;
  #nextBytesAt = 0;

  constructor(readonly socket: WebSocket) {}

  /** Milliseconds until the limits allow the next picture. */
  get waitMs(): number {
    return Math.max(0, Math.max(this.#nextFrameAt, this.#nextBytesAt) - monotonicMs());
  }

  count(bytes: number): void {
    const now = monotonicMs();
    this.#nextFrameAt = Math.max(now, this.#nextFrameAt) + FRAME_MS;
    this.#nextBytesAt = Math.max(now, this.#nextBytesAt) + (bytes / BYTES_PER_SECOND) * 1_000;
  }

  send(message: LiveMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

/** The stream of one tab, which all its viewers share. */
interface SharedCast {
  readonly cast: TabCast;
  readonly width: number;
  latest: CastPicture | undefined;
  n: number;
  pictureAt: number;
  acknowledgedAt: number;
}

interface LastPicture {
  readonly picture: CastPicture;
  /** The document that the picture shows. */
  readonly document: string;
}

export class LiveFeed implements Disposable {
  readonly #options: LiveFeedOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  });
  readonly #viewers = new Map<WebSocket, LiveViewer>();
  readonly #casts = new Map<string, SharedCast>();
  /** The last picture of each tab, because a page that a dialog blocks sends none. */
  readonly #last = new Map<string, LastPicture>();
  #refreshing: Disposable | undefined;
  #pinging: Disposable | undefined;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Throws if there are too many viewers. */
  open(request: IncomingMessage, socket: Duplex, head: Buffer, visit: () => () => void): void {
    if (this.#viewers.size >= MAX_VIEWERS)
      throw fail('overloaded', `The dashboard has ${MAX_VIEWERS} viewers, which is its limit.`);
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const leave = visit();
      const viewer = new LiveViewer(opened);
      this.#viewers.set(opened, viewer);
      opened.on('message', (data: Buffer, isBinary) => void this.#receive(viewer, data, isBinary));
      opened.on('error', () => opened.terminate());
      opened.on('pong', () => (viewer.isAlive = true));
      opened.on('close', () => {
        this.#remove(viewer);
        leave();
      });
      viewer.send({ type: 'welcome', viewer: viewer.id });
      for (const message of this.#options.control?.describe() ?? []) viewer.send(message);
      this.#refreshing ??= every(STALE_MS, () => this.#refreshStale());
      this.#pinging ??= every(PING_MS, () => this.#ping());
    });
  }

  /** Sends a message to one viewer, or to all. */
  tell(message: LiveMessage, viewerId?: string): void {
    for (const viewer of this.#viewers.values())
      if (viewerId === undefined || viewer.id === viewerId) viewer.send(message);
  }

  #remove(viewer: LiveViewer): void {
    this.#viewers.delete(viewer.socket);
    this.#options.control?.disconnect(viewer.id);
    viewer.watched.clear();
    this.#endUnwatched();
    if (this.#viewers.size > 0) return;
    this.#refreshing?.[Symbol.dispose]();
    this.#refreshing = undefined;
    this.#pinging?.[Symbol.dispose]();
    this.#pinging = undefined;
  }

  /** Ends connections that were lost without a message, and the take-overs of their viewers. */
  #ping(): void {
    for (const viewer of this.#viewers.values()) {
      if (!viewer.isAlive) viewer.socket.terminate();
      viewer.isAlive = false;
      viewer.socket.ping();
    }
  }

  async #receive(viewer: LiveViewer, data: Buffer, isBinary: boolean): Promise<void> {
    let tabId: string | undefined;
    try {
      if (isBinary) return await this.#receiveFiles(viewer, data);
      const message = attempt(() => parseJson(data.toString('utf8')));
      if (!isRecord(message)) throw fail('bad_request', 'The message is not an object.');
      const { tabId: named } = message;
      tabId = typeof named === 'string' ? named : undefined;
      await this.#handle(viewer, message as unknown as ViewerMessage);
    } catch (error) {
      const message = error instanceof Failure ? error.message : 'The message was not understood.';
      viewer.send({ type: 'error', message, ...(tabId !== undefined && { tabId }) });
    }
  }

  async #handle(viewer: LiveViewer, message: ViewerMessage): Promise<void> {
    switch (message.type) {
      case 'watch':
        return this.#watch(viewer, message.tabs, message.width);
      case 'ack':
        return this.#acknowledge(viewer, message.tabId, message.n);
      case 'take-over':
        return this.#requireControl().takeOver(viewer.id, message.tabId);
      case 'give-back':
        return this.#requireControl().giveBack(viewer.id, message.tabId);
      case 'input':
        return this.#requireControl().input(viewer.id, message.tabId, message.input);
      default:
        throw fail('bad_request', 'This message does not exist.');
    }
  }

  #requireControl(): ViewerControl {
    const { control } = this.#options;
    if (!control) throw fail('tool_not_allowed', 'This dashboard is read-only.');
    return control;
  }

  /** The message starts with the length of its JSON header. */
  async #receiveFiles(viewer: LiveViewer, data: Buffer): Promise<void> {
    const control = this.#requireControl();
    const end = data.length < 4 ? Infinity : 4 + data.readUInt32LE(0);
    const header = attempt(() => parseJson(data.toString('utf8', 4, end))) as
      | FilesHeader
      | undefined;
    if (end > data.length || !header || !Array.isArray(header.files))
      throw fail('bad_request', 'The files are not complete.');
    let at = end;
    const files = header.files.slice(0, 100).map(({ name, size }) => {
      const content = data.subarray(at, (at += Number(size) || 0));
      return { name: String(name).slice(0, 255), data: content };
    });
    await control.chooseFiles(viewer.id, header.tabId, files);
  }

  /** Sets the tabs that a viewer watches, and starts and ends their streams. */
  #watch(viewer: LiveViewer, tabs: unknown, width: unknown): void {
    const ids = Array.isArray(tabs) ? tabs.filter((id) => typeof id === 'string') : [];
    viewer.width = Math.min(WIDTHS.max, Math.max(WIDTHS.min, Math.round(Number(width)) || 0));
    viewer.watched.clear();
    for (const id of ids.slice(0, MAX_WATCHED_TABS)) viewer.watched.add(id);
    for (const id of [...viewer.wanted, ...viewer.pending.keys()]) {
      if (viewer.watched.has(id)) continue;
      viewer.wanted.delete(id);
      viewer.pending.delete(id);
    }
    this.#endUnwatched();
    // A tab of the list can be closed in the meantime.
    for (const tabId of viewer.watched) attempt(() => this.#start(viewer, tabId));
  }

  #start(viewer: LiveViewer, tabId: string): void {
    const known = this.#casts.get(tabId);
    if (known && known.width >= viewer.width) {
      if (known.latest) viewer.wanted.add(tabId);
      return this.#sendNext(viewer);
    }
    known?.cast[Symbol.dispose]();
    const cast = this.#options.observer.castTab(tabId, {
      maxWidth: viewer.width,
      onPicture: (picture) => this.#show(tabId, picture),
      onAim: ({ did, ...aim }) =>
        this.#tellWatchers(tabId, { type: 'aim', tabId, label: did, ...aim }),
    });
    this.#casts.set(tabId, {
      cast,
      width: viewer.width,
      latest: known?.latest ?? this.#findLast(tabId),
      n: known?.n ?? 1,
      pictureAt: 0,
      acknowledgedAt: 0,
    });
    if (this.#casts.get(tabId)?.latest) viewer.wanted.add(tabId);
    this.#sendNext(viewer);
  }

  #tellWatchers(tabId: string, message: LiveMessage): void {
    for (const viewer of this.#viewers.values())
      if (viewer.watched.has(tabId)) viewer.send(message);
  }

  #endUnwatched(): void {
    for (const [tabId, { cast }] of this.#casts) {
      if ([...this.#viewers.values()].some(({ watched }) => watched.has(tabId))) continue;
      cast[Symbol.dispose]();
      this.#casts.delete(tabId);
    }
  }

  #show(tabId: string, picture: CastPicture): void {
    const shared = this.#casts.get(tabId);
    if (!shared) return;
    shared.latest = picture;
    this.#keepLast(tabId, picture);
    shared.n++;
    shared.pictureAt = monotonicMs();
    for (const viewer of this.#viewers.values()) {
      if (!viewer.watched.has(tabId)) continue;
      viewer.wanted.add(tabId);
      this.#sendNext(viewer);
    }
    this.#pump(tabId, shared);
  }

  #findLast(tabId: string): CastPicture | undefined {
    const last = this.#last.get(tabId);
    return last?.document === this.#options.observer.readDocument(tabId)
      ? last?.picture
      : undefined;
  }

  #keepLast(tabId: string, picture: CastPicture): void {
    const document = attempt(() => this.#options.observer.readDocument(tabId));
    if (document === undefined) return; // the tab was closed
    this.#last.delete(tabId);
    this.#last.set(tabId, { picture, document });
    for (const oldest of this.#last.keys()) {
      if (this.#last.size <= MAX_WATCHED_TABS) return;
      this.#last.delete(oldest);
    }
  }

  /** Sends the pictures that are due; each tab has at most one that is not acknowledged. */
  #sendNext(viewer: LiveViewer): void {
    const due = [...viewer.wanted].find((tabId) => !viewer.pending.has(tabId));
    if (due === undefined) return;
    const { waitMs } = viewer;
    if (waitMs > 0) return void after(waitMs + 1, () => this.#sendNext(viewer));
    viewer.wanted.delete(due);
    const shared = this.#casts.get(due);
    if (shared?.latest && viewer.socket.readyState === viewer.socket.OPEN) {
      const bytes = packFrame(due, shared.n, shared.latest);
      viewer.pending.set(due, shared.n);
      viewer.count(bytes.length);
      viewer.socket.send(bytes);
    }
    this.#sendNext(viewer);
  }

  #acknowledge(viewer: LiveViewer, tabId: string, n: number): void {
    if (viewer.pending.get(tabId) !== n) return;
    viewer.pending.delete(tabId);
    const shared = this.#casts.get(tabId);
    if (shared) this.#pump(tabId, shared);
    this.#sendNext(viewer);
  }

  /** Lets Chrome send its next picture if a viewer is ready for it. */
  #pump(tabId: string, shared: SharedCast): void {
    const isReady = [...this.#viewers.values()].some(
      ({ watched, pending }) => watched.has(tabId) && !pending.has(tabId),
    );
    if (!isReady) return;
    const isBusy = attempt(() => this.#options.observer.isBusy(tabId)) === true;
    const waitMs = shared.acknowledgedAt + (isBusy ? BUSY_FRAME_MS : FRAME_MS) - monotonicMs();
    if (waitMs > 0) return void after(waitMs, () => this.#pump(tabId, shared));
    shared.acknowledgedAt = monotonicMs();
    shared.cast.acknowledge();
  }

  /** A tab in the background of a window sends no pictures by itself. */
  async #refreshStale(): Promise<void> {
    for (const { cast, pictureAt } of this.#casts.values())
      if (pictureAt === 0) await cast.refresh();
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#viewers.values()) socket.terminate();
    this.#server.close();
  }
}

/** The length of the header, the header as JSON, the picture. */
const packFrame = (tabId: string, n: number, picture: CastPicture): Buffer => {
  const { jpeg, width, height, secrets } = picture;
  const header: FrameHeader = { tabId, n, width, height, secrets };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, jpeg]);
};
