// Which machines are private: this one, those of the own network, and what only looks like an address of the internet.
import { isIP } from 'node:net';
import { kindOfAddress } from '../../policy/network-address.ts';

/** Whether a numeric address, as the name service gives it, is one of the private ones. */
export const isPrivateAddress = (address: string): boolean => (kindOfAddress(address) ?? 'public') !== 'public';

/** Whether a host says by its name alone that it is private; other names have to be looked up. */
export const isPrivateHost = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare)) return isPrivateAddress(bare);
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/i.test(bare);
};
