// A handler's verdict as the one command that Chrome understands for it at that stage.
import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from '../cdp/connection.ts';
import type { HeaderChanges, PausedRequest, Verdict } from './intercept-handler.ts';

type Paused = Protocol.Fetch.RequestPausedEvent;
type HeaderEntry = Protocol.Fetch.HeaderEntry;

export const toPausedRequest = (event: Paused): PausedRequest => ({
  requestId: event.networkId,
  url: event.request.url,
  method: event.request.method,
  headers: event.request.headers,
  postData: event.request.postData,
  resourceType: event.resourceType,
  frameId: event.frameId,
  stage: event.responseStatusCode === undefined && event.responseErrorReason === undefined ? 'request' : 'response',
  redirected: event.redirectedRequestId !== undefined,
  status: event.responseStatusCode,
  responseHeaders: event.responseHeaders,
});

export const sendVerdict = (session: CdpSession, paused: Paused, stage: PausedRequest['stage'], verdict: Verdict): Promise<void> => {
  const { requestId } = paused;
  if (verdict.action === 'continue') return session.send('Fetch.continueRequest', { requestId });
  if (verdict.action === 'fail') return session.send('Fetch.failRequest', { requestId, errorReason: verdict.reason });
  if (verdict.action === 'fulfill') return fulfill(session, requestId, verdict);
  return stage === 'request' ? continueRequest(session, paused, verdict) : continueResponse(session, paused, verdict);
};

const fulfill = (session: CdpSession, requestId: string, answer: Extract<Verdict, { action: 'fulfill' }>): Promise<void> =>
  session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: answer.status,
    responseHeaders: toEntries(answer.headers ?? {}),
    ...(answer.statusText === undefined ? {} : { responsePhrase: answer.statusText }),
    ...(answer.body === undefined ? {} : { body: toBase64(answer.body) }),
  });

type Change = Extract<Verdict, { action: 'continueWith' }>;

const continueRequest = (session: CdpSession, { requestId, request }: Paused, change: Change): Promise<void> =>
  session.send('Fetch.continueRequest', {
    requestId,
    ...(change.url === undefined ? {} : { url: change.url }),
    ...(change.method === undefined ? {} : { method: change.method }),
    ...(change.postData === undefined ? {} : { postData: toBase64(change.postData) }),
    ...(change.headers ? { headers: changed(toEntries(request.headers), change.headers) } : {}),
  });

const continueResponse = (session: CdpSession, paused: Paused, { status, responseHeaders }: Change): Promise<void> =>
  session.send('Fetch.continueResponse', {
    requestId: paused.requestId,
    // Chrome takes a status and headers together or not at all.
    responseCode: status ?? paused.responseStatusCode ?? 200,
    responseHeaders: changed(paused.responseHeaders ?? [], responseHeaders ?? {}),
  });

/** The headers with the changes made; names are compared without regard to case. */
const changed = (entries: readonly HeaderEntry[], changes: HeaderChanges): HeaderEntry[] => {
  const touched = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = entries.filter(({ name }) => !touched.has(name.toLowerCase()));
  const set = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  return [...kept, ...set];
};

const toEntries = (headers: Readonly<Record<string, string>>): HeaderEntry[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const toBase64 = (body: string | Uint8Array): string => Buffer.from(body as string).toString('base64');
