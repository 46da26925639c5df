// The little of SOCKS 5 (RFC 1928) that Chrome speaks: no authentication, one command, names left to us.
import type { Socket } from 'node:net';
import type { BytesIn } from './bytes-in.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const V4 = 1;
const NAME = 3;
const V6 = 4;
const HOST_UNREACHABLE = 4;

const reply = (code: number): Buffer => Buffer.from([VERSION, code, 0, V4, 0, 0, 0, 0, 0, 0]);
export const CONNECTED = reply(0);
/** The one answer after which Chrome does not take the proxy itself for broken. */
export const NOT_REACHED = reply(HOST_UNREACHABLE);

export const acceptMethods = async (bytes: BytesIn, client: Socket): Promise<void> => {
  const [version = 0, count = 0] = await bytes.take(2);
  if (version !== VERSION || count === 0) throw new Error('not SOCKS 5');
  const methods = await bytes.take(count);
  if (!methods.includes(NO_AUTHENTICATION)) throw new Error('no method in common');
  client.write(Buffer.from([VERSION, NO_AUTHENTICATION]));
};

export const readTarget = async (bytes: BytesIn): Promise<Target> => {
  const [version, command, , kind = 0] = await bytes.take(4);
  if (version !== VERSION || command !== CONNECT) throw new Error('not a command to connect');
  const host = await readHost(bytes, kind);
  return { host, port: (await bytes.take(2)).readUInt16BE() };
};

const readHost = async (bytes: BytesIn, kind: number): Promise<string> => {
  if (kind === V4) return [...(await bytes.take(4))].join('.');
  if (kind === V6) return formatV6(await bytes.take(16));
  if (kind !== NAME) throw new Error('no such kind of address');
  const [length = 0] = await bytes.take(1);
  if (length === 0) throw new Error('no name');
  return (await bytes.take(length)).toString('latin1');
};

const formatV6 = (bytes: Buffer): string => Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':');
