// The proxies of the user: chooses one for each connection and connects through it.
import { parseUrl, textIf } from '../../core/text.ts';
import type { LookupAddress } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { fail } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import { isPlainLoopback } from '../../policy/network-address.ts';
import { SocketBytes } from './socket-bytes.ts';

/** The scheme of the URL that a connection is for; wss and ws count as https and http. */
export type ProxyScheme = 'http' | 'https';

interface UpstreamTarget {
  readonly scheme: ProxyScheme;
  readonly host: string;
  readonly port: number;
  /** The checked addresses; none if only the proxy can resolve the host. */
  readonly addresses: readonly LookupAddress[];
  /** Connects without a proxy. */
  readonly dial: () => Promise<Socket>;
}

export interface UpstreamRoutes {
  /** Whether the proxy resolves host names; otherwise it gets the checked address. */
  readonly resolvesNames: boolean;
  /** Passwords of the proxies, which must not be shown. */
  readonly passwords: readonly string[];
  connect(target: UpstreamTarget): Promise<Socket>;
}

export interface UpstreamProxy {
  readonly kind: 'http' | 'https' | 'socks5';
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** The proxies to try in order for a connection; `direct` means without a proxy. */
export type ProxyChoice = readonly (UpstreamProxy | 'direct')[];

interface UpstreamOptions {
  readonly proxy: readonly string[];
  readonly proxyBypass: readonly string[];
  readonly proxyDns: boolean;
  /** Loads a PAC file from a path or an address. */
  readonly loadPac: (from: string) => Promise<ChooseProxy>;
}

const CONNECT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;
const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1080 } as const;

export const createUpstreamRoutes = async ({
  proxy,
  proxyBypass,
  proxyDns,
  loadPac,
}: UpstreamOptions): Promise<UpstreamRoutes> => {
  const rules = await Promise.all(proxy.map((text) => parseRule(text, loadPac)));
  const choose = ({ scheme, host, port, addresses }: UpstreamTarget): ProxyChoice => {
    // Loopback names mean this machine, not the machine of the proxy.
    const isDirect =
      isPlainLoopback(host) || proxyBypass.some((pattern) => matchesHost(pattern, host));
    if (isDirect) return ['direct'];
    const rule = rules.find((one) => one.scheme === scheme) ?? rules.find((one) => !one.scheme);
    if (!rule) return ['direct'];
    const url = `${scheme}://${formatAuthority(host, port)}/`;
    return rule.choose(url, host, addresses[0]?.address);
  };
  return {
    resolvesNames: proxyDns,
    passwords: rules.flatMap(({ passwords }) => passwords),
    connect: async (target) => {
      let failure: unknown;
      for (const choice of choose(target)) {
        try {
          return choice === 'direct'
            ? await dialDirectly(target)
            : await connectThrough(choice, target, proxyDns);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
  };
};

/** `address`: the first address of the host, if this machine can resolve it. */
export type ChooseProxy = (url: string, host: string, address?: string) => ProxyChoice;

interface ProxyRule {
  readonly scheme: ProxyScheme | undefined;
  readonly passwords: readonly string[];
  readonly choose: ChooseProxy;
}

const SCHEMES: readonly ProxyScheme[] = ['https', 'http'];

const parseRule = async (text: string, loadPac: UpstreamOptions['loadPac']): Promise<ProxyRule> => {
  const scheme = SCHEMES.find((one) => text.startsWith(`${one}=`));
  const address = scheme === undefined ? text : text.slice(scheme.length + 1);
  if (address.startsWith('pac:'))
    return { scheme, passwords: [], choose: await loadPac(address.slice('pac:'.length)) };
  const proxy = parseUpstream(address);
  const { username, password } = proxy;
  const passwords = password === '' ? [] : [password, encodeBasic(username, password)];
  return { scheme, passwords, choose: () => [proxy] };
};

const PROXY_KINDS = ['http', 'https', 'socks5'] as const;

export const parseUpstream = (text: string): UpstreamProxy => {
  const url = parseUrl(text);
  const kind = PROXY_KINDS.find((name) => url?.protocol === `${name}:`);
  if (!url?.hostname || !kind)
    // The text may contain a password.
    throw fail('invalid_argument', 'A --proxy is not a valid address.', { argument: 'proxy' });
  return {
    kind,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || DEFAULT_PORTS[kind],
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
};

/** `example.com` is the host only, `*.example.com` its subdomains. */
const matchesHost = (pattern: string, host: string): boolean => {
  const [wanted, given] = [pattern.toLowerCase(), host.toLowerCase()];
  return wanted.startsWith('*.') ? given.endsWith(wanted.slice(1)) : given === wanted;
};

const formatAuthority = (host: string, port: number): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

const encodeBasic = (username: string, password: string): string =>
  Buffer.from(`${username}:${password}`).toString('base64');

const createProxyError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

const dialDirectly = ({ addresses, dial }: UpstreamTarget): Promise<Socket> => {
  if (addresses.length > 0) return dial();
  throw createProxyError('ENOTFOUND', 'no address');
};

/** Without `resolvesNames` the proxy gets the address that the policy has checked. */
const connectThrough = async (
  proxy: UpstreamProxy,
  { host, port, addresses }: UpstreamTarget,
  resolvesNames: boolean,
): Promise<Socket> => {
  const [first] = addresses;
  const name = resolvesNames ? host : first?.address;
  if (name === undefined) throw createProxyError('ENOTFOUND', 'no address');
  using deadline = new Deadline(CONNECT_MS);
  const socket = await openProxySocket(proxy);
  const bytes = new SocketBytes(socket);
  const greet = proxy.kind === 'socks5' ? greetSocks : greetHttp;
  try {
    await abortable(greet(bytes, socket, proxy, { host: name, port }), deadline.signal);
    bytes.release();
    return socket;
  } catch (error) {
    socket.destroy();
    throw deadline.signal.aborted
      ? createProxyError('EPROXYFAILED', 'the proxy did not answer in time')
      : error;
  }
};

const openProxySocket = ({ kind, host, port }: UpstreamProxy): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const options = { host, port, allowHalfOpen: true, noDelay: true };
    const event = kind === 'https' ? 'secureConnect' : 'connect';
    const servername = textIf(!isIP(host), host);
    const socket: Socket =
      kind === 'https' ? connectTls({ ...options, servername }) : connect(options);
    const rejectFailed = (error: Error): void =>
      reject(createProxyError('EPROXYFAILED', error.message));
    socket.once('error', rejectFailed);
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('the proxy did not answer')));
    socket.once(event, () => {
      socket.setTimeout(0);
      socket.off('error', rejectFailed);
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });

interface HostPort {
  readonly host: string;
  readonly port: number;
}

const greetHttp = async (
  bytes: SocketBytes,
  socket: Socket,
  { username, password }: UpstreamProxy,
  { host, port }: HostPort,
): Promise<void> => {
  const authority = formatAuthority(host, port);
  const credentials =
    username === '' ? '' : `Proxy-Authorization: Basic ${encodeBasic(username, password)}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
  const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(await readHead(bytes))?.[1]);
  if (status === 407) throw createProxyError('EPROXYAUTH', 'the proxy requires a password');
  if (!(status >= 200 && status < 300))
    throw createProxyError('EPROXYREFUSED', `the proxy answered ${status}`);
};

const readHead = async (bytes: SocketBytes): Promise<string> => {
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    if (head.length >= MAX_HEADER_BYTES) throw createProxyError('EPROXYFAILED', 'a long header');
    head += (await takeByte(bytes)).toString('latin1');
  }
  return head;
};

const takeByte = (bytes: SocketBytes): Promise<Buffer> =>
  bytes.take(1).catch(() => {
    throw createProxyError('EPROXYFAILED', 'the proxy closed the connection');
  });

const SOCKS_VERSION = 5;
const PASSWORD_METHOD = 2;
/** Errors of a SOCKS reply that concern the target, not the proxy. */
const SOCKS_ERRORS: Readonly<Record<number, string>> = {
  3: 'ENETUNREACH',
  4: 'EHOSTUNREACH',
  5: 'ECONNREFUSED',
};

const greetSocks = async (
  bytes: SocketBytes,
  socket: Socket,
  proxy: UpstreamProxy,
  target: HostPort,
): Promise<void> => {
  try {
    await authenticate(bytes, socket, proxy);
    await requestConnection(bytes, socket, target);
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw typeof code === 'string'
      ? error
      : createProxyError('EPROXYFAILED', 'the proxy closed the connection');
  }
};

const authenticate = async (
  bytes: SocketBytes,
  socket: Socket,
  { username, password }: UpstreamProxy,
): Promise<void> => {
  const methods = username === '' ? [0] : [0, PASSWORD_METHOD];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const [version, method] = await bytes.take(2);
  if (version !== SOCKS_VERSION) throw createProxyError('EPROXYFAILED', 'not a SOCKS 5 proxy');
  if (method === 0) return;
  if (method !== PASSWORD_METHOD || username === '')
    throw createProxyError('EPROXYAUTH', 'the proxy requires a password');
  const parts = [username, password].map((text) => Buffer.from(text).subarray(0, 255));
  const message = parts.flatMap((part) => [Buffer.from([part.length]), part]);
  socket.write(Buffer.concat([Buffer.from([1]), ...message]));
  const [, status] = await bytes.take(2);
  if (status !== 0) throw createProxyError('EPROXYAUTH', 'the proxy rejects the password');
};

const requestConnection = async (
  bytes: SocketBytes,
  socket: Socket,
  { host, port }: HostPort,
): Promise<void> => {
  const portBytes = Buffer.from([port >> 8, port & 0xff]);
  socket.write(Buffer.concat([Buffer.from([SOCKS_VERSION, 1, 0]), encodeHost(host), portBytes]));
  const [, code = 1, , kind] = await bytes.take(4);
  if (code !== 0)
    throw createProxyError(SOCKS_ERRORS[code] ?? 'EPROXYREFUSED', `the proxy answered ${code}`);
  const length = kind === 3 ? ((await bytes.take(1))[0] ?? 0) : ADDRESS_BYTES[kind ?? 0];
  if (length === undefined) throw createProxyError('EPROXYFAILED', 'an unknown kind of address');
  await bytes.take(length + 2);
};

const ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 4, 4: 16 };

const encodeHost = (host: string): Buffer => {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (isIP(host) === 6) return Buffer.from([4, ...parseV6(host)]);
  const name = Buffer.from(host).subarray(0, 255);
  return Buffer.concat([Buffer.from([3, name.length]), name]);
};

/** The 16 bytes of an IPv6 address, whose URL form has only hexadecimal groups. */
const parseV6 = (host: string): number[] => {
  const canonical = new URL(`http://[${host}]/`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const toGroups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [toGroups(before), toGroups(after ?? '')];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...(after === undefined ? [] : zeros), ...tail].flatMap((group) => [
    group >> 8,
    group & 0xff,
  ]);
};
