// The dashboard's server: checks the viewer, answers its requests and runs its feeds.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { getOwn, isRecord } from '../../core/json.ts';
import { VERSION } from '../../core/version.ts';
import type { Observer } from '../../features/observe/observer.ts';
import { sendEmpty, sendJson } from '../mcp/http/http-messages.ts';
import { runAction } from './actions.ts';
import { Access } from './access.ts';
import { protectResponse, sendAsset } from './assets.ts';
import { countUsage, isCallEntry, toCallRow, USAGE_MS } from './call-rows.ts';
import { EventFeed } from './event-feed.ts';
import { LiveFeed } from './live-feed.ts';
import type {
  CallDetail,
  CallPage,
  HealthRow,
  RequestPage,
  StateMessage,
  WorkerRow,
} from './messages.ts';
import { KEY_HEADER, TICKET_PATH } from './paths.ts';
import type { RecentCalls } from './recent-calls.ts';
import { readJsonBody } from './request-body.ts';
import type { ObservedEngine } from './routes.ts';
import type { Samples } from './samples.ts';
import { listDecisions, listWaiting, watchWaiting } from './waiting-rows.ts';
import { loadTaskDetail, sendBundle, sendReplay, sendTaskResult } from './task-pages.ts';
import { KnownTasks } from './task-rows.ts';
import { Thumbnails } from './thumbnails.ts';
import { createViewerControl } from './viewer-control.ts';
import { toRequestDetail, toRequestRow } from './request-rows.ts';

interface DashboardOptions {
  readonly engine: ObservedEngine;
  readonly recent: RecentCalls;
  readonly samples: Samples;
  readonly visit: () => () => void;
  readonly firstTicket: string;
}

export interface Dashboard {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** The parts that the handlers of the paths need. */
export interface DashboardContext extends DashboardOptions {
  readonly observer: Observer;
  readonly access: Access;
  readonly feed: EventFeed;
  readonly thumbnails: Thumbnails;
  readonly knownTasks: KnownTasks;
}

type Handler = (
  context: DashboardContext,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
) => Promise<void> | void;

/** The first page of the timeline and of the tasks; older ones follow after the first view. */
const FIRST_CALLS = 100;
const FIRST_TASKS = 100;
const MAX_CALLS = 2_000;
const FIRST_TICKET_MS = 24 * 60 * 60_000;

export const createDashboard = async (options: DashboardOptions): Promise<Dashboard> => {
  const { engine, samples } = options;
  const observer = await engine.observe();
  const access = new Access(await observer.loadKey());
  access.addTicket(options.firstTicket, FIRST_TICKET_MS);
  const knownTasks = new KnownTasks(engine);
  const feed = new EventFeed({
    journal: observer.journal,
    log: engine.log,
    listTabs: () => observer.listTabs(),
    checkPages: () => observer.checkPages(),
    listTasks: () => knownTasks.load(),
    listWaiting: () => listWaiting(engine, observer),
    listDecisions: () => listDecisions(engine),
    watchWaiting: (onChange) => watchWaiting(engine, onChange),
    readHealth: () => readHealth(engine),
  });
  const stopSamples = samples.events.on('added', (sample) => feed.sendSample(sample));
  const control = engine.config.dashboardReadonly
    ? undefined
    : createViewerControl(await engine.takeOver(), (message) => live.tell(message));
  const live: LiveFeed = new LiveFeed({ observer, control });
  const thumbnails = new Thumbnails(observer, (key) => feed.sendThumbnail(key));
  const stopThumbnails = engine.calls.on('ended', (call) => {
    if (feed.viewers + live.viewers > 0) thumbnails.add(call);
  });
  const context: DashboardContext = { ...options, observer, access, feed, thumbnails, knownTasks };
  return {
    handle: (request, response) => answer(context, request, response),
    upgrade: async (request, socket, head) => {
      requireAccess(access, request, parseTarget(request));
      live.open(request, socket, head, options.visit);
    },
    close: async () => {
      stopSamples();
      stopThumbnails();
      feed[Symbol.dispose]();
      live[Symbol.dispose]();
      control?.[Symbol.dispose]();
    },
  };
};

const STATIC_PATHS = ['/', '/dashboard/app.js', '/dashboard/app.css', '/dashboard/icon.svg'];

const answer = async (
  context: DashboardContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const target = parseTarget(request);
  const { pathname: path, searchParams: query } = target;
  protectResponse(response);
  if (path === TICKET_PATH) return sendTicket(context, request, response);
  const ticket = path === '/' ? query.get('ticket') : null;
  if (ticket !== null) return exchangeTicket(context, ticket, request, response);
  if (STATIC_PATHS.includes(path)) return sendAsset(path, request, response);
  requireAccess(context.access, request, target);
  const handler = getOwn(HANDLERS, path);
  if (!handler) throw fail('not_found', 'This path does not exist.');
  if (path !== '/dashboard/action' && request.method !== 'GET')
    throw fail('method_not_allowed', `${request.method} is not supported here.`);
  await handler(context, request, response, query);
};

const parseTarget = ({ url = '/' }: IncomingMessage): URL => new URL(url, 'http://localhost');

/** The key is a header, or a parameter where a page cannot set headers: pictures and feeds. */
const requireAccess = (access: Access, request: IncomingMessage, target: URL): void => {
  const { headers } = request;
  const { pathname: path, searchParams: query } = target;
  const header = headers[KEY_HEADER];
  const key = typeof header === 'string' ? header : (query.get('access') ?? undefined);
  const [link = '', signature] = `${path}${target.search}`.split('&signature=');
  const linkPath = LINK_PATHS.has(path) ? link : undefined;
  const proof = { key, signature, link: linkPath, port: findPort(request) };
  if (access.admits(headers, proof)) return;
  throw fail('unauthorized', 'This browser has no access to the dashboard.', {
    hint: 'Run "openchrome dashboard", or open the URL that the server logged at its start.',
  });
};

const findPort = ({ socket }: IncomingMessage): number => socket.localPort ?? 0;

/** Paths that the user opens or saves as a page of its own. */
const LINK_PATHS = new Set([
  '/dashboard/har',
  '/dashboard/task-result',
  '/dashboard/replay',
  '/dashboard/bundle',
]);

/** A used or wrong ticket also leads to the page, which then explains how to get access. */
const exchangeTicket = (
  { access }: DashboardContext,
  ticket: string,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const redeemed = access.redeem(ticket, findPort(request));
  if (redeemed) response.setHeader('set-cookie', redeemed.cookie);
  // A fragment is not sent to servers; the page removes it from its address.
  response.setHeader('location', redeemed ? `/#access=${redeemed.key}` : '/');
  response.setHeader('cache-control', 'no-store');
  sendEmpty(response, 303);
};

/** Creates a ticket for a client that has sent the token of the server. */
const sendTicket = (
  { engine, access }: DashboardContext,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  if (request.method !== 'POST')
    throw fail('method_not_allowed', 'A ticket is created with a POST.');
  if (engine.config.token === undefined)
    throw fail('unauthorized', 'This server has no token.', {
      hint: 'Open the URL that the server logged at its start, or start it with --token.',
    });
  sendJson(response, 200, { ticket: access.createTicket() });
};

const STARTED_AT = Math.round(Date.now() - process.uptime() * 1000);

/** The processes of the cluster; none on one machine, or if the database cannot be reached. */
const listWorkers = async ({ cluster }: ObservedEngine): Promise<readonly WorkerRow[]> => {
  const members = (await cluster?.workers().catch(() => [])) ?? [];
  return members.map(({ id, role, host, pid, slots, visits, pages, errors, tasks }) => ({
    ...{ id, role, host, pid, slots, visits, pages, errors, tasks },
  }));
};

const readHealth = (engine: ObservedEngine): HealthRow => {
  const { state, chrome, starts, lastExit } = engine.health();
  return defined({
    chrome: state,
    product: chrome?.product,
    guard: chrome?.guard,
    starts,
    lastExit,
    startedAt: STARTED_AT,
    pid: process.pid,
  });
};

const loadCalls = async (
  { observer }: DashboardContext,
  before: string | undefined,
  count: number,
): Promise<CallPage> => {
  const { lines, position, more } = await observer.journal.readBefore(before, count);
  return defined({ rows: lines.map(toCallRow), older: more ? position : undefined });
};

const sendState: Handler = async (context, _request, response) => {
  const { engine, observer } = context;
  // The position is read first: a call between the two reads is sent twice, never lost.
  const position = await observer.journal.end();
  const [calls, tasks, waiting, decisions] = await Promise.all([
    loadCalls(context, undefined, FIRST_CALLS),
    context.knownTasks.load(),
    listWaiting(engine, observer),
    listDecisions(engine),
  ]);
  const state: StateMessage = {
    version: VERSION,
    readonly: engine.config.dashboardReadonly,
    now: Date.now(),
    calls,
    position,
    tabs: observer.listTabs(),
    // The feed of events sends all of them.
    tasks: tasks.slice(0, FIRST_TASKS),
    waiting,
    decisions,
    health: readHealth(engine),
    thumbnails: context.thumbnails.keys,
  };
  sendJson(response, 200, state);
};

const sendEvents: Handler = async ({ feed, visit }, request, response, query) => {
  const { 'last-event-id': last } = request.headers;
  const position = typeof last === 'string' ? last : (query.get('after') ?? undefined);
  const leave = visit();
  response.once('close', leave);
  await feed.add(response, position);
};

const sendCalls: Handler = async (context, _request, response, query) => {
  const count = Math.min(Number(query.get('count') ?? FIRST_CALLS) || FIRST_CALLS, MAX_CALLS);
  sendJson(response, 200, await loadCalls(context, query.get('before') ?? undefined, count));
};

const sendCall: Handler = async ({ observer, recent }, _request, response, query) => {
  const line = await observer.journal.readLine(query.get('id') ?? '');
  if (!line) throw fail('not_found', 'The journal no longer contains this call.');
  const { ts, tool, session, durationMs, args } = line.entry;
  const isCall = isCallEntry(line.entry);
  const identity = { ts, tool: String(tool), session: String(session) };
  const reply = isCall ? recent.find({ ...identity, durationMs: Number(durationMs) }) : undefined;
  const detail: CallDetail = defined({
    ...toCallRow(line),
    args: isCall ? (args ?? {}) : line.entry,
    reply: reply?.text,
    ...compact({ notes: reply?.notes ?? [], images: reply?.images ?? 0 }),
  });
  sendJson(response, 200, detail);
};

/** The samples and the counted calls of the last hour. */
const sendUsage: Handler = async ({ engine, observer, samples }, _request, response) => {
  const now = Date.now();
  const lines = [];
  let before: string | undefined;
  for (;;) {
    const page = await observer.journal.readBefore(before, MAX_CALLS);
    lines.push(...page.lines);
    const [oldest] = page.lines;
    if (!page.more || !oldest || oldest.entry.ts < now - USAGE_MS) break;
    before = page.position;
  }
  const workers = await listWorkers(engine);
  sendJson(response, 200, { samples: samples.all, usage: countUsage(lines, now), workers });
};

const sendThumbnail: Handler = ({ thumbnails }, _request, response, query) => {
  const picture = thumbnails.find(query.get('key') ?? '');
  if (!picture) throw fail('not_found', 'No picture of this call exists.');
  response.writeHead(200, {
    'content-type': 'image/jpeg',
    'content-length': picture.length,
    'cache-control': 'private, max-age=3600',
  });
  response.end(picture);
};

const REQUEST_MS = 15_000;

const requireTabId = (query: URLSearchParams): string => query.get('tab') ?? '';

const sendRequests: Handler = async ({ observer, access }, _request, response, query) => {
  const signal = AbortSignal.timeout(REQUEST_MS);
  const tabId = requireTabId(query);
  const found = await observer.listRequests(tabId, signal);
  const har = access.signLink(`/dashboard/har?tab=${encodeURIComponent(tabId)}`);
  sendJson(response, 200, { requests: found.map(toRequestRow), har } satisfies RequestPage);
};

const sendRequestDetail: Handler = async ({ observer }, _request, response, query) => {
  const signal = AbortSignal.timeout(REQUEST_MS);
  const key = query.get('key') ?? '';
  const found = await observer.loadRequest(requireTabId(query), key, signal);
  sendJson(response, 200, toRequestDetail(found));
};

const sendHar: Handler = async ({ observer }, _request, response, query) => {
  const signal = AbortSignal.timeout(REQUEST_MS);
  const har = await observer.buildHar(requireTabId(query), signal);
  response.setHeader('content-disposition', 'attachment; filename="openchrome.har"');
  sendJson(response, 200, har);
};

const requireId = (query: URLSearchParams): string => query.get('id') ?? '';

const sendTask: Handler = async ({ engine, access }, _request, response, query) => {
  const signLink = (path: string): string => access.signLink(path);
  sendJson(response, 200, await loadTaskDetail(engine, requireId(query), signLink));
};

const act: Handler = async (context, request, response) => {
  if (request.method !== 'POST') throw fail('method_not_allowed', 'An action is a POST.');
  if (context.engine.config.dashboardReadonly)
    throw fail('tool_not_allowed', 'This dashboard is read-only.', {
      hint: 'Start the server without --dashboard-readonly.',
    });
  const body = await readJsonBody(request);
  if (!isRecord(body)) throw fail('bad_request', 'The body is not an action.');
  sendJson(response, 200, (await runAction(context, body)) ?? { done: true });
};

const HANDLERS: Readonly<Record<string, Handler>> = {
  '/dashboard/state': sendState,
  '/dashboard/events': sendEvents,
  '/dashboard/calls': sendCalls,
  '/dashboard/call': sendCall,
  '/dashboard/usage': sendUsage,
  '/dashboard/thumbnail': sendThumbnail,
  '/dashboard/requests': sendRequests,
  '/dashboard/request': sendRequestDetail,
  '/dashboard/har': sendHar,
  '/dashboard/task': sendTask,
  '/dashboard/task-result': ({ engine }, _request, response, query) =>
    sendTaskResult(engine, requireId(query), response),
  '/dashboard/replay': ({ engine, observer }, _request, response, query) =>
    sendReplay(engine, observer, requireId(query), response),
  '/dashboard/bundle': ({ engine, observer }, _request, response, query) =>
    sendBundle(engine, observer, requireId(query), response),
  '/dashboard/action': act,
};
