// Matches Chrome's URL patterns: `*` any text, `?` one character, backslash to escape.
import { ANY, matchesGlob, ONE } from '../../core/glob.ts';

export const toUrlMatcher = (pattern: string): ((url: string) => boolean) => {
  if (pattern === '*') return () => true;
  const glob = Array.from(pattern.matchAll(/\\([^])|[^]/g), ([token, escaped]) =>
    escaped === undefined ? (token === '*' ? ANY : token === '?' ? ONE : token) : escaped,
  );
  return (url) => matchesGlob(glob, url);
};
