// Finds the Chrome to attach to, at an address or on this machine, and connects to it with retries.
import { attempt } from '../../core/attempt.ts';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../core/config.ts';
import { defined, ifDefined, valueIf } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { canParseUrl, parseUrl } from '../../core/text.ts';
import { Deadline, sleep } from '../../core/time.ts';
import type { Transport } from '../cdp/connection.ts';
import { connectSocket } from '../cdp/socket.ts';
import { userDataDirs } from './chrome-locations.ts';
import type { ConsentWait } from './consent-wait.ts';
import { findProfileLock, findRunningChrome } from './singleton.ts';

interface AttachEndpoint {
  readonly webSocketUrl: string;
  /** The product that Chrome reports, if it does. */
  readonly product?: string;
  /** Describes where it was found, for messages. */
  readonly from: string;
  /** Chrome asks its user before it accepts the connection. */
  readonly asksUser?: true;
}

const ANSWER_MS = 5000;
const USUAL_PORT = 9222;

const PROVIDER_MS = 60_000;
const MAX_ANSWER_CHARS = 1024 * 1024;
const ADDRESS_KEYS = [
  'webSocketDebuggerUrl',
  'wsEndpoint',
  'browserWSEndpoint',
  'connectUrl',
  'cdpUrl',
  'url',
] as const;

/** Requests a browser from a provider: one POST, whose answer contains a ws: or wss: address. */
const requestBrowser = async (
  provider: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<AttachEndpoint> => {
  const { host } = new URL(provider);
  using deadline = new Deadline(
    PROVIDER_MS,
    () => fail('attach_failed', `No response from ${host} within ${PROVIDER_MS / 1000} s.`),
    signal,
  );
  const response = await fetch(provider, {
    method: 'POST',
    headers,
    signal: deadline.signal,
  }).catch((error: unknown) => {
    throw deadline.signal.aborted ? deadline.signal.reason : unreachable(new URL(provider), error);
  });
  const text = (await response.text()).slice(0, MAX_ANSWER_CHARS);
  const address = response.ok ? findAddress(text) : undefined;
  if (address === undefined)
    throw fail('attach_failed', `${host} did not return a browser (HTTP ${response.status}).`, {
      hint: 'The answer must be a ws: or wss: address, or JSON with webSocketDebuggerUrl.',
    });
  return { webSocketUrl: address, from: host };
};

const findAddress = (text: string): string | undefined => {
  const answer = text.trim().startsWith('{') ? tryParse(text) : text.trim();
  const found =
    typeof answer === 'string'
      ? [answer]
      : ADDRESS_KEYS.map((key) => (answer as Record<string, unknown> | undefined)?.[key]);
  return found.find(
    (one): one is string => typeof one === 'string' && /^wss?:\/\//.test(one) && canParseUrl(one),
  );
};

const tryParse = (text: string): unknown => {
  return attempt(() => parseJson(text));
};

/** `http://host:port`, `host:port`, a port, a ws:// URL, or `auto`. */
export const findAttachEndpoint = async (
  where: string,
  signal?: AbortSignal,
): Promise<AttachEndpoint> => {
  if (where === 'auto') return findRunning(signal);
  if (/^wss?:\/\//i.test(where)) return { webSocketUrl: parseAddress(where).href, from: where };
  return askVersion(parseAddress(withScheme(where)), signal);
};

const withScheme = (where: string): string => {
  if (/^\d+$/.test(where)) return `http://127.0.0.1:${where}`;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(where) ? where : `http://${where}`;
};

const parseAddress = (text: string): URL => {
  const url = parseUrl(text);
  if (url && /^(?:https?|wss?):$/.test(url.protocol)) return url;
  throw fail('attach_failed', `"${text}" is not a valid address for --attach.`, {
    hint: 'Use --attach auto, http://127.0.0.1:9222 or a ws:// address.',
  });
};

/** Requests the WebSocket URL from the HTTP endpoint of a debugging port. */
const askVersion = async (
  address: URL,
  signal: AbortSignal | undefined,
): Promise<AttachEndpoint> => {
  using deadline = new Deadline(
    ANSWER_MS,
    () => fail('attach_failed', `No response from ${address.host} within ${ANSWER_MS} ms.`),
    signal,
  );
  try {
    const response = await fetch(new URL('/json/version', await byNumber(address)), {
      signal: deadline.signal,
    });
    if (!response.ok)
      throw fail(
        'attach_failed',
        `The server at ${address.host} is not a Chrome with remote debugging (HTTP ` +
          `${response.status}).`,
        { status: response.status },
      );
    return endpointIn(await response.json(), address);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw error instanceof Failure ? error : unreachable(address, error);
  }
};

/**
 * Chrome only accepts requests to an IP address or localhost, so that other names are resolved
 * first.
 */
const byNumber = async (address: URL): Promise<URL> => {
  const name = address.hostname.replace(/^\[|\]$/g, '');
  if (name === 'localhost' || isIP(name)) return address;
  const { address: ip, family } = await lookup(name);
  const numbered = new URL(address);
  numbered.hostname = family === 6 ? `[${ip}]` : ip;
  return numbered;
};

const endpointIn = (answer: unknown, address: URL): AttachEndpoint => {
  const { webSocketDebuggerUrl, Browser } = isObject(answer) ? answer : {};
  if (typeof webSocketDebuggerUrl !== 'string' || !/^wss?:\/\//.test(webSocketDebuggerUrl))
    throw fail(
      'attach_failed',
      `The server at ${address.host} is not a Chrome with remote debugging.`,
    );
  return defined({
    webSocketUrl: webSocketDebuggerUrl,
    product: typeof Browser === 'string' ? Browser : undefined,
    from: address.origin,
  });
};

const unreachable = (address: URL, error: unknown): Failure => {
  const { cause = error as NodeJS.ErrnoException } = error as { cause?: NodeJS.ErrnoException };
  const reason =
    cause.code === 'ECONNREFUSED' ? 'the connection was refused' : (cause.code ?? cause.message);
  return fail(
    'attach_failed',
    `No Chrome can be reached at ${address.host}: ${reason}.`,
    {},
    error,
  );
};

const findRunning = async (signal: AbortSignal | undefined): Promise<AttachEndpoint> => {
  const dirs = userDataDirs({ platform: process.platform, env: process.env, homedir: homedir() });
  for (const dir of dirs) {
    const found = await listening(dir, signal);
    if (found) return found;
  }
  const usual = await orNothing(
    askVersion(new URL(`http://127.0.0.1:${USUAL_PORT}`), signal),
    signal,
  );
  if (usual) return usual;
  throw await describeMissing(dirs);
};

const INSPECT_PAGE = 'chrome://inspect/#remote-debugging';
/** The first version with a switch for remote debugging on that page. */
const SWITCH_VERSION = 144;

/** The failure if no Chrome accepts connections: names the state of the installed ones. */
const describeMissing = async (dirs: readonly string[]): Promise<Failure> => {
  const profiles = await Promise.all(
    dirs.map(async (dir) => ({
      dir,
      isRunning: (await findRunningChrome(dir)) !== undefined,
      version: await readVersion(dir),
    })),
  );
  const running = profiles.find(({ isRunning }) => isRunning);
  if (!running) return (await describeLocked(dirs)) ?? describeNotRunning();
  const { dir, version = SWITCH_VERSION } = running;
  if (version < SWITCH_VERSION)
    return fail(
      'attach_failed',
      `Chrome ${version} is running (${dir}), but has no switch for remote debugging.`,
      {
        hint:
          `Update Chrome to version ${SWITCH_VERSION} or later, or start it with ` +
          `--remote-debugging-port=${USUAL_PORT} and a separate --user-data-dir.`,
      },
    );
  return fail('attach_failed', `Chrome is running (${dir}), but remote debugging is off.`, {
    hint: `Open ${INSPECT_PAGE} in that Chrome, and switch on remote debugging.`,
  });
};

const describeNotRunning = (): Failure =>
  fail('attach_failed', 'No Chrome is running with remote debugging.', {
    hint:
      `Start Chrome, open ${INSPECT_PAGE} in it, and switch on remote debugging. Or start it ` +
      `with --remote-debugging-port=${USUAL_PORT} and a separate --user-data-dir.`,
  });

/** The failure for a locked profile; undefined if no profile is locked. */
const describeLocked = async (dirs: readonly string[]): Promise<Failure | undefined> => {
  for (const dir of dirs) {
    const holder = await findProfileLock(dir);
    if (holder !== undefined)
      return fail('attach_failed', `The profile ${dir} is locked by ${holder}.`, {
        hint: `End that Chrome, start Chrome again, and switch on remote debugging in ${INSPECT_PAGE}.`,
      });
  }
  return undefined;
};

/** The major version of the Chrome that used the profile last. */
const readVersion = async (dir: string): Promise<number | undefined> => {
  const text = await readFile(join(dir, 'Last Version'), 'utf8').catch(() => '');
  const major = Number.parseInt(text, 10);
  return valueIf(!Number.isNaN(major), major);
};

/**
 * Chrome writes its debugging port and socket to a file in its profile. The file outlives Chrome,
 * so the port is checked.
 */
const listening = async (
  dir: string,
  signal: AbortSignal | undefined,
): Promise<AttachEndpoint | undefined> => {
  const note = await readFile(join(dir, 'DevToolsActivePort'), 'utf8').catch(() => undefined);
  const [port = '', path = ''] = note?.split('\n').map((line) => line.trim()) ?? [];
  if (!/^\d{1,5}$/.test(port)) return undefined;
  try {
    return { ...(await askVersion(new URL(`http://127.0.0.1:${port}`), signal)), from: dir };
  } catch (error) {
    if (signal?.aborted) throw error;
    // If the user enabled remote debugging inside Chrome, there is only the WebSocket, no HTTP
    // endpoint.
    const hasSocket =
      error instanceof Failure &&
      error.details['status'] === 404 &&
      /^\/devtools\/browser\/[\w-]+$/.test(path);
    return valueIf(hasSocket, {
      webSocketUrl: `ws://127.0.0.1:${port}${path}`,
      from: dir,
      asksUser: true,
    });
  }
};

const orNothing = async <T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
};

// Connects to a browser that runs elsewhere: with headers, through a provider, with retries.

type RemoteConfig = Pick<Config, 'attach' | 'attachFrom' | 'attachHeader'>;

interface RemoteBrowser {
  readonly transport: Transport;
  /** The address without its query, which may contain a token. */
  readonly address: string;
  /** The full address, with which a lost connection can be restored. */
  readonly reconnectUrl?: string;
}

/** Delays before the next attempts to reach a browser on another machine. */
const BACKOFF_MS = [500, 1_000, 2_000, 4_000] as const;
/** Delays before the next attempts to reach the browser of a lost connection. */
const RECONNECT_MS = [250, 500, 1_000, 2_000] as const;

export const connectRemote = async (
  { attach = 'auto', attachFrom, attachHeader }: RemoteConfig,
  consent: ConsentWait,
  signal: AbortSignal,
  former?: string,
): Promise<RemoteBrowser> => {
  const headers = Object.fromEntries(attachHeader.map(parseHeader));
  const again = await ifDefined(former, (url) => reconnect(url, headers, signal));
  if (again) return again;
  const { webSocketUrl, asksUser } =
    attachFrom === undefined
      ? await findAttachEndpoint(attach, signal)
      : await requestBrowser(attachFrom, headers, signal);
  const isRemote = attachFrom !== undefined || webSocketUrl.startsWith('wss:');
  const connect = (): Promise<Transport> => connectSocket(webSocketUrl, signal, headers);
  const open = asksUser ? () => consent.connect(webSocketUrl, openWithConsent, signal) : connect;
  const transport = isRemote ? await retry(connect, signal) : await open();
  // A Chrome that asks its user is not reconnected without another question.
  return describeRemote(transport, webSocketUrl, valueIf(!asksUser, webSocketUrl));
};

const describeRemote = (
  transport: Transport,
  webSocketUrl: string,
  reconnectUrl: string | undefined,
): RemoteBrowser => {
  const { protocol, host, pathname } = new URL(webSocketUrl);
  return defined({ transport, address: `${protocol}//${host}${pathname}`, reconnectUrl });
};

/** Connects to the same browser after a lost connection; undefined if it cannot be reached. */
const reconnect = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RemoteBrowser | undefined> => {
  const connect = (): Promise<Transport> => connectSocket(url, signal, headers);
  try {
    return describeRemote(await retry(connect, signal, RECONNECT_MS), url, url);
  } catch {
    signal.throwIfAborted();
    return undefined; // the browser has ended: look for another one
  }
};

const openWithConsent = async (url: string, signal: AbortSignal): Promise<Transport> => {
  try {
    return await connectSocket(url, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fail(
      'attach_failed',
      'Chrome rejected the connection: its user did not allow it, or Chrome was closed.',
      { hint: 'Call again and press Allow in Chrome.' },
      error,
    );
  }
};

const parseHeader = (text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
};

const retry = async (
  connect: () => Promise<Transport>,
  signal: AbortSignal,
  delaysMs: readonly number[] = BACKOFF_MS,
): Promise<Transport> => {
  for (const delayMs of delaysMs) {
    try {
      return await connect();
    } catch {
      signal.throwIfAborted();
      await sleep(delayMs, signal);
    }
  }
  return connect();
};
