// Matches Chrome's URL patterns: `*` any text, `?` one character, backslash to escape.
import { ANY, matchesGlob, ONE } from '../../core/glob.ts';

export const toUrlMatcher = (pattern: string): ((url: string) => boolean) => {
  if (pattern === '*') return () => true;
  const glob = Array.from(pattern.matchAll(/\\([^])|[^]/g), ([token, escaped]) =>
    parseToken(token, escaped),
  );
  return (url) => matchesGlob(glob, url);
};

const parseToken = (token: string, escaped: string | undefined): string => {
  if (escaped !== undefined) return escaped;
  if (token === '*') return ANY;
  return token === '?' ? ONE : token;
};
