// Which machines are private: this one, those of the own network, and what only looks like an address of the internet.
import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6');

/** Whether a numeric address, as the name service gives it, is one of the private ones. */
export const isPrivateAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return PRIVATE.check(address, 'ipv4');
  if (family !== 6) return false;
  const inner = embeddedV4(address);
  return inner === undefined ? PRIVATE.check(address, 'ipv6') : PRIVATE.check(inner, 'ipv4');
};

/** The address of the old kind that stands inside: mapped (::ffff:…), translated (64:ff9b::…) or of 6to4 (2002:…). */
const embeddedV4 = (address: string): string | undefined => {
  const { hostname } = new URL(`http://[${address}]/`); // in its shortest form, in hexadecimal
  const [, high, low] =
    /^\[(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ??
    /^\[2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/.exec(hostname) ??
    [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  return bytes.join('.');
};

/** Whether a host says by its name alone that it is private; other names have to be looked up. */
export const isPrivateHost = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare)) return isPrivateAddress(bare);
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/i.test(bare);
};
