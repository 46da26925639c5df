// Matches requests by their key or by a pattern of their URL.
import { ANY, matchesGlob, ONE, parsePathGlob } from '../../core/glob.ts';
import { matchGroups } from '../../core/text.ts';
import type { RequestRecord } from './request-record.ts';

type RequestMatcher = (
  record: Pick<RequestRecord, 'method' | 'url'>,
  key: string | undefined,
) => boolean;

/**
 * `GetUser`, `GET host/path`, `POST /api/**`, `/api/orders`: a key as listed by `network`, or an
 * optional method and a substring or glob of the URL.
 */
export const createRequestMatcher = (wanted: string): RequestMatcher => {
  const [, verb, pattern = wanted] = matchGroups(/^(?:([A-Z]{3,10})\s+)?(.+)$/s, wanted.trim());
  const fits = createAddressMatcher(pattern);
  return ({ method, url }, key) =>
    (key !== undefined && (key === wanted || withoutRepeat(key) === wanted)) ||
    ((verb === undefined || verb === method) && fits(url));
};

const withoutRepeat = (key: string): string => key.replace(/#\d+$/, '');

/** A glob (`*` within a path segment, `**` across segments) or a substring of the URL. */
export const createAddressMatcher = (pattern: string): ((url: string) => boolean) => {
  if (!pattern.includes('*')) return (url) => url.includes(pattern);
  const glob = [ANY, ...parsePathGlob(pattern), ANY];
  return (url) => matchesGlob(glob, url);
};

// Matches Chrome's URL patterns: `*` any text, `?` one character, backslash to escape.

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
