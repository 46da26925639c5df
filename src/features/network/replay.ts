// Sends a recorded or a given request from a page, and returns the response.
import { dialogOpenFailure } from '../../browser/tabs/dialog.ts';
import {
  findSender,
  readSentContentType,
  type ReplayAnswer,
  type Sender,
  sendFrom,
  type Sent,
  toSent,
} from '../../browser/traffic/replay-request.ts';
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import { defined, valueIf } from '../../core/defined.ts';
import { fail, type FailureFacts } from '../../core/failure.ts';
import { isObject, isRecord } from '../../core/json.ts';
import { quoteText } from '../../core/text.ts';
import type { Deadline } from '../../core/time.ts';
import { domainNotAllowedFailure } from '../../policy/domains.ts';
import {
  describeContentShape,
  parseContentJson,
  showContent,
  showValue,
} from '../../render/captured-content.ts';
import { getAtPath, parseJsonBody } from '../../render/json-path.ts';
import { findRequest } from './find-request.ts';
import type { NetworkContext } from './network-context.ts';
import { redactText } from './redact-captured.ts';
import { createPayloadWriter } from '../../store/files/payload-writer.ts';

// Changes GraphQL variables, JSON or form fields, or URL parameters of a request. Pure.

type Changes = Readonly<Record<string, unknown>>;

export const changeRequest = (sent: Sent, changes: Changes): Sent => {
  if (sent.base64 !== undefined) throw unchangeable('its body is binary');
  if (sent.text === undefined || sent.text === '')
    return { ...sent, url: changeAddress(sent.url, changes) };
  if (/^application\/x-www-form-urlencoded/i.test(readSentContentType(sent)))
    return { ...sent, text: changeParameters(new URLSearchParams(sent.text), changes).toString() };
  const json = parseJsonBody(sent.text, readSentContentType(sent))?.value;
  if (!isRecord(json)) throw unchangeable('its body is not a JSON object');
  return { ...sent, text: JSON.stringify(changeFields(json, changes)) };
};

/**
 * Changes the `variables` of a GraphQL operation, or the top-level fields of any other JSON body.
 */
const changeFields = (body: Record<string, unknown>, changes: Changes): Record<string, unknown> => {
  const isOperation =
    'operationName' in body || (typeof body['query'] === 'string' && body['query'].includes('{'));
  return isOperation
    ? { ...body, variables: { ...(body['variables'] as object | undefined), ...changes } }
    : { ...body, ...changes };
};

const changeAddress = (address: string, changes: Changes): string => {
  const url = new URL(address);
  const variables = url.searchParams.get('variables');
  const known =
    variables === null ? undefined : parseJsonBody(variables, 'application/json')?.value;
  if (isObject(known)) url.searchParams.set('variables', JSON.stringify({ ...known, ...changes }));
  else changeParameters(url.searchParams, changes);
  return url.href;
};

/** A null value deletes the parameter. */
const changeParameters = (parameters: URLSearchParams, changes: Changes): URLSearchParams => {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return parameters;
};

const unchangeable = (why: string): Error =>
  fail('invalid_argument', `"args" cannot be used with this request: ${why}.`, {
    argument: 'args',
    hint: 'Replay the request without args.',
  });

export interface ReplayOrder {
  readonly key: string;
  readonly args?: Changes | undefined;
  readonly confirm: boolean;
  readonly path?: string | undefined;
  readonly maxBytes: number;
  readonly raw: boolean;
  readonly ttlMs: number;
}

/**
 * Reserved at the end of the call, so that a timeout in the page is reported before the call times
 * out.
 */
const MARGIN_MS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

interface ReplayContext extends NetworkContext {
  /** Throws if the owner's policy or the user denies this effect on these URLs. */
  readonly requireConsent: (effect: 'act' | 'submit', urls: readonly string[]) => Promise<void>;
}

export const replayRequest = async (
  networkContext: ReplayContext,
  order: ReplayOrder,
  deadline: Deadline,
): Promise<Record<string, unknown>> => {
  const { seen } = await findRequest(networkContext, order.key, order.ttlMs);
  if (!seen)
    throw fail(
      'replay_failed',
      'Only the stored copy of the request is left, without its secrets, so it cannot be sent ' +
        'again.',
    );
  const sent = toBeSent(seen, order);
  const sender = findSender(networkContext.session, seen.record, seen.tabId);
  if (!sender)
    throw fail(
      'replay_failed',
      'No page of its origin is open; ' +
        `the request came from ${quoteText(seen.record.documentUrl)}.`,
    );
  return {
    replayed: seen.key,
    ...(await deliver(networkContext, { sent, sender }, order, deadline)),
  };
};

/** A request that the call describes itself. */
export interface GivenRequest {
  /** The tab that sends it; default: the current one. */
  readonly tabId?: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** Sends a given request from the page of the current tab, with its cookies and origin. */
export const sendGivenRequest = async (
  networkContext: ReplayContext,
  { tabId, method, url, headers = {}, body }: GivenRequest,
  order: Omit<ReplayOrder, 'key' | 'args' | 'ttlMs'>,
  deadline: Deadline,
): Promise<Record<string, unknown>> => {
  const { session } = networkContext;
  const tab = tabId === undefined ? session.current : session.findTab(tabId);
  if (!tab || !/^https?:/.test(tab.url))
    throw fail('replay_failed', 'The tab shows no page that can send a request.');
  if (!/^https?:/.test(url))
    throw fail('invalid_argument', 'Only requests over HTTP can be sent.', { argument: 'send' });
  const sent = defined({ method: method.toUpperCase(), url, headers: { ...headers }, text: body });
  requireConfirmation(sent, order, {});
  return deliver(
    networkContext,
    { sent, sender: { tab, frame: tab.frames.main } },
    order,
    deadline,
  );
};

/** Checks the request against the guard, the user's control and the policy, and sends it. */
const deliver = async (
  networkContext: ReplayContext,
  { sent, sender }: { readonly sent: Sent; readonly sender: Sender },
  order: Pick<ReplayOrder, 'path' | 'maxBytes' | 'raw'>,
  deadline: Deadline,
): Promise<Record<string, unknown>> => {
  const refusal = sender.tab.guard.judgeForCall(sent.url);
  if (refusal) throw domainNotAllowedFailure(refusal, sent.url);
  sender.tab.control.requireFree(sender.tab.id);
  const effect = ['GET', 'HEAD'].includes(sent.method) ? 'act' : 'submit';
  await networkContext.requireConsent(effect, [...new Set([sent.url, sender.frame.url])]);
  // an open dialog blocks scripts in the page
  if (sender.tab.dialog) throw dialogOpenFailure(sender.tab.dialog);
  const { cursor } = networkContext.session.traffic;
  const timeoutMs = Math.max(
    1,
    Math.round(deadline.remainingMs - Math.min(MARGIN_MS, deadline.remainingMs / 2)),
  );
  const answer = await sender.tab.queue.run(
    'network',
    () =>
      sendFrom(sender.frame, sent, {
        timeoutMs,
        maxBytes: MAX_BYTES,
        signal: networkContext.signal,
      }),
    networkContext.signal,
  );
  const made = newest(networkContext, sent, cursor);
  if ('error' in answer)
    throw fail(
      'replay_failed',
      `The request got no response: ${quoteText(made?.record.failure?.error ?? answer.error)}.`,
      { url: sent.url },
    );
  return defined({
    key: made?.key,
    method: sent.method,
    url: answer.url,
    ...(await showAnswer(networkContext, answer, order)),
  });
};

const requireConfirmation = (
  { method, url }: Pick<Sent, 'method' | 'url'>,
  { confirm }: Pick<ReplayOrder, 'confirm'>,
  facts: FailureFacts,
): void => {
  if (method === 'GET' || confirm) return;
  const message = `${method} ${quoteText(url)} may change data on the server.`;
  throw fail('confirmation_required', message, facts);
};

const toBeSent = (seen: WorkspaceRequest, order: ReplayOrder): Sent => {
  const { record } = seen;
  const { args } = order;
  requireConfirmation(record, order, { key: seen.key });
  if (!/^https?:/.test(record.url))
    throw fail('replay_failed', 'Only requests over HTTP can be sent again.');
  const sent = toSent(record);
  if (!sent)
    throw fail(
      'replay_failed',
      'The body of the request was not stored completely, so it cannot be sent again.',
    );
  return args ? changeRequest(sent, args) : sent;
};

/** The recorded request that this replay caused. */
const newest = (
  { session }: NetworkContext,
  { url, method }: Sent,
  cursor: number,
): WorkspaceRequest | undefined =>
  session.traffic
    .requests()
    .findLast(
      ({ sequence, record }) => sequence > cursor && record.method === method && record.url === url,
    );

type ReplayedAnswer = Exclude<ReplayAnswer, { readonly error: string }>;

const showAnswer = async (
  networkContext: NetworkContext,
  { status, contentType, size, text, base64, truncated }: ReplayedAnswer,
  order: Pick<ReplayOrder, 'path' | 'maxBytes' | 'raw'>,
): Promise<Record<string, unknown>> => {
  const ct = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const clean = async (body: string): Promise<string> =>
    networkContext.reveal
      ? body
      : redactText(body, ct, createPayloadWriter(networkContext.redactor), networkContext.signal);
  const content = defined({
    text: text ? await clean(text) : undefined,
    base64,
    cut: valueIf(truncated, 'larger than the limit of a replay'),
    size,
  });
  const facts = { status, ct, size, shape: describeContentShape(content, ct, size) };
  if (order.path === undefined)
    return {
      ...facts,
      ...showContent(content, { contentType: ct, maxBytes: order.maxBytes, binary: order.raw }),
    };
  return {
    ...facts,
    path: order.path,
    ...showValue(getAtPath(parseContentJson(content, ct)?.value, order.path), order.maxBytes),
  };
};
