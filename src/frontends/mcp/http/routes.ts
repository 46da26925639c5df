// The routes of the HTTP server: the MCP endpoint, the dashboard, health and metrics.
import { defined } from '../../../core/defined.ts';
import type { Failure } from '../../../core/failure.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { createDashboardRoutes, type DashboardRoutes, isObserved } from '../../dashboard/routes.ts';
import { createMethods } from '../methods.ts';
import { SERVER_INFO } from '../instructions.ts';
import { combineSignals } from '../signals.ts';
import { createEndpoint, type McpEndpoint } from './endpoint.ts';
import { createMetrics } from './metrics.ts';
import { sendJson, sendText } from './http-messages.ts';
import { readOnly, type Routes } from './router.ts';

interface RouteContext {
  /** Aborts when the server ends; its reason is a failure. */
  readonly stopping: AbortSignal;
  /** The number of open connections. */
  readonly connections: () => number;
}

/** Options of a particular server, such as the daemon. */
export interface Additions {
  readonly routes?: Routes;
  /** Clients may set their folder: true only if all of them belong to the user. */
  readonly trustsClients?: boolean;
  /** Throws if the server accepts no more calls. */
  readonly admit?: () => void;
  /** A viewer of the dashboard connects; the returned function is called when it leaves. */
  readonly visit?: () => () => void;
  /** Called when the server listens, to log the URL of the dashboard. */
  readonly onDashboard?: (dashboard: DashboardRoutes, origin: string) => void;
}

export const createRoutes = (
  engine: Engine,
  { stopping, connections }: RouteContext,
  { routes: further = {}, visit, trustsClients = false, admit }: Additions = {},
): { routes: Routes; endpoint: McpEndpoint; dashboard: DashboardRoutes | undefined } => {
  const { config, log, tools, resources, prompts, tasks } = engine;
  const metrics = createMetrics(tools);
  const call = metrics.counted(untilStopped((request) => engine.call(request), stopping));
  const methods = createMethods({
    ...{ config, log, tools, resources, prompts, tasks, call },
    replyWithResult: (...given) => engine.replyWithResult(...given),
  });
  const endpoint = createEndpoint({
    methods,
    log,
    maxRequestBytes: config.maxRequestBytes,
    trustsClients,
    ...defined({ admit }),
  });
  const gauges = (): Record<string, number> => ({
    openchrome_http_connections: connections(),
    openchrome_http_sessions: endpoint.sessions(),
  });
  const dashboard = isObserved(engine) ? createDashboardRoutes(engine, visit) : undefined;
  const routes: Routes = {
    ...further,
    ...dashboard?.routes,
    '/mcp': { handle: (request, response) => endpoint.handle(request, response) },
    '/health': {
      open: true,
      handle: readOnly((response) => sendJson(response, 200, health(engine))),
    },
    '/metrics': {
      handle: readOnly(async (response) => {
        // If the database cannot be reached, the metrics of this server are still useful.
        const members = await engine.cluster?.workers().catch(() => []);
        const text = metrics.render(gauges(), members);
        sendText(response, 'text/plain; version=0.0.4; charset=utf-8', text);
      }),
    },
  };
  return { routes, endpoint, dashboard };
};

/**
 * `degraded` if a control of the running Chrome is not active; only clients with the token can see
 * which one.
 */
const health = (engine: Pick<Engine, 'health'>): object => ({
  status: isDegraded(engine.health().controls) ? 'degraded' : 'ok',
  ...SERVER_INFO,
  uptime_seconds: Math.round(process.uptime()),
});

const isDegraded = (controls: ReturnType<Engine['health']>['controls']): boolean =>
  controls !== undefined && (controls.proxy === 'failed' || controls.tabs.failures.length > 0);

/** Aborts calls when the server stops. */
export const untilStopped =
  (call: Engine['call'], stopping: AbortSignal): Engine['call'] =>
  async (request) => {
    const either = combineSignals([request.signal, stopping], (source) => source.reason as Failure);
    try {
      return await call({ ...request, signal: either.signal });
    } finally {
      either[Symbol.dispose]();
    }
  };
