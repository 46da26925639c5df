// The routes of the dashboard. Its code is loaded by the first request; until then only cheap
// counters run.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createSecretToken } from '../../core/ids.ts';
import type { Engine } from '../../pipeline/engine.ts';
import type { Routes } from '../mcp/http/router.ts';
import type { Dashboard } from './dashboard.ts';
import { TICKET_PATH } from './paths.ts';
import { RecentCalls } from './recent-calls.ts';
import { Samples } from './samples.ts';

/** Paths that check the cookie themselves, or that need none. */
const VIEWER_PATHS = [
  '/',
  '/dashboard/app.js',
  '/dashboard/app.css',
  '/dashboard/icon.svg',
  '/dashboard/state',
  '/dashboard/events',
  '/dashboard/calls',
  '/dashboard/call',
  '/dashboard/thumbnail',
  '/dashboard/usage',
  '/dashboard/task',
  '/dashboard/task-result',
  '/dashboard/replay',
  '/dashboard/bundle',
  '/dashboard/requests',
  '/dashboard/request',
  '/dashboard/har',
  '/dashboard/action',
] as const;

/** An engine that can be watched. */
export type ObservedEngine = Engine & Required<Pick<Engine, 'observe' | 'calls'>>;

export interface DashboardRoutes {
  readonly routes: Routes;
  /** A ticket that can be used once, for the URL that the server logs at its start. */
  readonly firstTicket: string;
  /** Opens the live feed on a connection whose Host and Origin were checked. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  close(): Promise<void>;
}

export const isObserved = (engine: Engine): engine is ObservedEngine =>
  engine.observe !== undefined && engine.calls !== undefined;

/** `visit` is called when a viewer connects; the returned function is called when it leaves. */
export const createDashboardRoutes = (
  engine: ObservedEngine,
  visit: () => () => void = () => () => {},
): DashboardRoutes => {
  const recent = new RecentCalls();
  const stopListening = engine.calls.on('ended', (call) => recent.add(call));
  const samples = new Samples(() => engine.health());
  const firstTicket = createSecretToken();
  let loading: Promise<Dashboard> | undefined;
  const load = async (): Promise<Dashboard> => {
    const { createDashboard } = await import('./dashboard.ts');
    return createDashboard({ engine, recent, samples, visit, firstTicket });
  };
  const require = (): Promise<Dashboard> => (loading ??= load());
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    (await require()).handle(request, response);
  return {
    firstTicket,
    routes: {
      ...Object.fromEntries(VIEWER_PATHS.map((path) => [path, { open: true, handle }])),
      // Clients with the token of the server may create tickets.
      [TICKET_PATH]: { handle },
    },
    upgrade: async (request, socket, head) => (await require()).upgrade(request, socket, head),
    close: async () => {
      stopListening();
      samples[Symbol.dispose]();
      await (await loading)?.close();
    },
  };
};
