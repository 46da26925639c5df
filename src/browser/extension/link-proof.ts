// The mutual proof of the link: between the extension and a server, and between two servers.

/** The id that follows from the public key in the extension's manifest. */
export const EXTENSION_ID = 'kpcccpbkkpdibdjgfkekpdglonecoamm';
/** The extension connects to this path. */
export const LINK_PATH = '/extension';
/** Other servers of the user connect to this path. */
export const SHARE_PATH = '/share';
export const LINK_VERSION = 2;

/**
 * `pair`: the key is the ticket of a pairing. `link`: the extension, with the key of an earlier
 * pairing. `share`: another server of the user, with the same key.
 */
export type LinkPurpose = 'pair' | 'link' | 'share';

/** The port of the link and its key; both are set when the user pairs the extension. */
export interface Pairing {
  readonly port: number;
  readonly key: string;
}

/** The facts that both sides prove. The port prevents that a proof is relayed to another server. */
export interface LinkTerms {
  readonly purpose: LinkPurpose;
  readonly port: number;
  readonly callerNonce: string;
  readonly listenerNonce: string;
}

/** The first message, by the caller. It contains no secret. */
interface LinkHello {
  readonly version: number;
  readonly purpose: LinkPurpose;
  readonly nonce: string;
  /** The id of a server that shares the link. */
  readonly member?: string | undefined;
}

/** The second message, by the listener. */
export interface ListenerProof {
  readonly nonce: string;
  readonly proof: string;
}

/** The third message, by the caller. */
interface CallerProof {
  readonly proof: string;
}

/** The fourth message, by the listener, after which both sides send CDP messages. */
export interface LinkReady {
  readonly ready: true;
}

/** The caller opens the connection: the extension, or a server that shares the link of another. */
type LinkSide = 'listener' | 'caller';

/** The connection of a caller until both sides have proved that they know the key. */
export interface ProofChannel {
  send(text: string): void;
  /** Rejects if the connection is closed, or if the next message is not a small JSON object. */
  read(): Promise<Readonly<Record<string, unknown>>>;
}

interface CallerOptions {
  readonly purpose: LinkPurpose;
  readonly port: number;
  readonly key: string;
  readonly member?: string | undefined;
}

/** Sends nothing but a nonce before the listener has proved that it knows the key. */
export const proveAsCaller = async (
  channel: ProofChannel,
  { purpose, port, key, member }: CallerOptions,
): Promise<LinkTerms> => {
  const send = <T>(message: T): void => channel.send(JSON.stringify(message));
  const callerNonce = createNonce();
  send<LinkHello>({ version: LINK_VERSION, purpose, nonce: callerNonce, member });
  const { nonce, proof } = await channel.read();
  const terms = { purpose, port, callerNonce, listenerNonce: String(nonce) };
  if (!(await isProof(proof, key, 'listener', terms))) throw new ProofRejected();
  const ready = channel.read();
  send<CallerProof>({ proof: await computeProof(key, 'caller', terms) });
  if ((await ready)['ready'] !== true) throw new ProofRejected();
  return terms;
};

/** One of the two sides does not know the key. */
export class ProofRejected extends Error {
  constructor() {
    super('The other side did not prove that it knows the key.');
  }
}

const NONCE_BYTES = 32;

export const createNonce = (): string => toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));

export const computeProof = async (
  key: string,
  side: LinkSide,
  terms: LinkTerms,
): Promise<string> => sign(key, listTerms(side, terms));

export const isProof = async (
  proof: unknown,
  key: string,
  side: LinkSide,
  terms: LinkTerms,
): Promise<boolean> => {
  if (typeof proof !== 'string' || !/^[0-9a-f]{64}$/.test(proof)) return false;
  const bytes = Uint8Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(proof.slice(2 * at, 2 * at + 2), 16),
  );
  // verify() takes the same time for every wrong proof
  return crypto.subtle.verify('HMAC', await importKey(key), bytes, encode(listTerms(side, terms)));
};

/** The key of all later links. It is never sent: both sides derive it from the ticket. */
export const deriveLinkKey = async (ticket: string, terms: LinkTerms): Promise<string> =>
  sign(ticket, ['key', ...listTerms('listener', terms)]);

/** The digits that the terminal and the extension show, so that the user can compare them. */
export const deriveDigits = async (ticket: string): Promise<string> => {
  const digest = await sign(ticket, ['digits']);
  return String(Number.parseInt(digest.slice(0, 12), 16) % 1_000_000).padStart(6, '0');
};

const listTerms = (
  side: LinkSide,
  { purpose, port, callerNonce, listenerNonce }: LinkTerms,
): readonly unknown[] => [LINK_VERSION, side, purpose, port, callerNonce, listenerNonce];

const sign = async (key: string, facts: readonly unknown[]): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(key), encode(facts))));

const importKey = (key: string) =>
  crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  );

const encode = (facts: readonly unknown[]) => new TextEncoder().encode(JSON.stringify(facts));

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
