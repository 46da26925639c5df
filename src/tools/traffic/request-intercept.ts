// request_intercept: blocks requests of a tab, mocks responses, or changes headers.
import { listIf } from '../../core/collections.ts';
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import {
  getInterceptRules,
  type InterceptRule,
  type RuleAction,
} from '../../browser/traffic/intercept-rules.ts';
import { markListedAs } from '../../toolkit/tool-description.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const RESOURCE_TYPES = {
  document: 'Document',
  stylesheet: 'Stylesheet',
  image: 'Image',
  media: 'Media',
  font: 'Font',
  script: 'Script',
  xhr: 'XHR',
  fetch: 'Fetch',
  websocket: 'WebSocket',
  ping: 'Ping',
  other: 'Other',
} as const;

const MAX_RULES = 200;

const headerName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~\w]+$/, 'a header name has no spaces or separators');
// oxlint-disable-next-line no-control-regex -- they would end the header
const headerValue = z
  .string()
  .max(10_000)
  .regex(/^[^\0\r\n]*$/, 'a header value is one line');

const input = () => ({
  action: z
    .enum(['block', 'mock', 'headers', 'list', 'remove', 'clear'])
    .describe('headers: change them. remove: one rule by id'),
  url: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Part of the URL, all of it, or a pattern with * ("*/api/*")'),
  method: z.string().min(1).max(20).optional(),
  resourceTypes: z
    .array(z.enum(Object.keys(RESOURCE_TYPES) as (keyof typeof RESOURCE_TYPES)[]))
    .min(1)
    .optional(),
  times: z.number().int().min(1).optional().describe('Only for this many requests'),
  status: z.number().int().min(200).max(599).default(200).describe('Of a mock'),
  body: markListedAs(z.unknown().optional().describe('Of a mock: text, or JSON'), {
    description: 'Of a mock: text, or JSON',
    anyOf: ['string', 'object', 'array'].map((type) => ({ type })),
  }),
  contentType: headerValue.min(1).max(200).optional(),
  headers: z
    .record(headerName, headerValue.nullable())
    .optional()
    .describe('Request headers to set; null removes one'),
  responseHeaders: z.record(headerName, headerValue.nullable()).optional(),
  id: z.string().min(1).max(20).optional(),
});

type InterceptInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

const needs = (argument: string, action: string): never => {
  throw fail('invalid_argument', `request_intercept: ${action} needs "${argument}".`, { argument });
};

const toAction = ({
  action,
  status,
  body,
  contentType,
  headers = {},
  responseHeaders = {},
}: InterceptInput): RuleAction => {
  if (action === 'block') return { kind: 'block' };
  if (action === 'headers') return { kind: 'headers', request: headers, response: responseHeaders };
  const isText = typeof body === 'string' || body === undefined;
  const type = contentType ?? (isText ? guessType(body) : 'application/json');
  const set = Object.entries(responseHeaders).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return {
    kind: 'mock',
    answer: {
      status,
      headers: { 'content-type': type, ...Object.fromEntries(set) },
      body: isText ? (body ?? '') : JSON.stringify(body),
    },
  };
};

const guessType = (body = ''): string => {
  if (/^\s*[[{]/.test(body)) return 'application/json';
  return /^\s*</.test(body) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8';
};

/** The reply's form of a rule. */
const toEntry = ({ id, action, url, method, resourceTypes, times, hits }: InterceptRule): object =>
  defined({
    id,
    action: action.kind,
    url,
    method,
    resourceTypes: resourceTypes?.map((type) => type.toLowerCase()),
    status: action.kind === 'mock' ? action.answer.status : undefined,
    headers: action.kind === 'headers' ? { ...action.request } : undefined,
    responseHeaders: action.kind === 'headers' ? { ...action.response } : undefined,
    times,
    hits,
  });

export const requestIntercept = defineTool({
  name: 'request_intercept',
  description:
    'Change the network traffic of this tab: block requests, mock responses, or set headers. ' +
    'Rules apply until removed, across navigations; the newest wins. To look at ' +
    'requests use network.',
  returns:
    '{added: {id, action, url, hits, …}, rules: number}; list: {rules: [{id, action, url, hits, ' +
    '…}]}; remove and clear: {removed, …}',
  keywords: 'block mock stub fake ads headers response',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    // A mocked page or script runs in the page.
    consent: ({ action }) => ({ special: listIf(action === 'mock', 'script') }),
    scope: 'tab',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    loadsPages: true,
    timeoutMs: 5_000,
  },
  input,
  prepare: (given) => {
    const { action, url, id, headers, responseHeaders } = given;
    if (['block', 'mock', 'headers'].includes(action) && url === undefined) needs('url', action);
    if (action === 'remove' && id === undefined) needs('id', action);
    if (action === 'headers' && !Object.keys({ ...headers, ...responseHeaders }).length)
      needs('headers', action);
    if (action === 'mock' && headers)
      throw fail('invalid_argument', 'A mock has no request: use "responseHeaders".', {
        argument: 'headers',
      });
    return given;
  },
  examples: [
    { action: 'block', url: '*', resourceTypes: ['image', 'font'] },
    { action: 'mock', url: '/api/user', body: { name: 'Ada' } },
    { action: 'headers', url: '*', headers: { 'x-test': '1' } },
  ],
  run: async (given, { tab }) => {
    const rules = getInterceptRules(tab);
    const { action, url = '*', method, resourceTypes, times, id } = given;
    if (action === 'list') return { rules: rules.all.map(toEntry) };
    if (action === 'clear') return { removed: await rules.remove() };
    if (action === 'remove') {
      if (!rules.all.some((rule) => rule.id === id))
        throw fail('invalid_argument', `Rule ${id} does not exist.`, {
          argument: 'id',
          rules: rules.all.map(toEntry),
        });
      return { removed: await rules.remove(id), rules: rules.all.map(toEntry) };
    }
    if (rules.all.length >= MAX_RULES)
      throw fail('invalid_argument', `This tab has ${MAX_RULES} rules: remove some first.`, {
        argument: 'action',
      });
    const options = defined({
      url,
      method: method?.toUpperCase(),
      resourceTypes: resourceTypes?.map((type) => RESOURCE_TYPES[type]),
      times,
    });
    return { added: toEntry(await rules.add(options, toAction(given))), rules: rules.all.length };
  },
});
