// Checks a call against the owner's policy: before it runs, on each new page, and before its reply.
import { fail, type Failure } from '../core/failure.ts';
import { callAll } from '../core/collections.ts';
import type { ConsentEffect } from '../core/consent-rule.ts';
import { canParseUrl, quoteText } from '../core/text.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { ConsentCall } from '../features/consent/consent.ts';
import { type CallEffects, denyByPolicy, EVERY_HOST } from '../policy/consent-policy.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import type { ToolCall, ToolOutput } from '../toolkit/tool-call.ts';
import type { AdmittedCall, PermittedCall, SessionCall, Step } from './call.ts';
import { redactorFor } from './quote.ts';

/** Longer arguments are cut before secrets are removed; the question shows less. */
const MAX_DETAIL_CHARS = 2_000;
const READ: CallEffects = { base: 'read', special: [] };

export const consent: Step<SessionCall, PermittedCall, ToolOutput> = async (call, next) => {
  const place = call.services.consentPolicy.restricts ? locateCall(call) : undefined;
  if (!place) return next({ ...call, consentCall: undefined });
  using consentCall = (await call.services.consent()).begin(describeSource(call));
  if (place !== 'later') await consentCall.require(place.effects, place.urls);
  const off = watchPages(call, consentCall);
  try {
    const result = await next({ ...call, consentCall });
    await consentCall.settle();
    await requireReadable(call, consentCall, place);
    return result;
  } catch (error) {
    consentCall.requireNoDenial(); // the cause of a failed navigation
    throw error;
  } finally {
    callAll(off);
  }
};

interface CallPlace {
  readonly effects: CallEffects;
  readonly urls: readonly string[];
}

/** Rejects a call that a rule denies on every page, before Chrome is started for it. */
export const requirePermitted = (
  { tool, services, common, request }: AdmittedCall,
  toolCall: ToolCall,
): void => {
  const { consentPolicy } = services;
  if (!consentPolicy.restricts || !isJudged(tool, toolCall)) return;
  const session = common.session ?? request.session ?? 'default';
  const effects = listEffects(toolCall, toolCall.opens(undefined) !== undefined);
  const denied = consentPolicy.findDenial({ tool: tool.name, session, ...effects });
  if (denied) throw denyByPolicy(tool.name, denied);
};

/**
 * Tools that use neither the browser nor the network are not judged. The calls of a script are
 * judged one by one.
 */
const isJudged = ({ traits: { scope, makesCalls } }: Tool, { addresses }: ToolCall): boolean =>
  !makesCalls && (scope !== 'none' || addresses.length > 0);

/** Opening a page is a read: a server with `--read-only` can still open pages. */
const listEffects = ({ effect, consent: { special = [] } }: ToolCall, opens: boolean) => ({
  base: opens ? ('read' as const) : effect,
  special,
  readsPage: true,
});

const locateCall = (call: SessionCall): CallPlace | 'later' | undefined => {
  const { tool, toolCall, tab } = call;
  if (!isJudged(tool, toolCall)) return undefined;
  const { pages = 'tab' } = toolCall.consent;
  if (pages === 'later') return 'later';
  const opened = toolCall.opens(tab?.url);
  const effects = listEffects(toolCall, opened !== undefined);
  if (opened !== undefined) return { effects: withScripts(effects, opened), urls: [opened] };
  if (tool.traits.scope === 'none') return { effects, urls: toolCall.addresses };
  return { effects: { ...effects, readsPage: tab !== undefined }, urls: listPages(call, pages) };
};

/** The code of a javascript: address runs in the page. */
const withScripts = (effects: CallEffects, url: string): CallEffects =>
  /^javascript:/i.test(url) ? { ...effects, special: [...effects.special, 'script'] } : effects;

type Pages = Exclude<ToolCall['consent']['pages'], 'later' | undefined>;

const listPages = ({ tab, session }: SessionCall, pages: Pages): readonly string[] => {
  if (pages === 'every') return [EVERY_HOST];
  if (pages === 'session')
    return [
      ...new Set([
        ...[...session.tabs.values()].flatMap(listDocuments),
        ...session.traffic.requests().map(({ record }) => record.documentUrl),
      ]),
    ];
  if (typeof pages === 'object' && 'urls' in pages) return pages.urls;
  if (typeof pages === 'object')
    return listDocumentsOf(
      pages.tabId === undefined ? session.current : session.findTab(pages.tabId),
    );
  return listDocumentsOf(tab);
};

const listDocumentsOf = (tab: Tab | undefined): readonly string[] =>
  tab ? listDocuments(tab) : [];

/** The URLs of the page and its frames that have a host. */
const listDocuments = (tab: Tab): readonly string[] => [
  ...new Set(
    tab.frames
      .all()
      .map(({ url }) => url)
      .filter((url) => /^https?:/i.test(url)),
  ),
];

const describeSource = (call: SessionCall) => {
  const { session, tab, tool, deadline, common, request } = call;
  const redactor = redactorFor(call);
  return {
    tool: tool.name,
    session: (session.within ?? session).name,
    tabId: tab?.id,
    url: tab && redactor.text(tab.url).slice(0, 2000),
    detail: redactor.text(JSON.stringify(request.arguments ?? {}).slice(0, MAX_DETAIL_CHARS)),
    signal: deadline.signal,
    deadline,
    hasTimeout: common.timeout_ms !== undefined,
    isTask: request.task !== undefined,
    elicit: request.elicit,
    onQuestion: () => call.onProgress({ done: 0, message: 'waiting for the answer of the user' }),
  };
};

/** Ends the call if its tab opens a page that a rule forbids to read. */
const watchPages = ({ tab, deadline }: SessionCall, consentCall: ConsentCall): (() => void)[] => {
  if (!tab) return [];
  const check = ({ url }: { readonly url: string }): void => {
    const denial = consentCall.findDenial(READ, [url]);
    if (denial) deadline.abort(denial);
  };
  return [tab.events.on('navigated', check)];
};

/** The page may have changed during the call: its reply contains parts of the new page. */
const requireReadable = async (
  { tab }: SessionCall,
  consentCall: ConsentCall,
  place: CallPlace | 'later',
): Promise<void> => {
  if (!tab || tab.closed || place === 'later') return;
  const known = new Set(place.urls.map(parseHost));
  const added = listDocuments(tab).filter((url) => !known.has(parseHost(url)));
  if (added.length > 0) await consentCall.require(READ, added);
};

const parseHost = (url: string): string => (canParseUrl(url) ? new URL(url).host : url);

/** The functions of a tool's context that depend on the policy. */
export const createConsentContext = (call: PermittedCall) => {
  const { consentCall } = call;
  const special = (effect: ConsentEffect): CallEffects => ({
    base: effect === 'read' ? 'read' : 'act',
    special: effect === 'read' || effect === 'act' ? [] : [effect],
  });
  const find = (): CallPlace | undefined => {
    const place = consentCall && locateCall(call);
    return place === 'later' ? undefined : place;
  };
  return {
    elicit: call.request.elicit,
    listPages: (): readonly string[] => listDocumentsOf(call.tab),
    requireConsent: async (effect: ConsentEffect, urls: readonly string[]): Promise<void> =>
      consentCall?.require(special(effect), urls),
    mayRead: async (url: string): Promise<boolean> => {
      return (await consentCall?.isAllowed(READ, [url])) ?? true;
    },
    allowAction: async (): Promise<void> => {
      const place = find();
      if (place) await consentCall?.require(place.effects, place.urls);
    },
    recheckAction: (): void => {
      const place = find();
      if (place && !consentCall?.covers(place.effects, place.urls)) throw pageChanged(call);
    },
  };
};

const pageChanged = ({ tab }: SessionCall): Failure =>
  fail(
    'page_changed',
    `The tab navigated to ${quoteText(tab?.url ?? '')} before the action was performed.`,
  );
