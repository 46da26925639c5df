// Checks the URLs, files and secrets that a call names, and enforces the allowed domains.
import { homedir } from 'node:os';
import { basename, join, parse, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GuardRefusal } from '../browser/guard/domain-guard.ts';
import { isLoadFailure } from '../browser/tabs/load-failure.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import { listIf } from '../core/collections.ts';
import type { Config } from '../core/config.ts';
import { fail } from '../core/failure.ts';
import type { Home } from '../core/home.ts';
import { textIf } from '../core/text.ts';
import { parseAddress } from '../policy/address.ts';
import { domainNotAllowedFailure, explainRefusal } from '../policy/domains.ts';
import { CONFIG_FILE } from '../store/config/config-file.ts';
import {
  type AllowedRoot,
  isInside,
  requireAllowedPath,
  resolveRealPath,
} from '../store/files/allowed-path.ts';
import { requireNoLogin } from '../store/files/logins.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { SessionCall, Step } from './call.ts';
import { quoteFromPage, redactorFor } from './quote.ts';

// Enforces the allowed domains: the tab before the call, the URLs it opens, and the final page.

/** Throws if the call may not reach the URL. */
const allowDomain = ({ services, allowedDomains }: SessionCall, url: string): void => {
  const refusal = services.browser.guard.policyFor(allowedDomains).judgeUrl(url);
  if (refusal) throw domainNotAllowedFailure(refusal, url);
};

const withinDomains = async <T>(
  call: SessionCall,
  next: (call: SessionCall) => Promise<T>,
): Promise<T> => {
  const { tab } = call;
  if (tab && call.tool.traits.aside) return watchWithin(call, tab, next);
  await holdTab(call);
  const stopWatching = watchForDashboard(call);
  let result: T;
  try {
    result = await runWithin(call, () => next(call));
    await leaveForbiddenPage(call);
  } catch (error) {
    const untold = takeRefusals(call);
    const cause = causeOf(error, untold.refusals);
    tell(call, { ...untold, refusals: untold.refusals.filter((refused) => refused !== cause) });
    throw cause ? domainNotAllowedFailure(cause.refusal, cause.url) : error;
  } finally {
    stopWatching();
  }
  tell(call, takeRefusals(call));
  return result;
};

const runWithin = <T>(
  { allowedDomains, services }: SessionCall,
  work: () => Promise<T>,
): Promise<T> => (allowedDomains ? services.browser.guard.within(allowedDomains, work) : work());

/**
 * A call that only watches runs beside other calls: their domains apply, and their replies report
 * the refused requests.
 */
const watchWithin = <T>(
  call: SessionCall,
  tab: Tab,
  next: (call: SessionCall) => Promise<T>,
): Promise<T> => {
  allowDomain(call, tab.url);
  return next(call);
};

/** Restricts the tab to the domains of the call's task until a call of another task uses it. */
const holdTab = async (call: SessionCall): Promise<void> => {
  const { tab, allowedDomains } = call;
  if (!tab) return;
  const { dialog, loadsPages } = call.tool.traits;
  // A call that answers a dialog runs beside another call, whose domains apply.
  if (dialog !== 'answers') await tab.guard.narrow(allowedDomains);
  if (!loadsPages) tab.guard.requireControls(); // a page without a control can only be left
  if (!loadsPages) allowDomain(call, tab.url);
};

/** A call of several steps must not reach the buttons of a dashboard that an earlier step opened. */
const watchForDashboard = ({ tab, deadline }: SessionCall): (() => void) => {
  if (!tab) return () => {};
  return tab.events.on('navigated', ({ url }) => {
    const refusal = tab.guard.judge(url);
    if (refusal?.reason !== 'dashboard') return;
    deadline.abort(domainNotAllowedFailure(refusal, url));
    if (tab.ours) tab.cdp.send('Page.navigate', { url: 'about:blank' }).catch(() => {}); // closed
  });
};

/** A page from the history is shown without a request, so its URL is checked here. */
const leaveForbiddenPage = async ({ tab, deadline }: SessionCall): Promise<void> => {
  const refusal = tab && !tab.closed ? tab.guard.judge(tab.url) : undefined;
  if (!tab || !refusal) return;
  const { url } = tab;
  if (tab.ours) await tab.cdp.send('Page.navigate', { url: 'about:blank' }, deadline.signal);
  throw domainNotAllowedFailure(refusal, url);
};

/** If the guard rejects a page's request, Chrome reports a load failure without this cause. */
const causeOf = (error: unknown, refused: readonly GuardRefusal[]): GuardRefusal | undefined =>
  isLoadFailure(error) ? refused.findLast(({ ofPage }) => ofPage) : undefined;

interface Untold {
  readonly refusals: readonly GuardRefusal[];
  /** The number of refusals that were not kept. */
  readonly more: number;
}

const SHOWN = 3;

/**
 * Adds a note about the refusals since the last reply. It names only hosts, because the page
 * chooses its paths.
 */
const tell = (call: SessionCall, { refusals, more }: Untold): void => {
  if (refusals.length === 0) return;
  const redactor = redactorFor(call);
  const describe = ({ what, url, refusal }: GuardRefusal): string => {
    const host = quoteFromPage(refusal.host || url.split(':', 1).join(), redactor);
    return `${what} ${host} (${explainRefusal(refusal)})`;
  };
  const lines = [...new Set(refusals.map(describe))];
  const rest = refusals.length + more - Math.min(lines.length, SHOWN);
  const end = textIf(rest > 0, ` and ${rest} more`);
  call.notes.push(`[refused by the domain guard: ${lines.slice(0, SHOWN).join('; ')}${end}]`);
};

const takeRefusals = (call: SessionCall): Untold => {
  const taken = tabsOf(call).map((tab) => tab.guard.takeUntold());
  return {
    refusals: taken.flatMap(({ refusals }) => refusals),
    more: taken.reduce((sum, { more }) => sum + more, 0),
  };
};

/**
 * The call's tab and the tabs that it opened; without a tab, the tabs in which no other call runs.
 */
const tabsOf = ({ tab, session }: SessionCall): Tab[] => {
  const all = [...session.tabs.values()];
  return tab
    ? [tab, ...all.filter((other) => other.guard.openerId === tab.id)]
    : all.filter(({ queue }) => !queue.running);
};

export const guard: Step<SessionCall, SessionCall, ToolOutput> = async (call, next) => {
  if (call.toolCall.revealsSecrets && !call.services.config.allowReveal)
    throw fail('reveal_not_allowed', `${call.request.name} cannot reveal secrets on this server.`, {
      argument: 'reveal',
    });
  const toolCall = await call.toolCall.check({
    address: (url) => allowAddress(call, url),
    file: (path) => allowFile(call, path),
  });
  call.course.toolCall = toolCall;
  return withinDomains({ ...call, toolCall }, next);
};

/**
 * Returns the URL to open. File URLs need the server's permission and a file that tools may use.
 */
export const allowAddress = async (call: SessionCall, given: string): Promise<string> => {
  const { allowFileAccess, allowScheme } = call.services.config;
  const address = parseAddress(given, { files: allowFileAccess, schemes: allowScheme });
  allowDomain(call, address);
  if (address.startsWith('file:')) await allowFileForPage(call, fileURLToPath(address));
  return address;
};

/** Returns the real path of a file that tools may use; throws for any other file. */
const allowFile = async (
  { services, request: { folder = process.cwd(), shell } }: SessionCall,
  path: string,
): Promise<string> => {
  const { home, config } = services;
  // A path that the user typed may be anywhere; the files of the engine stay closed.
  const roots = shell
    ? [{ path: parse(resolve(folder, path)).root }]
    : [
        ...(await workingRoots(folder)),
        ...[home.root, ...config.allowRoot].map((root) => ({ path: root })),
      ];
  const real = await requireAllowedPath(resolve(folder, path), roots, ownFiles(home, config));
  if (basename(real).toLowerCase() === CONFIG_FILE)
    throw fail(
      'file_not_allowed',
      `${CONFIG_FILE} configures the server, so tools may not use it.`,
      { path: path.slice(0, 300) },
    );
  return real;
};

/**
 * Returns the real path of a file that may be given to a page: tools may use it and it contains no
 * saved login.
 */
export const allowFileForPage = async (call: SessionCall, path: string): Promise<string> => {
  const real = await allowFile(call, path);
  await requireNoLogin(real);
  return real;
};

/**
 * Some hosts start servers in the root folder or in the user's home folder. In the home folder,
 * hidden files (keys, logins, shell start-up files) are not allowed; a folder that contains the
 * home folder is not a working folder. Real paths are compared, because of links.
 */
const workingRoots = async (folder: string): Promise<AllowedRoot[]> => {
  const [real, user] = await Promise.all([
    resolveRealPath(resolve(folder)),
    resolveRealPath(homedir()),
  ]);
  if (real === user) return [{ path: real, shownOnly: true }];
  return listIf(!isInside(user, real), { path: real });
};

/**
 * Files that a call may neither give to a page nor overwrite: they contain logins, tokens and
 * secrets, or configure the engine.
 */
const ownFiles = (home: Home, { secrets, profile, clientCert, clientKey }: Config): string[] => [
  ...[
    home.profile,
    home.browsers,
    home.snapshots,
    home.logins,
    home.run,
    home.journal,
    home.tasks,
    home.output,
    home.networkCache,
  ],
  ...[home.approvals, home.waiting, home.dashboardKey, home.pairing],
  ...[home.daemon, home.daemonLog, home.secretHosts, join(home.root, CONFIG_FILE)],
  ...[secrets, profile].filter((path) => path !== undefined),
  ...[...clientCert, ...clientKey].map((text) => text.slice(text.indexOf('=') + 1)),
];
