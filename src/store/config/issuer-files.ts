// Loads the PEM files of --ca-cert: issuers of certificates that the user trusts.
import { readFile } from 'node:fs/promises';
import { fail } from '../../core/failure.ts';

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
