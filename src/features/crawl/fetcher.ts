// Fetches a URL without a browser, with limits on redirects, size, time and private networks.
import { canParseUrl, quoteText } from '../../core/text.ts';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import { defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import { DomainPolicy } from '../../policy/domains.ts';
import type { CertificateTrust } from '../../browser/guard/certificate-trust.ts';
import {
  type ConnectionTarget,
  dialAddresses,
  HostAddresses,
  RefusedAddress,
} from '../../browser/guard/host-addresses.ts';
import type { UpstreamRoutes } from '../../browser/guard/upstream-proxy.ts';
import { loadFailure, MISSING_CLIENT, REJECTED_CLIENT } from '../../browser/tabs/load-failure.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { RefusedUrl, createGuardRefusal } from './scope.ts';

const WEB_PROTOCOLS = new Set<string>(['http:', 'https:']);

/** The user agent token that robots.txt rules for this crawler use. */
export const PRODUCT = 'OpenChrome';
const USER_AGENT = `Mozilla/5.0 (compatible; ${PRODUCT}/${VERSION})`;
const MAX_REDIRECTS = 10;
const CONNECT_MS = 10_000;

export interface FetchedDocument {
  /** The URL after all redirects. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly charset?: string;
  readonly body: Uint8Array;
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean;
  /** The request carried cookies of the session. */
  readonly sentCookies: boolean;
  /** The Retry-After header. */
  readonly retryAfterMs?: number;
}

interface FetchOptions {
  readonly accept: string;
  /** A number, or a function of the media type. */
  readonly maxBytes: number | ((type: string) => number);
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Returns the Cookie header of a request; `before` are the URLs that redirected to it. */
  readonly cookiesFor?:
    | ((url: string, before: readonly string[]) => Promise<string | undefined>)
    | undefined;
  /** Throws if a redirect to this URL must not be followed. */
  readonly mayGoTo?: (url: string) => Promise<void> | void;
}

type Undici = typeof import('undici').default;
type BuildConnector = Undici['buildConnector'];
type Connector = ReturnType<BuildConnector>;
type HttpResponse = Dispatcher.ResponseData;

export class Fetcher {
  readonly #allowPrivate: boolean;
  readonly #policy: DomainPolicy;
  readonly #names: HostAddresses;
  readonly #upstream: UpstreamRoutes | undefined;
  readonly #trust: CertificateTrust | undefined;
  /**
   * Origins of servers that request a client certificate. With TLS 1.3, a server rejects it after
   * the handshake, and undici reports only that the connection ended.
   */
  readonly #requestsClient = new Set<string>();
  #undici: Promise<Undici> | undefined;
  #agent: Agent | undefined;

  constructor({
    allowPrivate,
    policy = new DomainPolicy(),
    names = new HostAddresses(),
    upstream,
    trust,
  }: {
    readonly allowPrivate: boolean;
    readonly policy?: DomainPolicy;
    /** Resolves names, as for the connections of Chrome. */
    readonly names?: HostAddresses;
    /** The proxies of the user, through which fetches connect. */
    readonly upstream?: UpstreamRoutes | undefined;
    /** The certificates that the user accepts. */
    readonly trust?: CertificateTrust | undefined;
  }) {
    this.#allowPrivate = allowPrivate;
    this.#policy = policy;
    this.#names = names;
    this.#upstream = upstream;
    this.#trust = trust;
  }

  async fetch(url: string, options: FetchOptions): Promise<FetchedDocument> {
    using deadline = new Deadline(
      options.timeoutMs,
      () => fail('timeout', `No response within ${options.timeoutMs} ms.`),
      options.signal,
    );
    try {
      return await this.#follow(url, options, deadline.signal);
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw toProblem(error, url, this.#findClientError(url));
    }
  }

  /** The likely reason if the server of the URL ends a connection before it responds. */
  #findClientError(url: string): string | undefined {
    const { hostname, origin } = new URL(url);
    if (!this.#requestsClient.has(origin)) return undefined;
    const host = hostname.replace(/^\[|\]$/g, '');
    const client = this.#trust?.findClient({ host, port: parsePort(url) });
    return client ? REJECTED_CLIENT : MISSING_CLIENT;
  }

  async #follow(
    start: string,
    options: FetchOptions,
    signal: AbortSignal,
  ): Promise<FetchedDocument> {
    const seen = new Set<string>();
    let url = start;
    for (let step = 0; step <= MAX_REDIRECTS; step++) {
      const cookie = await options.cookiesFor?.(url, [...seen]);
      seen.add(url);
      const response = await this.#ask(url, defined({ accept: options.accept, cookie }), signal);
      const target = redirectTarget(response, url);
      if (target === undefined)
        return {
          ...(await take(response, url, options.maxBytes)),
          sentCookies: cookie !== undefined,
        };
      await response.body.dump().catch(() => {});
      if (seen.has(target))
        throw fail('navigation_failed', `${quoteText(start)} redirects in a loop.`);
      await options.mayGoTo?.(target);
      url = target;
    }
    throw fail(
      'navigation_failed',
      `${quoteText(start)} redirects more than ${MAX_REDIRECTS} times.`,
    );
  }

  async #ask(
    url: string,
    further: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const refusal = this.#policy.judgeUrl(url);
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!this.#allowPrivate && isPrivateHost(new URL(url).hostname))
      throw new RefusedUrl('private', url);
    const {
      request,
      Agent: AgentOf,
      Pool: PoolOf,
      buildConnector: build,
    } = await (this.#undici ??= import('undici').then((module) => module.default));
    this.#agent ??= new AgentOf({
      pipelining: 1,
      // One pool per origin: policy rules may name a port, which a lookup function does not get.
      factory: (origin, options) =>
        new PoolOf(origin, { ...options, connect: this.#connectorFor(new URL(origin), build) }),
    });
    const headers = {
      ...further,
      'user-agent': USER_AGENT,
      'accept-language': 'en;q=0.9,*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
    };
    return request(url, { dispatcher: this.#agent, signal, headers });
  }

  /**
   * The addresses to connect to. They are checked for every connection, so that DNS rebinding cannot
   * bypass the policy.
   */
  async #findAddresses(
    target: ConnectionTarget,
    mayBeUnknown: boolean,
  ): Promise<readonly LookupAddress[]> {
    const isPublicOnly = !this.#allowPrivate;
    const options = { policy: this.#policy, mayBeUnknown, isPublicOnly };
    return this.#names.findAllowed(target, options).catch((error: unknown) => {
      if (error instanceof RefusedAddress) throw createGuardRefusal(error.refusal, target.host);
      throw error;
    });
  }

  #connectorFor({ origin, protocol, hostname }: URL, build: BuildConnector): Connector {
    const target = { host: hostname.replace(/^\[|\]$/g, ''), port: parsePort(origin) };
    const isTls = protocol === 'https:';
    if (!this.#upstream && !isTls) {
      const find = callbackify(() => this.#findAddresses(target, false));
      return build({ timeout: CONNECT_MS, lookup: (_, ...rest) => answerLookup(find, ...rest) });
    }
    const upstream = this.#upstream ?? DIRECT;
    const open = callbackify(async () => {
      const addresses = await this.#findAddresses(target, upstream.resolvesNames);
      const scheme = isTls ? 'https' : 'http';
      const socket = await connectRoute({ ...target, scheme, addresses }, upstream);
      return isTls ? this.#secure(socket, target, origin) : socket;
    });
    return (_, done) => open((error, socket) => (error ? done(error, null) : done(null, socket)));
  }

  async #secure(socket: Socket, target: ConnectionTarget, origin: string): Promise<Socket> {
    const { CertificateTrust: Trust, requestsClientCertificate } =
      await import('../../browser/guard/certificate-trust.ts');
    const tls = await (this.#trust ?? new Trust(false, [], [])).secure(socket, target);
    if (requestsClientCertificate(tls)) this.#requestsClient.add(origin);
    return tls;
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }
}

const DIRECT: Pick<UpstreamRoutes, 'resolvesNames' | 'connect'> = {
  resolvesNames: false,
  connect: ({ dial }) => dial(),
};

/** Calls `find` and passes its result on as Node's `lookup` does. */
const answerLookup = (
  find: (done: (error: Error | null, found: readonly LookupAddress[]) => void) => void,
  { all }: LookupOptions,
  done: LookupCallback,
): void =>
  find((error, found) => {
    if (error) return done(error, []);
    const [first] = found;
    if (all) return done(null, [...found]);
    done(null, first?.address ?? '', first?.family);
  });

interface FetchRoute extends ConnectionTarget {
  readonly scheme: 'http' | 'https';
  readonly addresses: readonly LookupAddress[];
}

/** Connects directly, or through a proxy of the user. */
const connectRoute = (route: FetchRoute, upstream: typeof DIRECT): Promise<Socket> => {
  const dial = (): Promise<Socket> =>
    dialAddresses(route, route.addresses, { timeoutMs: CONNECT_MS });
  return upstream.connect({ ...route, dial });
};

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

const parsePort = (origin: string | URL): number => {
  const { port, protocol } = new URL(origin);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
};

const header = ({ headers }: HttpResponse, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const redirectTarget = (response: HttpResponse, url: string): string | undefined => {
  const location = header(response, 'location');
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.statusCode))
    return undefined;
  if (!canParseUrl(location, url))
    throw fail('navigation_failed', `${quoteText(url)} redirects to an invalid URL.`);
  const target = new URL(location, url);
  target.hash = '';
  if (!WEB_PROTOCOLS.has(target.protocol)) throw new RefusedUrl('scope', target.href);
  return target.href;
};

const take = async (
  response: HttpResponse,
  url: string,
  maxBytes: FetchOptions['maxBytes'],
): Promise<Omit<FetchedDocument, 'sentCookies'>> => {
  const contentType = header(response, 'content-type') ?? '';
  const charset = /charset\s*=\s*["']?([^"';\s]+)/i.exec(contentType)?.[1];
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const retryAfterMs = parseRetryAfter(header(response, 'retry-after'));
  return defined({
    url,
    status: response.statusCode,
    type,
    charset,
    retryAfterMs,
    ...(await readBody(response, typeof maxBytes === 'number' ? maxBytes : maxBytes(type))),
  });
};

/** Stops reading after `maxBytes`. */
const readBody = async (
  response: HttpResponse,
  maxBytes: number,
): Promise<{ body: Uint8Array; truncated: boolean }> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decompress(response)) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).byteLength;
    if (size > maxBytes) break; // leaving the loop closes the connection
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
};

const UNPACK: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const decompress = (response: HttpResponse): Readable => {
  const unpack = UNPACK[header(response, 'content-encoding')?.trim().toLowerCase() ?? ''];
  if (!unpack) return response.body;
  const stream = unpack();
  // `pipe` does not forward errors: destroy each stream when the other one fails or closes.
  response.body.on('error', (error) => stream.destroy(error));
  stream.on('close', () => response.body.destroy());
  return response.body.pipe(stream);
};

/** Parses a Retry-After header: seconds or a date. */
const parseRetryAfter = (value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

/** The server ended the connection before the response. */
const CONNECTION_ENDED =
  /^(?:ECONNRESET|EPIPE|EPROTO|UND_ERR_SOCKET|ERR_SSL_\w{0,40}ALERT\w{0,40})$/;

/** Finds the network error code in the chain of causes. */
const toProblem = (error: unknown, url: string, clientError: string | undefined): Error => {
  if (error instanceof Failure || error instanceof RefusedUrl) return error;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof RefusedUrl) return at;
    const { code } = at as { code?: unknown };
    const { fingerprint } = at as { fingerprint?: string };
    if (typeof code !== 'string') continue;
    const meaning = CONNECTION_ENDED.test(code) ? clientError : undefined;
    return loadFailure(url, meaning ?? code, error, fingerprint);
  }
  return error as Error; // not a network error, but a defect in this program
};
