// network: lists the requests of the session, with the shapes of bodies and stable keys.
import { z } from 'zod';
import { ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { renderLines, type Listing } from '../../render/network-list.ts';
import { NETWORK_CACHE_TTL_MS, NetworkCache } from '../../store/network/network-cache.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs, markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';
import type { NetworkContext } from '../../features/network/network-context.ts';
import { parseMoment } from '../../features/network/moment.ts';
import type { Selection, StatusRange } from '../../features/network/select.ts';

/** The documents that `describe` can return. */
const API_FORMATS = ['openapi', 'typescript'] as const;

const text = z.string().min(1).max(4000).optional();
const yes = z.boolean().optional();

const input = () => ({
  detail: markUndescribed(text.describe('Key')),
  path: text.describe('In the body: $.items[0].id'),
  url: text.describe('Substring or regex'),
  filter: markUnlisted(text.describe('Fields of the body: a,b')),
  method: markUnlisted(text),
  type: text.describe('xhr,image'),
  status: markListedAs(z.union([z.number().int().min(100).max(599), z.string().max(20)]), {
    type: 'string',
    description: '404 or 4xx',
  }).optional(),
  failed: yes,
  since: markUnlisted(text.describe('30s, 5m or ISO')),
  until: markUnlisted(text),
  cursor: markUnlisted(z.number().int().min(0).optional()),
  wait_ms: markUnlisted(
    z.number().int().min(0).max(60_000).optional().describe('For something new'),
  ),
  limit: z.number().int().min(1).max(1000).default(50),
  format: z.enum(['json', 'lines']).default('json'),
  all: yes,
  raw: yes.describe('Whole bodies, all headers'),
  max_body: markUnlisted(z.number().int().min(0).optional()),
  replay: markUndescribed(text.describe('Key')),
  args: z.record(z.string(), z.unknown()).optional().describe('Changed variables'),
  confirm: yes.describe('Replay non-GET'),
  send: markUnlisted(
    z
      .strictObject({
        method: z.string().min(1).max(20).default('GET'),
        url: z.string().min(1).max(10_000),
        headers: z.record(z.string().max(200), z.string().max(10_000)).optional(),
        body: z.string().max(1_000_000).optional(),
      })
      .optional()
      .describe('A request to send from the current page'),
  ),
  describe: markListedAs(
    z
      .union([z.boolean(), z.enum(API_FORMATS)])
      .optional()
      .describe('The API, as OpenAPI (default) or TypeScript'),
    { type: 'boolean' },
  ),
  har: markUnlisted(text.describe('File')),
  ttl: markUnlisted(z.number().int().min(0).optional()),
  reveal: markUnlisted(yes),
  tabId: markUnlisted(text),
});

type NetworkInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

const isSending = ({ replay, send }: NetworkInput): boolean =>
  replay !== undefined || send !== undefined;

/** Maximum size of a body in the reply, unless the whole body is requested. */
const MAX_BODY_BYTES = 65_536;

export const network = defineTool({
  name: 'network',
  description:
    'Requests of the session, with the shape of each body; static files and telemetry only with ' +
    'all. Cheapest: format "lines", then detail (a key) for one body. replay (a key) sends it ' +
    'again from the page. describe: the API as OpenAPI.',
  returns:
    '{entries: [{key, method, url, status?, shape?, …}], cursor, …}; detail: one request with body',
  keywords: 'requests responses traffic api har xhr fetch graphql websocket headers body openapi',
  tier: 1,
  traits: {
    effect: (given) => (isSending(given) ? 'act' : 'read'),
    consent: (given) => ({ pages: isSending(given) ? 'later' : 'session' }),
    scope: 'browser',
    recipe: 'call',
    observation: (given) => !isSending(given),
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    waitsMs: ({ wait_ms = 0 }) => wait_ms,
    large: true,
    items: 'entries',
    files: ['har'],
    listsRequests: true,
    stored: ['detail'],
    reveals: ({ reveal }) => reveal === true,
  },
  input,
  prepare: (given) => {
    requireOneOf(given, ['detail', 'replay', 'send', 'describe', 'har']);
    requireWith(given, 'path', ['detail', 'replay', 'send']);
    requireWith(given, 'args', ['replay']);
    return given;
  },
  examples: [
    { format: 'lines' },
    { detail: 'GET example.com/api/items', path: '$.items[0]' },
    { replay: 'GetUser', args: { id: 7 }, confirm: true },
  ],
  run: async (given, context) => {
    const networkContext = openDesk(given, context);
    const {
      ttl: ttlMs = NETWORK_CACHE_TTL_MS,
      raw = false,
      path,
      replay,
      args,
      detail,
      har,
    } = given;
    const maxBytes = bodyLimit(given);
    if (replay !== undefined || given.send) {
      const { replayRequest, sendGivenRequest } = await import('../../features/network/replay.ts');
      const sender = { ...networkContext, requireConsent: context.requireConsent };
      const order = { confirm: given.confirm ?? false, path, maxBytes, raw };
      return given.send
        ? sendGivenRequest(sender, { ...given.send, tabId: given.tabId }, order, context.deadline)
        : replayRequest(sender, { ...order, key: replay ?? '', args, ttlMs }, context.deadline);
    }
    if (detail !== undefined) {
      const { loadDetail: detailOf } = await import('../../features/network/find-request.ts');
      return detailOf(networkContext, { key: detail, path, raw, maxBytes, ttlMs });
    }
    const selection = selectionOf(given, networkContext.now);
    if (har !== undefined || given.describe) {
      const { collectCapturedRequests: capturedRequests, exportHar } =
        await import('../../features/network/export-har.ts');
      if (har !== undefined) return exportHar(networkContext, har, selection, ttlMs);
      const { describeApi } = await import('../../features/network/describe-api.ts');
      const format = given.describe === 'typescript' ? 'typescript' : 'openapi';
      return describeApi(await capturedRequests(networkContext, selection, ttlMs), format);
    }
    const fields = given.filter
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    const { listRequests } = await import('../../features/network/request-listing.ts');
    if (given.wait_ms !== undefined) {
      const { waitForNews } = await import('../../features/network/select.ts');
      await waitForNews(networkContext, selection, given.wait_ms);
    }
    const now = Date.now();
    const short = given.format === 'lines' ? 'none' : 'shape';
    const body = raw ? 'whole' : short;
    return listRequests(
      { ...networkContext, now },
      { ...selection, fields, limit: given.limit, body, maxBytes },
    );
  },
  render: (data, { format, raw }) =>
    format === 'lines' && !raw && 'entries' in data ? renderLines(data as Listing) : undefined,
});

const openDesk = (
  { reveal = false }: NetworkInput,
  { services, session, signal }: Context,
): NetworkContext => ({
  browser: services.browser,
  session,
  cache: new NetworkCache(services.home.networkCache),
  redactor: services.redactor,
  workers: services.workers,
  reveal,
  signal,
  now: Date.now(),
});

const selectionOf = (
  { all, failed, method, type, status, url, since, until, cursor, tabId }: NetworkInput,
  now: number,
): Selection => ({
  types: ifDefined(type, (types) => types.split(',').map((one) => one.trim().toLowerCase())),
  status: ifDefined(status, parseStatus),
  all,
  failed,
  method,
  url,
  cursor,
  tabId,
  since: ifDefined(since, (since) => parseMoment(since, 'since', now)),
  until: ifDefined(until, (until) => parseMoment(until, 'until', now)),
});

/** 404, "4xx", "400-499". */
const STATUS = /^(?:([1-5])xx|([1-5]\d\d)(?:-([1-5]\d\d))?)$/i;

const parseStatus = (given: number | string): StatusRange => {
  const [match, hundreds, from, to = from] = STATUS.exec(String(given).trim()) ?? [];
  if (match === undefined)
    throw fail('invalid_argument', '"status" must be like 404, "4xx" or "400-499".', {
      argument: 'status',
    });
  if (hundreds !== undefined) return [Number(hundreds) * 100, Number(hundreds) * 100 + 99];
  return [Number(from), Number(to)];
};

const bodyLimit = ({ max_body, raw }: NetworkInput): number =>
  max_body === 0 ? Infinity : (max_body ?? (raw ? Infinity : MAX_BODY_BYTES));

const requireOneOf = (given: NetworkInput, names: readonly (keyof NetworkInput)[]): void => {
  const [, second] = names.filter((name) => given[name] !== undefined && given[name] !== false);
  if (second !== undefined)
    throw fail(
      'invalid_argument',
      `network accepts only one of ${names.map((name) => `"${name}"`).join(', ')}.`,
      { argument: second },
    );
};

const requireWith = (
  given: NetworkInput,
  name: keyof NetworkInput,
  others: readonly (keyof NetworkInput)[],
): void => {
  if (given[name] === undefined || others.some((other) => given[other] !== undefined)) return;
  throw fail(
    'invalid_argument',
    `"${name}" needs ${others.map((other) => `"${other}"`).join(' or ')} too.`,
    { argument: name },
  );
};
