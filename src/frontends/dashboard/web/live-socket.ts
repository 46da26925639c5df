// The connection to the live feed: pictures of tabs, aims of actions and the control of tabs.
import { effect, signal } from '@preact/signals';
import type { AreaRow, FrameHeader, LiveMessage, ViewerMessage } from '../messages.ts';
import { connection } from './dashboard-state.ts';
import { withKey } from './server-requests.ts';

export interface LiveFrame {
  readonly header: FrameHeader;
  readonly image: ImageBitmap;
}

export interface Aim {
  readonly label: string;
  readonly area?: AreaRow;
  readonly point?: { readonly x: number; readonly y: number };
  readonly at: number;
}

export interface SocketControl {
  readonly state: 'pending' | 'active' | 'ended';
  readonly isMine: boolean;
  readonly why?: string;
  readonly chooser?: { readonly multiple: boolean };
}

const RETRY_MS = 1_000;
const AIM_MS = 1_800;

export const aims = signal<Readonly<Record<string, Aim>>>({});
export const controls = signal<Readonly<Record<string, SocketControl>>>({});
export const liveError = signal('');
/** Pictures received in the last second, and their bytes. */
export const frameRate = signal({ frames: 0, bytes: 0 });

const watchers = new Map<string, Set<(frame: LiveFrame) => void>>();
let socket: WebSocket | undefined;
let viewerId = '';
let width = 480;

const send = (message: ViewerMessage): void => {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
};

const sendWatch = (): void => send({ type: 'watch', tabs: [...watchers.keys()], width });

let isPlanned = false;
/** Several cards start and end to watch in one render: one message is enough. */
const planWatch = (): void => {
  if (isPlanned) return;
  isPlanned = true;
  queueMicrotask(() => {
    isPlanned = false;
    if (watchers.size > 0) open();
    sendWatch();
  });
};

/** Calls back with each picture of a tab until the returned function is called. */
export const watchTab = (
  tabId: string,
  pixels: number,
  onFrame: (frame: LiveFrame) => void,
): (() => void) => {
  const known = watchers.get(tabId) ?? new Set();
  known.add(onFrame);
  watchers.set(tabId, known);
  width = pixels;
  planWatch();
  return () => {
    known.delete(onFrame);
    if (known.size === 0) watchers.delete(tabId);
    planWatch();
  };
};

const open = (): void => {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const opened = new WebSocket(location.origin.replace('http', 'ws') + withKey('/dashboard/live'));
  opened.binaryType = 'arraybuffer';
  opened.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') receive(JSON.parse(data) as LiveMessage);
    else void receiveFrame(data);
  });
  opened.addEventListener('close', () => {
    controls.value = {};
    if (watchers.size > 0) setTimeout(open, RETRY_MS);
  });
  socket = opened;
};

const receive = (message: LiveMessage): void => {
  switch (message.type) {
    case 'welcome':
      viewerId = message.viewer;
      return sendWatch();
    case 'aim':
      return showAim(message.tabId, { ...message, at: Date.now() });
    case 'control':
      return showControl(message);
    case 'error':
      liveError.value = message.message;
  }
};

const showAim = (tabId: string, aim: Aim): void => {
  aims.value = { ...aims.value, [tabId]: aim };
  setTimeout(() => {
    if (aims.value[tabId] !== aim) return;
    const { [tabId]: _, ...others } = aims.value;
    aims.value = others;
  }, AIM_MS);
};

const showControl = (message: Extract<LiveMessage, { type: 'control' }>): void => {
  const { tabId, viewer, state, why, chooser } = message;
  const isMine = viewer === viewerId;
  const control: SocketControl = {
    state,
    isMine,
    ...(why && { why }),
    ...(chooser && { chooser }),
  };
  controls.value = { ...controls.value, [tabId]: control };
};

const recent: { at: number; bytes: number }[] = [];

const countFrame = (bytes: number): void => {
  const now = performance.now();
  recent.push({ at: now, bytes });
  while ((recent[0]?.at ?? now) < now - 1_000) recent.shift();
  frameRate.value = {
    frames: recent.length,
    bytes: recent.reduce((sum, one) => sum + one.bytes, 0),
  };
};

const receiveFrame = async (data: ArrayBuffer): Promise<void> => {
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(
    new TextDecoder().decode(new Uint8Array(data, 4, length)),
  ) as FrameHeader;
  countFrame(data.byteLength);
  try {
    const image = await createImageBitmap(
      new Blob([new Uint8Array(data, 4 + length)], { type: 'image/jpeg' }),
    );
    for (const onFrame of watchers.get(header.tabId) ?? []) onFrame({ header, image });
    image.close();
  } finally {
    send({ type: 'ack', tabId: header.tabId, n: header.n });
  }
};

export const takeOver = (tabId: string): void => {
  liveError.value = '';
  send({ type: 'take-over', tabId });
};

export const giveBack = (tabId: string): void => send({ type: 'give-back', tabId });

export const sendInput = (
  tabId: string,
  input: Extract<ViewerMessage, { type: 'input' }>['input'],
): void => send({ type: 'input', tabId, input });

/** Sends files for the file chooser that the page opened; none cancels it. */
export const sendFiles = async (tabId: string, files: readonly File[]): Promise<void> => {
  const described = files.map(({ name, size }) => ({ name, size }));
  const header = new TextEncoder().encode(JSON.stringify({ tabId, files: described }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, header.length, true);
  socket?.send(new Blob([length, header, ...files]));
};

// A server that has restarted closes the connection; the pictures continue when it is back.
effect(() => {
  if (connection.value === 'open' && watchers.size > 0) open();
});

// A page that the browser keeps for "back" would otherwise keep its connection and its tabs.
addEventListener('pagehide', () => socket?.close());
addEventListener('pageshow', () => {
  if (watchers.size > 0) open();
});
