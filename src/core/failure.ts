// The table of all failure codes, and the `Failure` error that reports them to the caller.
import { defined, ifDefined } from './defined.ts';
import { type HintReader, renderHint } from './hint-text.ts';

interface FailureKind {
  /** The default advice; a failure's details can override it. */
  readonly hint?: string;
  /** Whether the same call may succeed if it is repeated. */
  readonly retryable: boolean;
  /**
   * Exit status on the command line: 1 the tool failed, 2 bad arguments, 3 engine not reachable.
   */
  readonly exit: 1 | 2 | 3;
  /** HTTP status if the call fails before it reaches the protocol handler. */
  readonly http: number;
}

const kind = (
  hint: string | undefined,
  options: Partial<Omit<FailureKind, 'hint'>> = {},
): FailureKind =>
  defined({
    hint,
    retryable: false,
    exit: 1,
    http: 400,
    ...options,
  });

export const FAILURES = {
  // The request itself
  invalid_argument: kind(undefined, { exit: 2 }), // the message names the fix
  unknown_tool: kind('Use [[findTools]] to search the tools by name or by words.', {
    exit: 2,
    http: 404,
  }),
  tool_not_allowed: kind('The owner of the server excluded this tool: use another one.', {
    exit: 2,
    http: 403,
  }),
  consent_denied: kind(
    'The user did not allow this: continue without it, and report that to the user. Do not try ' +
      'another way to do the same.',
    { http: 403 },
  ),
  waiting_not_found: kind('List the open questions with "openchrome waiting".', { http: 404 }),
  human_has_control: kind(
    'The user works in this tab: read it, use another tab, or call again later.',
    { retryable: true, http: 409 },
  ),
  bad_request: kind('Send one JSON-RPC 2.0 request object as the body.', { exit: 2 }),
  not_found: kind('The MCP endpoint is /mcp.', { exit: 2, http: 404 }),
  method_not_allowed: kind('Send one JSON-RPC request with POST.', { exit: 2, http: 405 }),
  payload_too_large: kind('Send a smaller request.', { exit: 2, http: 413 }),
  unauthorized: kind('Send the header "Authorization: Bearer <token>".', { http: 401 }),
  forbidden_host: kind('Connect through a loopback name, or start the server with --allow-host.', {
    http: 403,
  }),
  forbidden_origin: kind(
    'Web pages may not call this server; start it with --allow-origin to trust one.',
    { http: 403 },
  ),
  too_many_sessions: kind('End a session with DELETE /mcp, or try again later.', {
    retryable: true,
    http: 429,
  }),
  cancelled: kind(undefined, { http: 499 }),
  timeout: kind('Call again with a larger [[timeout]], or look at the tab with [[tabs]].', {
    retryable: true,
    http: 504,
  }),

  // Chrome
  chrome_not_found: kind('Run "openchrome install-browser", or set --chrome-path.', {
    exit: 3,
    http: 503,
  }),
  chrome_launch_failed: kind('Run "openchrome doctor" to see what is wrong.', {
    exit: 3,
    http: 503,
  }),
  chrome_disconnected: kind('Call again: Chrome starts again.', { retryable: true, http: 503 }),
  control_failed: kind('Update Chrome, or restart the server; see controls in [[health]].', {
    exit: 3,
    http: 503,
  }),
  consent_needed: kind(
    'Ask the user to press Allow in the "Allow remote debugging?" dialog of Chrome, then call ' +
      'again.',
    { retryable: true, exit: 3, http: 503 },
  ),
  not_supported_here: kind(
    'This does not work in the Chrome of the user: use another way, or a server without ' +
      '--attach extension.',
  ),
  attach_failed: kind('Start that Chrome with --remote-debugging-port, or omit --attach.', {
    exit: 3,
    http: 503,
  }),
  outcome_unknown: kind(
    'Look at the page before you repeat the action: it may have been performed.',
    {
      http: 502,
    },
  ),

  // Tabs and pages
  tab_not_found: kind('Use one of the listed tabs, or omit [[tab]] to use the current one.', {
    http: 404,
  }),
  tab_not_owned: kind('Only tabs that this server opened can be closed.'),
  tab_closed: kind('The tab was closed: open another with [[newTab]].'),
  no_page: kind(
    'Open a page first with [[open]], or name another tab with [[tab]] ([[tabs]] lists them).',
  ),
  page_changed: kind('Look at the page again, then repeat the call.', { retryable: true }),
  page_crashed: kind('Reload the tab with [[reload]], or close it.'),
  page_unresponsive: kind(
    'The main thread of the page, or the machine, is busy: call again, or close the tab.',
    { retryable: true },
  ),
  dialog_open: kind('Answer it first with [[dialog]].'),
  no_dialog: kind('No answer is needed: continue with the page.'),
  navigation_failed: kind('Check the URL, and that its server is running.', {
    retryable: true,
  }),
  certificate_invalid: kind(
    'Check the URL. The user can accept the certificate of a known server with ' +
      '--accept-certificate HOST:PORT=SHA256, or all certificates with --insecure.',
  ),
  client_certificate_required: kind(
    'The server accepts only known clients: the user can set a certificate with ' +
      '--client-cert HOST:PORT=FILE.',
  ),
  client_certificate_rejected: kind(
    'The user must check the file of --client-cert: the server did not accept it.',
  ),
  dns_failed: kind('Check the spelling of the host name, and that this machine can resolve it.'),
  proxy_failed: kind('Check that the configured proxy is running and can reach the host.', {
    retryable: true,
  }),
  proxy_auth_required: kind(
    'The user must check the user name and the password of the proxy: ' +
      '--proxy http://USER:PASSWORD@HOST:PORT.',
  ),
  url_not_allowed: kind('Only http:, https: and about:blank can be opened.'),
  secret_not_allowed_here: kind("Fill it into a named field, on a page of the secret's hosts.", {
    http: 403,
  }),
  secret_command_failed: kind(
    'The user can run the command of this secret in a terminal to see why it fails.',
    { retryable: true },
  ),
  domain_not_allowed: kind('Use only the allowed domains.', { http: 403 }),
  no_history: kind('The history has no such entry: use [[open]].'),
  script_error: kind('Correct the code: the error comes from the page.'),
  element_not_found: kind('Look at the page with [[read]], or search it with [[find]].'),
  stale_ref: kind('Use new_ref if the error contains one; otherwise read the page again.'),
  ambiguous_target: kind('Use the ref of one of the candidates.'),
  target_covered: kind('Close the covering element first, scroll, or act on it instead.', {
    retryable: true,
  }),
  target_hidden: kind('Make it appear first: open its menu, tab or section.'),
  target_disabled: kind('Check what enables it: a required field, a choice, a pending request.'),
  target_moving: kind('Wait until it stops moving, then repeat the call.', { retryable: true }),
  not_editable: kind('Use a text field; for other elements use click, select or check.'),
  value_rejected: kind('Check what the field accepts: its type, its limits, its error message.'),
  nothing_copied: kind('Name the element to copy, or select text first.'),
  option_not_found: kind('Use one of the listed options.'),

  // PDF files
  document_unreadable: kind(
    'Check the URL: the server may have sent an error page; otherwise ask for another copy.',
  ),
  document_encrypted: kind(
    'Ask the user for a copy without a password: OpenChrome does not decrypt PDF files.',
  ),
  document_too_large: kind(
    'Save the file instead, or look for a shorter version or a web page with the same content.',
  ),

  // Stored payloads
  output_handle_not_found: kind(
    'Fetch it in the session of the call that created it. Handles expire: if it is too old, make ' +
      'that call again.',
    { http: 404 },
  ),
  invalid_format_for_payload: kind(
    'Omit [[format]]: the payload is then returned in its own format.',
    {
      exit: 2,
    },
  ),
  invalid_query: kind('Correct the expression at the given position.', { exit: 2 }),
  payload_too_large_to_query: kind('Page through it with [[page]], or use [[grep]].'),

  // Network captures
  key_not_found: kind('Use one of the available keys, or list the requests again.', { http: 404 }),
  cache_missing: kind('List the requests first: open the page and list its requests.', {
    http: 404,
  }),
  cache_expired: kind('List the requests again, or pass a larger [[ttl]].', { http: 410 }),
  cache_corrupt: kind('List the requests again to store a new capture.'),
  capture_failed: kind('Open the page again, then list its requests.', {
    retryable: true,
    http: 503,
  }),
  replay_failed: kind('Open the page that makes this request, then try again.'),
  confirmation_required: kind('Pass [[confirm]] if the request may change data on the server.'),
  reveal_not_allowed: kind(
    'Omit [[reveal]]; only a server started with --allow-reveal shows secrets.',
    { http: 403 },
  ),

  // Tasks
  invalid_task_id: kind('Use the task id from [[startTask]] or [[listTasks]].', {
    exit: 2,
  }),
  task_not_found: kind('Use [[listTasks]] to see the tasks; finished ones are kept for 30 days.', {
    http: 404,
  }),
  unknown_task_kind: kind('Use one of the known kinds.', { exit: 2 }),
  task_already_ended: kind('An ended task cannot change: start a new one.'),
  not_an_envelope: kind('Background tasks end by themselves: use [[waitTask]] or [[cancelTask]].'),
  budget_exceeded: kind(
    'Finish the task with [[finishTask]], or start another one with a larger budget.',
    { http: 429 },
  ),
  task_wait_timeout: kind('The task continues: wait again, or check it with [[showTask]].', {
    retryable: true,
    http: 504,
  }),
  already_recording: kind('Stop it with [[stopRecording]] before you start another one.'),
  orphaned: kind('Start it again; its result contains the work done so far.'),

  // The daemon
  no_daemon: kind('Start it with "openchrome daemon start".', { exit: 3, http: 503 }),
  daemon_start_failed: kind('Look at its log with "openchrome daemon logs".', {
    exit: 3,
    http: 503,
  }),
  daemon_unresponsive: kind('End it with "openchrome daemon stop", then call again.', {
    exit: 3,
    http: 503,
  }),
  daemon_version_mismatch: kind(
    'Call again when its work is done, or end it now with "openchrome daemon stop".',
    { exit: 3, http: 503 },
  ),
  daemon_settings_mismatch: kind(
    'End the daemon with "openchrome daemon stop"; ' +
      'the next command starts one with these settings.',
    {
      exit: 3,
      http: 503,
    },
  ),
  daemon_lost: kind(
    'Look at the page before you repeat an action: it may have been performed. The next call ' +
      'starts a new daemon.',
    { exit: 3, http: 502 },
  ),

  // Scripts
  script_failed: kind('Correct the named line of the script and call again.'),
  script_limit_exceeded: kind(
    'Do less in one script: fewer calls and smaller values, or return after each part.',
  ),

  // Recipes
  recipe_not_found: kind('Use one of the available recipes.', { http: 404 }),
  recipe_invalid: kind('Correct the file of the recipe.'),
  recipe_stopped: kind('Look at the page; correct the named step of the recipe.'),

  // Saved sessions
  snapshot_not_found: kind('Use one of the available snapshots, or [[listSnapshots]].', {
    http: 404,
  }),
  snapshot_unreadable: kind('Use another snapshot: [[listSnapshots]] shows them.'),
  login_not_found: kind(
    'Use one of the available names; the user can add one with "openchrome login SITE".',
    { http: 404 },
  ),

  // Files and the engine
  file_not_allowed: kind(
    'Use a path inside the working folder or the home folder, or start with --allow-root.',
  ),
  storage_failed: kind('Free some space, or check the permissions of the named path.', {
    retryable: true,
  }),
  cluster_unusable: kind('Run "openchrome doctor --cluster URL" to see what is wrong.', {
    exit: 3,
    http: 503,
  }),
  engine_stopped: kind('Start the server again.', { retryable: true, exit: 3, http: 503 }),
  overloaded: kind('Call again when other calls have ended.', { retryable: true, http: 503 }),
  internal: kind('This is a bug in OpenChrome: report it with the log id.', { http: 500 }),
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof FAILURES;

/**
 * Advice for a situation that is narrower than a code. Layers below the tools name the situation,
 * because they do not know the tools.
 */
const SITUATIONS = {
  leaving_page: 'Wait with [[waitForLoad]], or open another page with [[open]].',
  condition_not_met:
    'Look at the page with [[read]]; raise [[timeout]] if it only needs more time.',
  password_required: 'The server requires a user name and a password: set them with [[httpAuth]].',
  partly_done:
    'Look at the page with [[read]] before you repeat the call: "done" lists what it has done.',
  folded_part: 'Read it with [[readRef]].',
  folded_part_in_mode: 'Read it with [[modeAx]].',
  saved_login: 'Use [[loadLogin]] to restore a login.',
  not_in_view_together:
    'Scroll so that both are in view, or make the window larger with [[emulate]].',
  page_too_slow: 'Read a part of it: pass a selector or a ref.',
  code_too_slow: 'Make the code finish sooner, or raise [[timeout]].',
  nothing_copied: 'Pass the text to paste as "value", or copy something first.',
  pdf_too_large: 'Print fewer pages with [[pageRanges]].',
  pdf_download_canceled: 'Open its URL again with [[open]].',
  pdf_of_form: 'Look at it with [[screenshot]].',
  pdf_without_elements:
    'Read its text with [[read]], or search it with [[find]] and a query. To act, open a page ' +
    'with [[open]].',
  page_ranges_invalid: 'Use the form "1-3, 5", within the number of pages.',
} as const;

type Situation = keyof typeof SITUATIONS;

/**
 * Data that helps the caller to recover (candidates, tabs, available keys), and overrides of the
 * table's `hint` and `retryable`.
 */
export type FailureDetails = {
  readonly hint?: string;
  readonly retryable?: boolean;
} & Readonly<Record<string, unknown>>;

/** Details that may name a situation instead of giving a hint. */
export type FailureFacts = FailureDetails & { readonly situation?: Situation };

export interface FailureBody {
  readonly error: {
    readonly code: FailureCode;
    readonly message: string;
    readonly hint?: string;
    readonly retryable: boolean;
  } & Readonly<Record<string, unknown>>;
}

export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details: FailureDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get kind(): FailureKind {
    return FAILURES[this.code];
  }

  /** The JSON form in which every frontend returns a failure. */
  toJSON(): FailureBody {
    return this.render('model');
  }

  /** The JSON form with a hint for this reader. */
  render(reader: HintReader): FailureBody {
    const { hint = this.kind.hint, retryable = this.kind.retryable, ...recovery } = this.details;
    return {
      error: defined({
        code: this.code,
        message: this.message,
        hint: ifDefined(hint, (hint) => renderHint(hint, reader)),
        retryable,
        ...recovery,
      }),
    };
  }
}

/** Creates a failure: `throw fail('tab_not_found', …, {tabs})`. */
export const fail = (
  code: FailureCode,
  message: string,
  { situation, ...details }: FailureFacts = {},
  cause?: unknown,
): Failure =>
  new Failure(
    code,
    message,
    situation ? { hint: SITUATIONS[situation], ...details } : details,
    cause === undefined ? undefined : { cause },
  );

/**
 * Converts anything thrown to a Failure. Errors of other types are our defects: they are logged,
 * and the failure contains the log id.
 */
export const toFailure = (thrown: unknown, report: (error: unknown) => string): Failure => {
  if (thrown instanceof Failure) return thrown;
  const logId = report(thrown);
  return fail('internal', 'An unexpected error occurred in the server.', { log_id: logId }, thrown);
};

export const getErrorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
