// What a daemon answers besides MCP: who it is, how it is, that it shall end, and for how long a host is there.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../../core/failure.ts';
import type { Log } from '../../../core/log.ts';
import { fromHeaders } from '../../mcp/client-facts.ts';
import { sendJson } from '../../mcp/http/reply.ts';
import { readOnly, type Routes } from '../../mcp/http/router.ts';
import type { Occupation } from './idle.ts';
import { HELLO_PATH, LEASE_PATH, STATUS_PATH, STOP_PATH } from './paths.ts';
import { NONCE_HEADER, proofOf } from './proof.ts';
import type { DaemonStatus } from './status.ts';

interface DaemonParts {
  readonly token: string;
  readonly log: Log;
  readonly occupation: Occupation;
  readonly status: () => DaemonStatus;
  /** A host has come; what is returned ends its session. */
  readonly admitHost: (session: string) => () => Promise<void>;
  readonly isStopping: () => boolean;
  /** Begins to end; resolves when Chrome has ended, and the process is about to. */
  readonly stop: (why: string) => Promise<void>;
}

export const daemonRoutes = (parts: DaemonParts): Routes => ({
  // Without the token: whoever asks wants to know whether it may be sent here.
  [HELLO_PATH]: { open: true, handle: (request, response) => hello(parts, request, response) },
  [STATUS_PATH]: { handle: readOnly((response) => sendJson(response, 200, parts.status())) },
  [STOP_PATH]: { handle: (request, response) => stop(parts, request, response) },
  [LEASE_PATH]: { handle: (request, response) => lease(parts, request, response) },
});

const hello = ({ token, isStopping }: DaemonParts, request: IncomingMessage, response: ServerResponse): void => {
  const nonce = request.headers[NONCE_HEADER];
  if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce)) throw fail('bad_request', 'The nonce is missing.');
  sendJson(response, 200, { proof: proofOf(token, nonce, request.socket.localPort ?? 0), stopping: isStopping() });
};

/** With `?if_idle` refused where there is work to lose. Answered when Chrome has ended. */
const stop = async (parts: DaemonParts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'DELETE') throw fail('method_not_allowed', 'Ending a daemon takes a DELETE.');
  if (request.url?.endsWith('?if_idle') && parts.occupation.busy && !parts.isStopping()) {
    throw fail('daemon_version_mismatch', 'The daemon is at work.', { ...parts.occupation.now });
  }
  await parts.stop('it was told to');
  sendJson(response, 200, { stopped: true });
};

/** A connection that lasts as long as its host: when it breaks, however it does, the host's tabs are closed. */
const lease = ({ occupation, log, admitHost, isStopping }: DaemonParts, request: IncomingMessage, response: ServerResponse): void => {
  const { session } = fromHeaders((name) => request.headers[name] as string | undefined);
  if (session === undefined) throw fail('bad_request', 'A lease is for a session.');
  const leave = occupation.host();
  const endSession = admitHost(session);
  response.once('close', () => {
    leave();
    if (!isStopping()) endSession().catch((error: unknown) => log.warn(`the tabs of ${session} could not be closed`, error));
  });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
};
