// Renders a captured request as a curl command for a POSIX shell. Pure.
import type { CapturedRequest } from '../core/captured-request.ts';
import { listIf } from '../core/collections.ts';

/** Headers that curl sets itself, or that belong to the connection of Chrome. */
const OMITTED = new Set(['content-length', 'host', 'connection', 'accept-encoding']);

/** A word in single quotes; a quote in it ends the word, is escaped, and starts a new one. */
const quoteWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const renderCurl = ({
  method,
  url,
  requestHeaders,
  requestBody,
}: CapturedRequest): string => {
  const headers = Object.entries(requestHeaders)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `-H ${quoteWord(`${name}: ${value}`)}`);
  const body = requestBody?.text;
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined);
  return [
    `curl ${quoteWord(url)}`,
    ...listIf(!isPlain, `-X ${quoteWord(method)}`),
    ...headers,
    ...listIf(body, `--data-raw ${quoteWord(body ?? '')}`),
  ].join(' \\\n  ');
};
