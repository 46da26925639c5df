// Loads the files that the owner names in flags: client certificates, issuers, page scripts.
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Config } from '../../core/config.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { runOwnCommand, type Secret } from './secrets-file.ts';

interface LoadedClientCertificate {
  /** HOST or HOST:PORT. */
  readonly server: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly pfx?: Buffer;
  readonly passphrase?: string;
}

type ClientConfig = Pick<Config, 'clientCert' | 'clientKey' | 'clientCertPassword'>;

const PEM_START = '-----BEGIN ';
const COMMAND_MS = 60_000;

/** Throws if a file, a key or a password is missing or wrong. */
export const loadClientCertificates = async (
  { clientCert, clientKey, clientCertPassword }: ClientConfig,
  secrets: readonly Secret[],
): Promise<readonly LoadedClientCertificate[]> => {
  const certificates = new Map(clientCert.map(splitServer));
  const keys = new Map(clientKey.map(splitServer));
  const passwords = new Map(clientCertPassword.map(splitServer));
  requireServers('--client-key', keys, certificates);
  requireServers('--client-cert-password', passwords, certificates);
  return Promise.all(
    [...certificates].map(async ([server, path]) => {
      const passphrase = await ifDefined(passwords.get(server), (name) => obtain(name, secrets));
      const key = await ifDefined(keys.get(server), (file) => loadFile('--client-key', file));
      const file = await loadFile('--client-cert', path);
      const isPem = file.includes(PEM_START);
      const loaded = isPem ? { cert: file, key: key ?? file } : { pfx: file };
      return requireUsable(path, defined({ server, ...loaded, passphrase }));
    }),
  );
};

const splitServer = (text: string): readonly [server: string, value: string] => {
  const at = text.indexOf('=');
  return [text.slice(0, at).toLowerCase(), text.slice(at + 1)];
};

const invalid = (message: string, cause?: unknown): Failure =>
  fail('invalid_argument', message, { argument: 'clientCert' }, cause);

const requireServers = (
  flag: string,
  given: ReadonlyMap<string, string>,
  certificates: ReadonlyMap<string, string>,
): void => {
  const unknown = [...given.keys()].find((server) => !certificates.has(server));
  if (unknown !== undefined)
    throw invalid(`${flag} ${unknown}: there is no --client-cert for this server.`);
};

const loadFile = (flag: string, path: string): Promise<Buffer> =>
  readFile(path).catch((error: unknown) => {
    throw invalid(`${flag}: ${path} cannot be read.`, error);
  });

const obtain = async (name: string, secrets: readonly Secret[]): Promise<string> => {
  const secret = secrets.find((one) => one.name === name && one.totp === undefined);
  if (!secret) throw invalid(`--client-cert-password: there is no secret "${name}" in --secrets.`);
  if (!secret.command) return secret.value;
  return runOwnCommand(secret.command, AbortSignal.timeout(COMMAND_MS)).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'the program failed';
    throw fail('secret_command_failed', `The secret "${name}" is not available: ${why}.`);
  });
};

/** Explanations of OpenSSL's messages. */
const UNUSABLE = [
  [
    /mac verify failure|bad decrypt|bad password/i,
    'the password is missing or wrong (--client-cert-password)',
  ],
  [/key values mismatch/i, 'the private key does not belong to the certificate'],
  [/Unsupported PKCS12/i, 'its encryption is too old; export it again with AES'],
] as const;

const requireUsable = (path: string, loaded: LoadedClientCertificate): LoadedClientCertificate => {
  const { server: _, ...options } = loaded;
  try {
    createSecureContext(options);
    return loaded;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    const known = UNUSABLE.find(([message]) => message.test(text))?.[1];
    const why = known ?? 'it does not contain a certificate with its private key';
    throw invalid(`--client-cert: ${path} cannot be used: ${why}.`);
  }
};

// Loads the PEM files of --ca-cert: issuers of certificates that the user trusts.

export const loadIssuers = (paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map(loadIssuer));

const loadIssuer = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(
      'invalid_argument',
      `--ca-cert: ${path} cannot be read.`,
      { argument: 'caCert' },
      error,
    );
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw fail('invalid_argument', `--ca-cert: ${path} does not contain a PEM certificate.`, {
    argument: 'caCert',
  });
};

// Loads the files of --init-script: scripts of the owner that run before those of a page.

/** `SESSION=FILE`: only for one session. A path with an earlier `=` can start with `./`. */
const FOR_SESSION = /^([\w.@-]+)=(.+)$/s;

export const loadInitScript = async (
  text: string,
): Promise<{ readonly session?: string; readonly source: string }> => {
  const [, session, path = text] = FOR_SESSION.exec(text) ?? [];
  const source = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(
      'invalid_argument',
      `--init-script: ${path} cannot be read.`,
      { argument: 'initScript' },
      error,
    );
  });
  return session === undefined ? { source } : { session, source };
};
