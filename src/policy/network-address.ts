// Classifies addresses as public, loopback, private network or cloud metadata.
import { BlockList, isIP } from 'node:net';
import { matchGroups, textBefore } from '../core/text.ts';

export type AddressKind = 'public' | 'loopback' | 'private' | 'metadata';

const blockList = (v4: readonly string[], v6: readonly string[]): BlockList => {
  const list = new BlockList();
  const add = (subnet: string, family: 'ipv4' | 'ipv6'): void => {
    const [net = '', bits] = subnet.split('/');
    const allBits = family === 'ipv4' ? 32 : 128;
    list.addSubnet(net, bits === undefined ? allBits : Number(bits), family);
  };
  for (const subnet of v4) add(subnet, 'ipv4');
  for (const subnet of v6) add(subnet, 'ipv6');
  return list;
};

/**
 * Metadata services of Amazon, Google, Azure, Oracle, Alibaba and others. They return the machine's
 * credentials to every client.
 */
const METADATA = blockList(
  [
    '169.254.169.254',
    '169.254.169.253',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
  ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fe80::a9fe:a9fe'],
);

/** Connections to the unspecified address reach this machine. */
const LOOPBACK = blockList(['127.0.0.0/8', '0.0.0.0'], ['::1', '::']);

/**
 * Private, link-local, carrier-grade NAT, multicast, reserved. Without 198.18.0.0/15, because local
 * proxies resolve every public name to it.
 */
const PRIVATE = blockList(
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.168.0.0/16',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  ['64:ff9b:1::/48', '100::/64', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
);

/** Removes the brackets and the zone (`%eth0`) of a numeric address. */
const stripZone = (text: string): string => textBefore(text.replace(/^\[|\]$/g, ''), '%');

/** Maximum number of remembered hosts. */
const MAX_CLASSIFIED = 500;
/** The kinds of the hosts that were classified last: every call classifies the host of its tab. */
const classified = new Map<string, AddressKind | undefined>();

/** The kind of an IP address, with or without brackets and zone; undefined for other text. */
export const classifyAddress = (text: string): AddressKind | undefined => {
  const known = classified.get(text);
  if (known !== undefined || classified.has(text)) return known;
  const kind = classify(text);
  if (classified.size >= MAX_CLASSIFIED) classified.clear();
  classified.set(text, kind);
  return kind;
};

const classify = (text: string): AddressKind | undefined => {
  const address = stripZone(text);
  const family = isIP(address);
  if (family === 0) return undefined;
  const inner = family === 6 ? embeddedV4(address) : undefined;
  if (inner !== undefined) return kindIn(inner, 'ipv4');
  return kindIn(address, family === 4 ? 'ipv4' : 'ipv6');
};

const kindIn = (address: string, family: 'ipv4' | 'ipv6'): AddressKind => {
  if (METADATA.check(address, family)) return 'metadata';
  if (LOOPBACK.check(address, family)) return 'loopback';
  return PRIVATE.check(address, family) ? 'private' : 'public';
};

/** Whether a name always means this machine: `localhost` and names below it (RFC 6761). */
const isLocalhostName = (host: string): boolean =>
  /^(?:.+\.)?localhost$/i.test(host.replace(/\.$/, ''));

/** Returns the numeric addresses of this machine's network interfaces. */
export type OwnAddresses = () => readonly string[];

/**
 * Whether a host is this machine by its spelling: `localhost`, a loopback address in any spelling,
 * or an address of an interface.
 */
export const isThisMachine = (host: string, ownAddresses: OwnAddresses = () => []): boolean => {
  const kind = classifyAddress(host);
  if (kind === undefined) return isLocalhostName(host);
  return kind === 'loopback' || ownAddresses().some((own) => isSameAddress(own, host));
};

/**
 * The spellings that Chrome itself recognises as this machine, so that its own protection of local
 * servers applies.
 */
export const isPlainLoopback = (host: string): boolean =>
  isLocalhostName(host) || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

/** Whether a numeric address is private, loopback or metadata. */
export const isPrivateAddress = (address: string): boolean =>
  (classifyAddress(address) ?? 'public') !== 'public';

/** Whether a host is private by its spelling; other names must be resolved. */
export const isPrivateHost = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare)) return isPrivateAddress(bare);
  return isLocalhostName(bare) || /(?:^|\.)(?:local|internal|home\.arpa)$/i.test(bare);
};

/** Compares two IP addresses in any spelling; a mapped IPv4 address equals the IPv4 address. */
const isSameAddress = (one: string, other: string): boolean =>
  toPlainAddress(one) === toPlainAddress(other);

const toPlainAddress = (text: string): string => {
  const address = stripZone(text);
  if (isIP(address) !== 6) return address;
  return embeddedV4(address) ?? new URL(`http://[${address}]/`).hostname;
};

const PAIR = '([0-9a-f]{1,4}):([0-9a-f]{1,4})';
/** Mapped (::ffff:…), compatible (::…), translated (64:ff9b::…, ::ffff:0:…), 6to4 (2002:…). */
const EMBEDDING = [
  new RegExp(`^\\[(?:::ffff:|::ffff:0:|::|64:ff9b::)${PAIR}\\]$`),
  new RegExp(`^\\[2002:${PAIR}:`),
];

/** The IPv4 address that is embedded in an IPv6 address. */
const embeddedV4 = (address: string): string | undefined => {
  const { hostname } = new URL(`http://[${address}]/`); // the shortest form, in hexadecimal
  for (const pattern of EMBEDDING) {
    const [, high, low] = matchGroups(pattern, hostname);
    if (high !== undefined && low !== undefined)
      return [high, low]
        .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
        .join('.');
  }
  return undefined;
};
