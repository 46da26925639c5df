// The daemon: the server of --http with its own token; runs until it is stopped or idle too long.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config, ConfigOrigins } from '../../../core/config.ts';
import { fail, type Failure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import { createSecretToken } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { every } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import {
  readDaemonNote,
  removeDaemonNote,
  writeDaemonEnd,
  writeDaemonNote,
} from '../../../store/config/daemon-file.ts';
import type { ProcessIdentity } from '../../../system/process-identity.ts';
import { watchDefects } from '../../defects.ts';
import { fromHeaders } from '../../mcp/client-facts.ts';
import { sendJson } from '../../mcp/http/http-messages.ts';
import { readOnly, type Routes } from '../../mcp/http/router.ts';
import { untilStopped } from '../../mcp/http/routes.ts';
import { type HttpServer, serveHttp } from '../../mcp/http/server.ts';
import { markOwnProgram } from './find-daemon.ts';
import { DaemonActivity, watchIdle } from './idle.ts';
import { buildProof, NONCE_HEADER } from './proof.ts';
import { buildStatus, type DaemonOverview, type DaemonStatus } from './status.ts';
import { HELLO_PATH, LEASE_PATH, OVERVIEW_PATH, STATUS_PATH, STOP_PATH } from './wire.ts';

interface DaemonOptions {
  readonly home: Home;
  /** The identity of this process. */
  readonly own: ProcessIdentity;
  readonly createEngine: (config: Config) => Engine;
  readonly config: Config;
  /** A digest of the variables and files that its configuration comes from. */
  readonly environment: string;
  readonly sources: ConfigOrigins;
  readonly log: (line: string) => void;
}

const MAX_OVERVIEW_TASKS = 50;
const LOOK_FOR_NOTE_MS = 5_000;
/** The reason of an end that the user requested. */
const STOP_ORDER = 'stop was requested';

export class Daemon {
  readonly #options: DaemonOptions;
  readonly #token = createSecretToken();
  readonly #engine: Engine;
  readonly #occupation: DaemonActivity;
  readonly #stopping = new AbortController();
  #server: HttpServer | undefined;
  #stopped: Promise<void> | undefined;
  #leave = (): void => {};
  /** Resolves when everything has ended and the process may exit. */
  readonly ended = new Promise<void>((resolve) => (this.#leave = resolve));

  constructor(options: DaemonOptions) {
    this.#options = options;
    this.#engine = options.createEngine(onLoopback(options.config, this.#token));
    this.#occupation = new DaemonActivity(() => this.#engine.tasks.running);
  }

  /** Listens on a free port and writes the port to daemon.json. */
  async begin(): Promise<void> {
    const { home, config, own, environment, log } = this.#options;
    const { signal: crash } = watchDefects(this.#engine.log);
    crash.addEventListener(
      'abort',
      () => void this.stop('it met an unexpected error', crash.reason as Failure),
    );
    const call = this.#occupation.counted(
      untilStopped((request) => this.#engine.call(request), this.#stopping.signal),
    );
    const additions = {
      routes: createDaemonRoutes(this.#parts()),
      trustsClients: true,
      admit: () => this.#admit(),
      visit: () => this.#occupation.host(),
      onDashboard: (_: unknown, origin: string) =>
        log(`dashboard at ${origin}/ ("openchrome dashboard" opens it)`),
    };
    this.#server = await serveHttp({ ...this.#engine, call }, additions);
    const { port } = this.#server;
    await writeDaemonNote(home.daemon, {
      version: 1,
      ...own,
      port,
      token: this.#token,
      program: markOwnProgram(),
      environment,
    });
    watchIdle(
      this.#occupation,
      config.daemonIdleSeconds * 1000,
      () => void this.stop(`no work for ${config.daemonIdleSeconds} s`),
    );
    every(LOOK_FOR_NOTE_MS, () => this.#endWithoutNote());
    log(`daemon ready: pid ${own.pid}, port ${port}`);
  }

  /** Rejects calls while the daemon is ending: they have not begun, so the client may retry. */
  #admit(): void {
    if (this.#stopped)
      throw fail('no_daemon', 'The daemon is ending.', {
        hint: 'Call again: a new one is started.',
        retryable: true,
      });
  }

  /**
   * Ends calls, tasks and Chrome. After it resolves, pending stop requests are answered and the
   * process exits.
   */
  stop(why: string, reason = fail('engine_stopped', 'The daemon is ending.')): Promise<void> {
    return (this.#stopped ??= this.#end(why, reason));
  }

  /** Writes a message for the next command: its tabs are lost. Not if the user ended the daemon. */
  async #leaveMessage(why: string): Promise<void> {
    const { tabs } = this.#engine.health();
    if (why === STOP_ORDER || tabs === 0) return;
    const { home } = this.#options;
    const lost = tabs === 1 ? 'its tab is gone' : `its ${tabs} tabs are gone`;
    await writeDaemonEnd(home.daemon, `The last daemon ended (${why}): ${lost}.`);
  }

  async #end(why: string, reason: Failure): Promise<void> {
    const { home, log } = this.#options;
    log(`daemon ends: ${why}`);
    await this.#leaveMessage(why).catch((error: unknown) => this.#engine.log.defect(error));
    this.#stopping.abort(reason);
    // daemon.json stays until Chrome has ended: the next daemon needs the locked profile.
    await this.#engine.stop().catch((error: unknown) => this.#engine.log.defect(error));
    removeDaemonNote(home.daemon, this.#token);
    void this.#server?.close().finally(() => this.#leave());
  }

  /**
   * Ends this daemon if daemon.json does not name it: the home was removed, or another daemon
   * replaced it.
   */
  #endWithoutNote(): void {
    const note = readDaemonNote(this.#options.home.daemon);
    const isOurs = typeof note === 'object' && note.token === this.#token;
    if (!isOurs && !this.#occupation.busy) void this.stop('daemon.json names another, or nobody');
  }

  #parts(): Parameters<typeof createDaemonRoutes>[0] {
    return {
      token: this.#token,
      log: this.#engine.log,
      occupation: this.#occupation,
      status: () => this.#status(),
      overview: () => this.#overview(),
      admitHost: (session) => this.#engine.admitHost(session),
      isStopping: () => this.#stopped !== undefined,
      stop: (why) => this.stop(why),
    };
  }

  async #overview(): Promise<DaemonOverview> {
    const { tasks } = await this.#engine.tasks.list({ limit: MAX_OVERVIEW_TASKS });
    return { status: this.#status(), tabs: this.#engine.listTabs(), tasks };
  }

  #status(): DaemonStatus {
    const { daemonLog } = this.#options.home;
    return buildStatus({
      engine: this.#engine,
      occupation: this.#occupation,
      port: this.#server?.port ?? 0,
      log: daemonLog,
      sources: this.#options.sources,
    });
  }
}

/** Only programs of this user can read the token. */
const onLoopback = (config: Config, token: string): Config => ({
  ...config,
  http: 0,
  host: '127.0.0.1',
  token,
  allowHost: [],
  allowOrigin: [],
  shared: false,
});

interface DaemonParts {
  readonly token: string;
  readonly log: Log;
  readonly occupation: DaemonActivity;
  readonly status: () => DaemonStatus;
  readonly overview: () => Promise<DaemonOverview>;
  /** Registers a host; the returned function ends its session. */
  readonly admitHost: (session: string) => () => Promise<void>;
  readonly isStopping: () => boolean;
  /** Starts the shutdown; resolves when Chrome has ended. */
  readonly stop: (why: string) => Promise<void>;
}

const createDaemonRoutes = (parts: DaemonParts): Routes => ({
  // Needs no token: the client first checks whether it may send the token here.
  [HELLO_PATH]: { open: true, handle: (request, response) => hello(parts, request, response) },
  [STATUS_PATH]: { handle: readOnly((response) => sendJson(response, 200, parts.status())) },
  [OVERVIEW_PATH]: {
    handle: readOnly(async (response) => sendJson(response, 200, await parts.overview())),
  },
  [STOP_PATH]: { handle: (request, response) => stop(parts, request, response) },
  [LEASE_PATH]: { handle: (request, response) => lease(parts, request, response) },
});

const hello = (
  { token, isStopping }: DaemonParts,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const nonce = request.headers[NONCE_HEADER];
  if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce))
    throw fail('bad_request', 'The nonce is missing.');
  sendJson(response, 200, {
    proof: buildProof(token, nonce, request.socket.localPort ?? 0),
    stopping: isStopping(),
  });
};

/** With `?if_idle` refused if there is work to lose. The response is sent when Chrome has ended. */
const stop = async (
  parts: DaemonParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.method !== 'DELETE')
    throw fail('method_not_allowed', 'Ending a daemon takes a DELETE.');
  if (request.url?.endsWith('?if_idle') && parts.occupation.busy && !parts.isStopping()) {
    throw fail('daemon_version_mismatch', 'The daemon is at work.', { ...parts.occupation.now });
  }
  await parts.stop(request.url?.endsWith('?if_idle') ? 'it was replaced' : STOP_ORDER);
  sendJson(response, 200, { stopped: true });
};

/** A connection that stays open as long as its host: when it closes, the host's tabs are closed. */
const lease = (
  { occupation, log, admitHost, isStopping }: DaemonParts,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const { session } = fromHeaders((name) => request.headers[name] as string | undefined);
  if (session === undefined) throw fail('bad_request', 'A lease is for a session.');
  const leave = occupation.host();
  const endSession = admitHost(session);
  response.once('close', () => {
    leave();
    if (!isStopping())
      endSession().catch((error: unknown) =>
        log.warn(`the tabs of ${session} could not be closed`, error),
      );
  });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
};
