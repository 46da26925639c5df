// Loads a proxy auto-configuration (PAC) file of the owner and asks it for the proxies of a URL.
import { isIP } from 'node:net';
import { createContext, runInContext, Script } from 'node:vm';
import { fail } from '../../core/failure.ts';
import { openRegularFile } from '../../system/private-files.ts';
import { type ChooseProxy, parseUpstream, type ProxyChoice } from './upstream-proxy.ts';

const MAX_BYTES = 1024 * 1024;
const FETCH_MS = 10_000;
/** Evaluating a file takes microseconds; a file that loops must not block the server. */
const EVALUATE_MS = 500;

/** `from`: a path, or an http: or https: address. */
export const loadPacFile = async (from: string): Promise<ChooseProxy> => {
  const text = await readSource(from).catch((error: unknown) => {
    throw fail(
      'invalid_argument',
      `The PAC file cannot be read: ${from.slice(0, 300)}.`,
      {
        argument: 'proxy',
      },
      error,
    );
  });
  const names = new Map<string, string>();
  const context = createContext(
    { dnsResolve: (host: string) => (isIP(host) ? host : (names.get(host) ?? null)) },
    { codeGeneration: { strings: false, wasm: false } },
  );
  try {
    runInContext(HELPERS, context);
    new Script(text, { filename: 'proxy.pac' }).runInContext(context, { timeout: EVALUATE_MS });
  } catch (error) {
    throw fail('invalid_argument', `The PAC file has an error: ${String(error).slice(0, 300)}.`, {
      argument: 'proxy',
    });
  }
  return (url, host, address) => {
    names.clear();
    if (address !== undefined) names.set(host, address);
    const call = `String(FindProxyForURL(${JSON.stringify(url)}, ${JSON.stringify(host)}))`;
    return parseAnswer(String(runInContext(call, context, { timeout: EVALUATE_MS })));
  };
};

const readSource = async (from: string): Promise<string> => {
  if (/^https?:\/\//.test(from)) {
    const response = await fetch(from, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.text()).slice(0, MAX_BYTES);
  }
  await using file = await openRegularFile(from, MAX_BYTES);
  if (!file) throw new Error('it does not exist');
  return file.readFile('utf8');
};

const KINDS: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks5',
  SOCKS5: 'socks5',
};

/** Parses `PROXY host:port; SOCKS5 host:port; DIRECT`. An empty answer means no proxy. */
const parseAnswer = (answer: string): ProxyChoice => {
  const choices = answer
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      if (/^DIRECT$/i.test(part)) return 'direct' as const;
      const [word = '', address = ''] = part.split(/\s+/);
      return parseUpstream(`${KINDS[word.toUpperCase()] ?? 'unknown'}://${address}`);
    });
  return choices.length > 0 ? choices : ['direct'];
};

/** The functions that every PAC file may use, except those about times and dates. */
const HELPERS = `
  function isPlainHostName(host) { return !host.includes('.'); }
  function dnsDomainIs(host, domain) {
    return host.toLowerCase().endsWith(domain.toLowerCase());
  }
  function localHostOrDomainIs(host, name) {
    return host === name || (!host.includes('.') && name.startsWith(host + '.'));
  }
  function isResolvable(host) { return dnsResolve(host) !== null; }
  function dnsDomainLevels(host) { return host.split('.').length - 1; }
  function myIpAddress() { return '127.0.0.1'; }
  function convert_addr(address) {
    return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  }
  function isInNet(host, pattern, mask) {
    const address = dnsResolve(host);
    if (address === null || address.includes(':')) return false;
    const bits = convert_addr(mask);
    return ((convert_addr(address) & bits) >>> 0) === ((convert_addr(pattern) & bits) >>> 0);
  }
  function shExpMatch(text, pattern) {
    let [at, i, star, from] = [0, 0, -1, 0];
    while (i < text.length) {
      if (pattern[at] === '*') { star = ++at; from = i; }
      else if (at < pattern.length && ['?', text[i]].includes(pattern[at])) { at++; i++; }
      else if (star >= 0) { at = star; i = ++from; }
      else return false;
    }
    while (pattern[at] === '*') at++;
    return at === pattern.length;
  }
`;
