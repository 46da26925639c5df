// Builds network condition rules that block WebSockets, which interception does not see. Pure.
import type { Protocol } from 'devtools-protocol';
import { listIf } from '../../core/collections.ts';
import { textIf } from '../../core/text.ts';
import { type DomainPattern, type DomainPolicy, meansThisMachine } from '../../policy/domains.ts';

const WEB_PORTS = new Set<number>([80, 443]);

type Conditions = Protocol.Network.NetworkConditions;

/** Chrome applies the first rule that matches. */
export const buildSocketRules = (policy: DomainPolicy): readonly Conditions[] => {
  if (!policy.judgesNames) return [];
  const { block, allow } = policy.patterns;
  const rules = (patterns: readonly DomainPattern[], offline: boolean): Conditions[] =>
    patterns.flatMap((pattern) =>
      urlPatterns(pattern).map((urlPattern) => ({ ...UNTOUCHED, urlPattern, offline })),
    );
  return [
    ...rules(block.flatMap(everySpelling), true),
    ...(allow ? [...rules(allow, false), ...rules([EVERYTHING], true)] : []),
  ];
};

/**
 * Expands a rule that blocks this machine into one rule per spelling; the proxy rejects rarer
 * spellings.
 */
const everySpelling = (pattern: DomainPattern): DomainPattern[] => {
  if (!meansThisMachine(pattern)) return [pattern];
  const at = (host: string, subdomains: boolean): DomainPattern => ({
    ...pattern,
    host,
    self: true,
    subdomains,
  });
  return [
    at('localhost', true),
    ...['127.*', '0.0.0.0', '[::1]', '[::]', '[::ffff:7f00:1]'].map((host) => at(host, false)),
  ];
};

const UNTOUCHED = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
const EVERYTHING: DomainPattern = { host: '', self: false, subdomains: true };

/**
 * URLPattern strings such as `ws://*.example.com:80/*`. Host names are also matched with a
 * trailing dot.
 */
const urlPatterns = ({ host, self, subdomains, port }: DomainPattern): string[] => {
  const hosts = host === '' ? ['*'] : [...listIf(self, host), ...listIf(subdomains, `*.${host}`)];
  const spelled =
    host === '' || host.startsWith('[') ? hosts : hosts.flatMap((name) => [name, `${name}.`]);
  return listSchemes(port).flatMap((scheme) =>
    spelled.flatMap((name) =>
      listPorts(port).map(
        (number) => `${scheme}://${escapeHost(name)}${textIf(number !== '', `:${number}`)}/*`,
      ),
    ),
  );
};

const listSchemes = (port: number | undefined): string[] => {
  if (port === 80) return ['ws'];
  return port === 443 ? ['wss'] : ['ws', 'wss'];
};

/** A default port is also matched without its number. */
const listPorts = (port: number | undefined): string[] => {
  if (port === undefined) return ['*'];
  return WEB_PORTS.has(port) ? ['', String(port)] : [String(port)];
};

/** URLPattern treats a colon as the start of a named group, so that IPv6 hosts must be escaped. */
const escapeHost = (host: string): string =>
  host.startsWith('[') ? host.replaceAll(':', '\\:') : host;
