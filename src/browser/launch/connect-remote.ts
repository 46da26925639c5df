// Connects to a browser that runs elsewhere: with headers, through a provider, with retries.
import type { Config } from '../../core/config.ts';
import { sleep } from '../../core/time.ts';
import { connectSocket } from '../cdp/socket.ts';
import type { Transport } from '../cdp/transport.ts';
import { findAttachEndpoint, requestBrowser } from './attach.ts';

type RemoteConfig = Pick<Config, 'attach' | 'attachFrom' | 'attachHeader'>;

interface RemoteBrowser {
  readonly transport: Transport;
  /** The address without its query, which may contain a token. */
  readonly address: string;
}

/** Delays before the next attempts to reach a browser on another machine. */
const BACKOFF_MS = [500, 1_000, 2_000, 4_000] as const;

export const connectRemote = async (
  { attach = 'auto', attachFrom, attachHeader }: RemoteConfig,
  signal: AbortSignal,
): Promise<RemoteBrowser> => {
  const headers = Object.fromEntries(attachHeader.map(parseHeader));
  const { webSocketUrl } =
    attachFrom === undefined
      ? await findAttachEndpoint(attach, signal)
      : await requestBrowser(attachFrom, headers, signal);
  const isRemote = attachFrom !== undefined || webSocketUrl.startsWith('wss:');
  const connect = (): Promise<Transport> => connectSocket(webSocketUrl, signal, headers);
  const transport = isRemote ? await retry(connect, signal) : await connect();
  const { protocol, host, pathname } = new URL(webSocketUrl);
  return { transport, address: `${protocol}//${host}${pathname}` };
};

const parseHeader = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
};

const retry = async (
  connect: () => Promise<Transport>,
  signal: AbortSignal,
): Promise<Transport> => {
  for (const delayMs of BACKOFF_MS) {
    try {
      return await connect();
    } catch {
      signal.throwIfAborted();
      await sleep(delayMs, signal);
    }
  }
  return connect();
};
