// Filters request URLs by a substring or a regular expression, with a time limit.
import { runInNewContext } from 'node:vm';
import { fail } from '../../core/failure.ts';

const PATIENCE_MS = 250;
const MAX_URL_CHARS = 4000;
const SIGNS = /[\\^$*+|()[\]{}]/;

/**
 * A pattern in slashes or with regular-expression characters is compiled as an expression. Every
 * pattern is also tried as a plain substring.
 */
export const matchAddresses = (urls: readonly string[], pattern: string): ReadonlySet<string> => {
  const [, inSlashes, flags = ''] = /^\/(.+)\/([imsu]*)$/s.exec(pattern) ?? [];
  const plain = urls.filter((url) => url.includes(pattern));
  if (inSlashes === undefined && !SIGNS.test(pattern)) return new Set(plain);
  const expression = compile(inSlashes ?? pattern, flags, inSlashes !== undefined);
  return new Set(expression ? [...plain, ...matching(urls, expression)] : plain);
};

/**
 * Returns undefined if the pattern does not compile, because it may be a plain substring. A
 * pattern in slashes (`meant`) must compile.
 */
const compile = (source: string, flags: string, meant: boolean): RegExp | undefined => {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!meant) return undefined;
    throw fail(
      'invalid_argument',
      `"url" is not a regular expression: ${(error as Error).message}.`,
      { argument: 'url' },
    );
  }
};

/**
 * Runs in a separate VM context, because only there a slow expression can be stopped by a timeout.
 */
const matching = (urls: readonly string[], { source, flags }: RegExp): string[] => {
  const texts = urls.map((url) => url.slice(0, MAX_URL_CHARS));
  try {
    const code = 'const e = new RegExp(source, flags); texts.map((text) => e.test(text))';
    const fits = runInNewContext(
      code,
      { source, flags, texts },
      { timeout: PATIENCE_MS },
    ) as readonly boolean[];
    return urls.filter((_, i) => fits[i]);
  } catch {
    throw fail('invalid_argument', 'The expression in "url" takes too long on these addresses.', {
      argument: 'url',
    });
  }
};
