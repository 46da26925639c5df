// `openchrome setup --extension`: pairs the extension in the user's Chrome with this home.
import { createHash } from 'node:crypto';
import { deriveDigits, deriveLinkKey, EXTENSION_ID } from '../../browser/extension/link-proof.ts';
import { LinkServer } from '../../browser/extension/link-server.ts';
import { Failure } from '../../core/failure.ts';
import { createSecretToken } from '../../core/ids.ts';
import { openPairingFile } from '../../store/config/pairing-file.ts';

export interface PairingOffer {
  /** The address that the user opens in Chrome. The ticket in it is valid once. */
  readonly url: string;
  readonly digits: string;
  readonly port: number;
  /** Resolves when the user has confirmed in Chrome and the key is saved. */
  finish(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Outside of the ranges from which systems choose ports for outgoing connections. */
const FIRST_PORT = 21_000;
const PORT_COUNT = 8_000;
const PORT_ATTEMPTS = 20;

/** `path`: the pairing file, which also determines the port, so that each user has another one. */
export const offerPairing = async (path: string): Promise<PairingOffer> => {
  const file = openPairingFile(path);
  const ticket = createSecretToken();
  const known = await file.load();
  const ports = known ? [known.port] : listPorts(path);
  const server = await listenOnFirst(ports, ticket);
  const { port } = server;
  return {
    url: `chrome-extension://${EXTENSION_ID}/pair.html#port=${port}&ticket=${ticket}`,
    digits: await deriveDigits(ticket),
    port,
    finish: async (signal) => {
      const terms = await server.takeTerms(signal);
      await file.save({ port, key: await deriveLinkKey(ticket, terms) });
    },
    close: () => server.close(),
  };
};

const listPorts = (path: string): readonly number[] => {
  const first = createHash('sha256').update(path).digest().readUInt32BE(0);
  return Array.from({ length: PORT_ATTEMPTS }, (_, at) => FIRST_PORT + ((first + at) % PORT_COUNT));
};

/** Another program may use a port. */
const listenOnFirst = async (ports: readonly number[], key: string): Promise<LinkServer> => {
  const [port = FIRST_PORT, ...rest] = ports;
  try {
    return await LinkServer.start({ port, key, purpose: 'pair' });
  } catch (error) {
    if (rest.length === 0 || !(error instanceof Failure)) throw error;
    return listenOnFirst(rest, key);
  }
};
