// Parses the URL of the cluster's database and the PG* variables to connection options.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { attempt } from '../../core/attempt.ts';
import { defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';

/** Options for `pg`. A missing field means that `pg` uses its PG* variable or its default. */
export interface DatabaseTarget {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl?: ConnectionOptions | false;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = new Set(['postgres:', 'postgresql:']);

const VARIABLES = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
} as const;

type TlsParameter = keyof typeof VARIABLES;

const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
  'no-verify',
];

/** The messages never contain the URL, because it may contain a password. */
const invalid = (problem: string): Failure =>
  fail('invalid_argument', `The URL of the cluster's database is invalid: ${problem}.`, {
    argument: 'cluster',
    hint: 'Use postgres://USER:PASSWORD@HOST:PORT/DATABASE, or postgres:///DATABASE and PG* variables.',
  });

export const parseDatabaseTarget = (
  address: string,
  environment: Environment = process.env,
): DatabaseTarget => {
  // "postgres://" alone is not a valid URL, but it is a valid way to use the PG* variables only.
  const bare = /^postgres(?:ql)?:\/\/$/.test(address);
  const url = bare ? undefined : attempt(() => new URL(address));
  if (!bare && !url) throw invalid('it cannot be parsed');
  if (url && !PROTOCOLS.has(url.protocol)) throw invalid('it does not start with postgres://');
  const parameters = url?.searchParams ?? new URLSearchParams();
  const read = (name: TlsParameter): string | undefined =>
    parameters.get(name) ?? environment[VARIABLES[name]] ?? undefined;
  // pg itself reads PGPORT, but not as a number.
  const port = url?.port || parameters.get('port') || environment['PGPORT'];
  return defined({
    host: decodePart(url?.hostname) ?? parameters.get('host') ?? undefined,
    port: port === undefined || port === '' ? undefined : Number(port),
    user: decodePart(url?.username),
    password: decodePart(url?.password),
    database: decodePart(url?.pathname.slice(1)),
    ssl: buildTls(read),
  });
};

const decodePart = (part: string | undefined): string | undefined =>
  part === undefined || part === ''
    ? undefined
    : attempt(() => decodeURIComponent(part).replace(/^\[(.*)\]$/, '$1'));

/** TLS always verifies the certificate, except with the mode "no-verify". */
const buildTls = (
  read: (name: TlsParameter) => string | undefined,
): ConnectionOptions | false | undefined => {
  const mode = read('sslmode') ?? (read('sslrootcert') === undefined ? 'disable' : 'verify-full');
  if (!SSL_MODES.includes(mode)) throw invalid(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  if (mode === 'disable') return false;
  return defined({
    rejectUnauthorized: mode !== 'no-verify',
    ca: readCertificate('sslrootcert', read('sslrootcert')),
    cert: readCertificate('sslcert', read('sslcert')),
    key: readCertificate('sslkey', read('sslkey')),
    checkServerIdentity: mode === 'verify-ca' ? () => undefined : undefined,
  });
};

const readCertificate = (name: TlsParameter, path: string | undefined): string | undefined => {
  if (path === undefined || path === 'system') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw invalid(`the file of ${name} cannot be read`);
  }
};
