// `openchrome setup --extension`: pairs the extension in the user's Chrome with this home.
import { createHash } from 'node:crypto';
import { deriveDigits, deriveLinkKey, EXTENSION_ID } from '../../browser/extension/link-proof.ts';
import {
  LinkServer,
  POLICY_VIOLATION,
  type ProvenLink,
  sendReady,
} from '../../browser/extension/link-server.ts';
import { fail } from '../../core/failure.ts';
import { createSecretToken } from '../../core/ids.ts';
import { abortable } from '../../core/time.ts';
import { openPairingFile } from '../../store/config/key-files.ts';

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
  const server = await listenOnFirst([...(known ? [known.port] : []), ...listPorts(path)], ticket);
  const { port } = server;
  const confirmed = acceptOnce(server);
  return {
    url: `chrome-extension://${EXTENSION_ID}/pair.html#port=${port}&ticket=${ticket}`,
    digits: await deriveDigits(ticket),
    port,
    finish: async (signal) => {
      const { terms } = await abortable(confirmed, signal);
      await file.save({ port, key: await deriveLinkKey(ticket, terms) });
    },
    close: () => server.close(),
  };
};

/** Resolves with the first connection that proves that it knows the ticket; rejects later ones. */
const acceptOnce = (server: LinkServer): Promise<ProvenLink> =>
  new Promise((resolve) => {
    let isUsed = false;
    server.onProven((link) => {
      if (isUsed) return link.socket.close(POLICY_VIOLATION);
      isUsed = true;
      sendReady(link.socket);
      resolve(link);
    });
  });

const listPorts = (path: string): readonly number[] => {
  const first = createHash('sha256').update(path).digest().readUInt32BE(0);
  return Array.from({ length: PORT_ATTEMPTS }, (_, at) => FIRST_PORT + ((first + at) % PORT_COUNT));
};

/** Another program, or a server that uses the extension, may use a port. */
const listenOnFirst = async (ports: readonly number[], key: string): Promise<LinkServer> => {
  for (const port of ports) {
    const server = await LinkServer.start({ port, key, purposes: ['pair'] });
    if (server) return server;
  }
  throw fail('attach_failed', `The ports from ${ports[0]} to ${ports.at(-1)} are in use.`);
};
