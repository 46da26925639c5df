// The mutual proof of the link between the extension and the server. Both sides run this code.

/** The id that follows from the public key in the extension's manifest. */
export const EXTENSION_ID = 'kpcccpbkkpdibdjgfkekpdglonecoamm';
export const LINK_PATH = '/extension';
export const LINK_VERSION = 1;

/** `pair`: the key is the ticket of a pairing. `link`: the key is that of an earlier pairing. */
export type LinkPurpose = 'pair' | 'link';

/** The facts that both sides prove. The port prevents that a proof is relayed to another server. */
export interface LinkTerms {
  readonly purpose: LinkPurpose;
  readonly port: number;
  readonly extensionNonce: string;
  readonly serverNonce: string;
}

/** The first message, by the extension. It contains no secret. */
export interface LinkHello {
  readonly version: number;
  readonly purpose: LinkPurpose;
  readonly nonce: string;
}

/** The second message, by the server. */
export interface ServerProof {
  readonly nonce: string;
  readonly proof: string;
}

/** The third message, by the extension. */
export interface ExtensionProof {
  readonly proof: string;
}

/** The fourth message, by the server, after which both sides send CDP messages. */
export interface LinkReady {
  readonly ready: true;
}

type LinkSide = 'server' | 'extension';

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
  sign(ticket, ['key', ...listTerms('server', terms)]);

/** The digits that the terminal and the extension show, so that the user can compare them. */
export const deriveDigits = async (ticket: string): Promise<string> => {
  const digest = await sign(ticket, ['digits']);
  return String(Number.parseInt(digest.slice(0, 12), 16) % 1_000_000).padStart(6, '0');
};

const listTerms = (
  side: LinkSide,
  { purpose, port, extensionNonce, serverNonce }: LinkTerms,
): readonly unknown[] => [LINK_VERSION, side, purpose, port, extensionNonce, serverNonce];

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
