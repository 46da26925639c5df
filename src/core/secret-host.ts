// Parses the hosts of a secret and compares them with page addresses.
import { fail } from './failure.ts';
import { parseUrl } from './text.ts';

const WEB_PROTOCOL = /^https?:$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * `example.com`, `example.com:8443` or `*.example.com` (its subdomains), in the spelling of URLs.
 */
export const parseSecretHost = (text: string): string => {
  const address = `https://${text.trim()}`;
  const url =
    /[/?#@\\\s]/.test(text.trim()) || !URL.canParse(address) ? undefined : new URL(address);
  if (!url || url.hostname === '' || !hasOnlyLeadingWildcard(url.hostname))
    throw fail(
      'invalid_argument',
      `"${text.slice(0, 200)}" is not a host ` +
        `(expected example.com, example.com:8443 or *.example.com).`,
      {
        argument: 'host',
      },
    );
  return text.trim().endsWith(':443') ? `${url.hostname}:443` : url.host;
};

/** `*.example.com` is a host, `*.com` and `a.*.com` are not. */
const hasOnlyLeadingWildcard = (hostname: string): boolean => {
  if (!hostname.includes('*')) return true;
  const rest = hostname.slice(2);
  return hostname.startsWith('*.') && !rest.includes('*') && rest.slice(1, -1).includes('.');
};

/** Whether a page address belongs to the host; a host without a port matches every port. */
export const matchesSecretHost = (host: string, address: string): boolean => {
  const url = parseUrl(address);
  if (!url || !WEB_PROTOCOL.test(url.protocol)) return false;
  const [suffix, port] = /:(\d{1,5})$/.exec(host) ?? [''];
  const name = host.slice(0, host.length - suffix.length);
  if (port !== undefined && port !== (url.port || DEFAULT_PORTS[url.protocol])) return false;
  return name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : url.hostname === name;
};
