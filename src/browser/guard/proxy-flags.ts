// Builds Chrome's flags for the guard's proxy, and detects a proxy that the user has set. Pure.
import { listIf } from '../../core/collections.ts';
import { type DomainPattern, type DomainPolicy, meansThisMachine } from '../../policy/domains.ts';
import { isPlainLoopback, isThisMachine } from '../../policy/network-address.ts';

/** The names and addresses of this machine that Chrome protects from public pages. */
const LOCALHOST = ['localhost', 'localhost.', '*.localhost', '*.localhost.'];
const LOOPBACK = [...LOCALHOST, '127.0.0.0/8', '[::1]'];
const USUAL_LOOPBACK = [...LOCALHOST, '127.0.0.1', '[::1]'];

/**
 * The hosts that Chrome dials without the proxy. Chrome keeps public pages from servers on this
 * machine only if it dials these itself: a connection through the proxy looks public to it. So
 * every loopback host that may be reached is dialled directly, and the proxy rejects the others.
 */
export const directHosts = (policy: DomainPolicy): readonly string[] => {
  const { allow, block } = policy.patterns;
  if (block.some(meansThisMachine)) return [];
  const blocksSome = block.some(({ host }) => isThisMachine(host));
  if (!allow) return blocksSome ? USUAL_LOOPBACK : LOOPBACK;
  return blocksSome ? [] : allow.filter(({ host }) => isPlainLoopback(host)).flatMap(bypassRules);
};

const bypassRules = ({ host, self, subdomains, port }: DomainPattern): string[] => {
  const names = [...listIf(self, host), ...listIf(subdomains, `*.${host}`)];
  return names.map((name) => (port === undefined ? name : `${name}:${port}`));
};

/** The flag of Chrome and the flag of the headless shell. */
const NO_UDP = [
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

/** `httpPort`: a second port for URLs with http:, if the route depends on the scheme. */
export const buildProxyFlags = (
  port: number,
  policy: DomainPolicy,
  httpPort = port,
): readonly string[] => [
  httpPort === port
    ? `--proxy-server=socks5://127.0.0.1:${port}`
    : `--proxy-server=http=socks5://127.0.0.1:${httpPort};https=socks5://127.0.0.1:${port}`,
  // Chrome bypasses the proxy for loopback and link-local addresses by default; `<-loopback>`
  // disables that.
  `--proxy-bypass-list=${['<-loopback>', ...directHosts(policy)].join(';')}`,
  // Chrome treats a page as local if its connection ends at a loopback address, where the proxy
  // listens.
  `--ip-address-space-overrides=${[...new Set([port, httpPort])]
    .map((one) => `127.0.0.1:${one}=public`)
    .join(',')}`,
  // WebRTC uses UDP, which bypasses any proxy. With a domain list it must use TCP through the
  // proxy.
  ...(policy.judgesNames ? NO_UDP : []),
];

const PROXY_FLAGS = /^--(?:proxy-server|proxy-pac-url|proxy-auto-detect|no-proxy-server)(?:=|$)/;
const PROXY_VARIABLES = [
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'auto_proxy',
];

/** The flag or environment variable that sets the user's own proxy; undefined if there is none. */
export const findOwnProxy = (
  chromeArg: readonly string[],
  env: NodeJS.ProcessEnv,
): string | undefined =>
  chromeArg.find((flag) => PROXY_FLAGS.test(flag))?.split('=', 1)[0] ??
  PROXY_VARIABLES.find((name) => env[name]);
