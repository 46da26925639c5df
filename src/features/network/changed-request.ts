// Changes GraphQL variables, JSON or form fields, or URL parameters of a request. Pure.
import { readSentContentType, type Sent } from '../../browser/traffic/replay-request.ts';
import { fail } from '../../core/failure.ts';
import { isObject, isRecord } from '../../core/json.ts';
import { parseJsonBody } from '../../render/json-body.ts';

export type Changes = Readonly<Record<string, unknown>>;

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
