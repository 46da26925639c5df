// How Chrome is told of the guard's proxy, and when it must not be: where the user's own proxy stands in its place. Pure.
import type { DomainPolicy } from '../../policy/domains.ts';

/** This machine by its names and numbers: never through the proxy where all of it is allowed. */
const LOOPBACK = ['localhost', '*.localhost', '127.0.0.0/8', '[::1]'];

/** Chrome's flag, and the headless shell's. */
const NO_UDP = ['--webrtc-ip-handling-policy=disable_non_proxied_udp', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp'];

export const proxyFlags = (port: number, policy: DomainPolicy): readonly string[] => [
  `--proxy-server=socks5://127.0.0.1:${port}`,
  // Chrome leaves out loopback and link-local addresses by itself; the first rule takes that back.
  `--proxy-bypass-list=${['<-loopback>', ...(policy.judgesNames ? [] : LOOPBACK)].join(';')}`,
  // Calls between browsers use UDP, past any proxy: with a list of domains they are held to TCP through it.
  ...(policy.judgesNames ? NO_UDP : []),
];

const PROXY_FLAGS = /^--(?:proxy-server|proxy-pac-url|proxy-auto-detect|no-proxy-server)(?:=|$)/;
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'auto_proxy'];

/** What says that Chrome goes through a proxy of the user's: a flag or a variable; nothing where none is named. */
export const findOwnProxy = (chromeArg: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  chromeArg.find((flag) => PROXY_FLAGS.test(flag))?.split('=', 1)[0] ?? PROXY_VARIABLES.find((name) => env[name]);
