// Formats the host and port of a URL as the SOCKS client sends them. Pure.

const SECURE = /^(?:https|wss):$/;

export const formatHostPort = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const { hostname, port, protocol } = new URL(url);
  return `${removeBrackets(hostname)}:${port || (SECURE.test(protocol) ? 443 : 80)}`;
};

const removeBrackets = (hostname: string): string =>
  hostname.startsWith('[') ? expandAddress(hostname.slice(1, -1)) : hostname;

/** Expands `::1` to `0:0:0:0:0:0:0:1`. */
const expandAddress = (address: string): string => {
  const [head = '', tail] = address.split('::');
  const parts = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [before, behind] = [parts(head), parts(tail)];
  return [
    ...before,
    ...(tail === undefined ? [] : Array<string>(8 - before.length - behind.length).fill('0')),
    ...behind,
  ].join(':');
};
