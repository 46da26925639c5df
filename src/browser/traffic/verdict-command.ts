// Converts a handler's verdict to the CDP command for its stage.
import type { Protocol } from 'devtools-protocol';
import { defined, ifDefined } from '../../core/defined.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { HeaderChanges, PausedRequest, InterceptVerdict } from './intercept-handler.ts';

type PausedRequestEvent = Protocol.Fetch.RequestPausedEvent;
type HeaderEntry = Protocol.Fetch.HeaderEntry;

export const toPausedRequest = (event: PausedRequestEvent): PausedRequest => ({
  requestId: event.networkId,
  url: event.request.url,
  method: event.request.method,
  headers: event.request.headers,
  postData: event.request.postData,
  resourceType: event.resourceType,
  frameId: event.frameId,
  stage:
    event.responseStatusCode === undefined && event.responseErrorReason === undefined
      ? 'request'
      : 'response',
  redirected: event.redirectedRequestId !== undefined,
  status: event.responseStatusCode,
  responseHeaders: event.responseHeaders,
});

export const sendVerdict = (
  session: CdpSession,
  paused: PausedRequestEvent,
  stage: PausedRequest['stage'],
  verdict: InterceptVerdict,
): Promise<void> => {
  const { requestId } = paused;
  if (verdict.action === 'continue') return session.send('Fetch.continueRequest', { requestId });
  if (verdict.action === 'fail')
    return session.send('Fetch.failRequest', { requestId, errorReason: verdict.reason });
  if (verdict.action === 'fulfill') return fulfill(session, requestId, verdict);
  return stage === 'request'
    ? continueRequest(session, paused, verdict)
    : continueResponse(session, paused, verdict);
};

const fulfill = (
  session: CdpSession,
  requestId: string,
  answer: Extract<InterceptVerdict, { action: 'fulfill' }>,
): Promise<void> =>
  session.send(
    'Fetch.fulfillRequest',
    defined({
      requestId,
      responseCode: answer.status,
      responseHeaders: toEntries(answer.headers ?? {}),
      responsePhrase: answer.statusText,
      body: ifDefined(answer.body, toBase64),
    }),
  );

type ChangeVerdict = Extract<InterceptVerdict, { action: 'continueWith' }>;

const continueRequest = (
  session: CdpSession,
  { requestId, request }: PausedRequestEvent,
  change: ChangeVerdict,
): Promise<void> =>
  session.send(
    'Fetch.continueRequest',
    defined({
      requestId,
      url: change.url,
      method: change.method,
      postData: ifDefined(change.postData, toBase64),
      headers: change.headers
        ? applyChanges(toEntries(request.headers), change.headers)
        : undefined,
    }),
  );

const continueResponse = (
  session: CdpSession,
  paused: PausedRequestEvent,
  { status, responseHeaders }: ChangeVerdict,
): Promise<void> =>
  session.send('Fetch.continueResponse', {
    requestId: paused.requestId,
    // Chrome requires status and headers together.
    responseCode: status ?? paused.responseStatusCode ?? 200,
    responseHeaders: applyChanges(paused.responseHeaders ?? [], responseHeaders ?? {}),
  });

/** Applies header changes; names are case-insensitive. */
const applyChanges = (entries: readonly HeaderEntry[], changes: HeaderChanges): HeaderEntry[] => {
  const touched = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = entries.filter(({ name }) => !touched.has(name.toLowerCase()));
  const set = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value }],
  );
  return [...kept, ...set];
};

const toEntries = (headers: Readonly<Record<string, string>>): HeaderEntry[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const toBase64 = (body: string | Uint8Array): string =>
  Buffer.from(body as string).toString('base64');
