// Which requests a listing leaves out unless told: by Chrome's own resource type first, then by
// host, never by words of the path.
import { isTelemetryHost } from './telemetry-hosts.ts';

export type LeftOutAs = 'static' | 'telemetry' | 'preflight';

interface Judged {
  readonly method: string;
  /** Chrome's resource type. */
  readonly resourceType: string;
  readonly url: string;
  /** The page that asked for it. */
  readonly documentUrl: string;
  readonly contentType: string;
  /** A request that failed or was blocked is always shown. */
  readonly failed: boolean;
}

/** What scripts ask for on purpose. */
const ASKED_FOR = new Set([
  'Fetch',
  'XHR',
  'EventSource',
  'WebSocket',
  'WebTransport',
  'DirectSocket',
  'FedCM',
]);
/** What is sent without anybody waiting for an answer. */
const SENT_OFF = new Set(['Ping', 'CSPViolationReport']);
/**
 * What is of no certain kind: a document, a prefetch or something that Chrome has no word for is
 * data where it is JSON.
 */
const OF_ANY_KIND = new Set(['Document', 'Other', 'Prefetch']);

const JSON_LIKE = /\b(?:json|ndjson|graphql)\b/i;

/** Nothing for what stays. */
export const classifyFiltered = ({
  method,
  resourceType,
  url,
  documentUrl,
  contentType,
  failed,
}: Judged): LeftOutAs | undefined => {
  if (failed) return undefined;
  if (resourceType === 'Preflight') return 'preflight';
  if (SENT_OFF.has(resourceType)) return 'telemetry';
  const isJson = OF_ANY_KIND.has(resourceType) && JSON_LIKE.test(contentType);
  const data = ASKED_FOR.has(resourceType) || isJson || isSentForm(resourceType, method);
  if (!data) return 'static';
  return isTelemetryHost(hostOf(url), hostOf(documentUrl)) ? 'telemetry' : undefined;
};

/** A page that is requested with another method than GET is the answer to a form. */
const isSentForm = (resourceType: string, method: string): boolean =>
  resourceType === 'Document' && method.toUpperCase() !== 'GET';

/** Of the many addresses in a listing most need no full parse. */
const hostOf = (url: string): string =>
  /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(url)?.[1] ?? '';
