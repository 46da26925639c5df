// Whether a request is the one that somebody means by a key or by a pattern of its address.
import { ANY, matchesGlob, parsePathGlob } from '../../core/glob.ts';
import type { RequestRecord } from './request-record.ts';

export type RequestMatcher = (
  record: Pick<RequestRecord, 'method' | 'url'>,
  key: string | undefined,
) => boolean;

/**
 * `GetUser`, `GET host/path`, `POST /api/**`, `/api/orders`: a key as `network` lists it, else
 * [METHOD] and a part of the address or a glob.
 */
export const createRequestMatcher = (wanted: string): RequestMatcher => {
  const [, verb, pattern = wanted] = /^(?:([A-Z]{3,10})\s+)?(.+)$/s.exec(wanted.trim()) ?? [];
  const fits = createAddressMatcher(pattern);
  return ({ method, url }, key) =>
    (key !== undefined && (key === wanted || withoutRepeat(key) === wanted)) ||
    ((verb === undefined || verb === method) && fits(url));
};

const withoutRepeat = (key: string): string => key.replace(/#\d+$/, '');

/** A glob (`*` within a part of the path, `**` over several) or a part of the address. */
export const createAddressMatcher = (pattern: string): ((url: string) => boolean) => {
  if (!pattern.includes('*')) return (url) => url.includes(pattern);
  const glob = [ANY, ...parsePathGlob(pattern), ANY];
  return (url) => matchesGlob(glob, url);
};
