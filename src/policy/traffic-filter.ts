// Decides which requests a listing omits by default, by resource type and host.
import { valueIf } from '../core/defined.ts';
import { isTelemetryHost } from './telemetry-hosts.ts';

export type FilterReason = 'static' | 'telemetry' | 'preflight';

interface Judged {
  readonly method: string;
  /** Chrome's resource type. */
  readonly resourceType: string;
  readonly url: string;
  /** The page that sent the request. */
  readonly documentUrl: string;
  readonly contentType: string;
  /** A request that failed or was blocked is always listed. */
  readonly failed: boolean;
}

/** Resource types of requests that scripts send on purpose. */
const DATA_TYPES = new Set([
  'Fetch',
  'XHR',
  'EventSource',
  'WebSocket',
  'WebTransport',
  'DirectSocket',
  'FedCM',
]);
/** Resource types of requests whose response is not used. */
const BEACON_TYPES = new Set(['Ping', 'CSPViolationReport']);
/** Ambiguous resource types; a response with JSON counts as data. */
const AMBIGUOUS_TYPES = new Set(['Document', 'Other', 'Prefetch']);

const JSON_LIKE = /\b(?:json|ndjson|graphql)\b/i;

/** Returns undefined if the request is listed. */
export const classifyFiltered = ({
  method,
  resourceType,
  url,
  documentUrl,
  contentType,
  failed,
}: Judged): FilterReason | undefined => {
  if (failed) return undefined;
  if (resourceType === 'Preflight') return 'preflight';
  if (BEACON_TYPES.has(resourceType)) return 'telemetry';
  const isJson = AMBIGUOUS_TYPES.has(resourceType) && JSON_LIKE.test(contentType);
  const data = DATA_TYPES.has(resourceType) || isJson || isSentForm(resourceType, method);
  if (!data) return 'static';
  return valueIf(isTelemetryHost(parseHost(url), parseHost(documentUrl)), 'telemetry');
};

/** A document that is requested with a method other than GET is the response to a form. */
const isSentForm = (resourceType: string, method: string): boolean =>
  resourceType === 'Document' && method.toUpperCase() !== 'GET';

/** A regular expression instead of a full URL parse, because a listing has many addresses. */
const parseHost = (url: string): string =>
  /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(url)?.[1] ?? '';
