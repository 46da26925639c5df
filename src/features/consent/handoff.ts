// A hand-off: waits until the user has helped in a tab, and reports what changed in it.
import { waitForLoad, waitForPage, waitForUrl } from '../../browser/act/wait-for.ts';
import type { Browser } from '../../browser/browser.ts';
import type { CdpSession } from '../../browser/cdp/connection.ts';
import { type Frame, WORLD } from '../../browser/tabs/frames.ts';
import { inPage } from '../../browser/tabs/in-page.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { navigateTo } from '../../browser/tabs/navigate.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { addCount, callAll } from '../../core/collections.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { getField } from '../../core/json.ts';
import { parseUrl } from '../../core/text.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import type { WaitingOutcome } from '../../store/consent/waiting-files.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import type { Job } from '../tasks/kind.ts';
import type { Elicit, Waiting } from './waiting.ts';

/** The name of the function that `watchTyping` calls in the page. */
const BINDING = '__oc_typed';
const MARK = '[typed]';
const MAX_VALUES = 500;
const MIN_VALUE_CHARS = 2;
/** A page often shows only one word of a value, such as the first name. */
const MIN_WORD_CHARS = 3;
const START_MS = 2_000;

/**
 * Collects the text that a user types into the pages of a tab, so that a report can leave it out.
 */
export class TypedText implements Disposable {
  readonly #off: (() => void)[] = [];
  readonly #sessions = new Set<CdpSession>();
  #values: string[] = [];

  /** Watches the documents of the tab, also later ones; a page that does not respond is skipped. */
  static async watch(tab: Tab): Promise<TypedText> {
    const typed = new TypedText();
    typed.#off.push(tab.events.on('frame', (frame) => void typed.#watchFrame(frame)));
    await Promise.all(tab.frames.all().map((frame) => typed.#watchFrame(frame)));
    return typed;
  }

  async #watchFrame(frame: Frame): Promise<void> {
    const signal = AbortSignal.timeout(START_MS);
    try {
      await this.#listen(frame.session, signal);
      await frame.call(inPage.live.watchTyping, [], signal);
    } catch {
      // the frame was removed, or its page is busy: nothing can be typed there
    }
  }

  async #listen(session: CdpSession, signal: AbortSignal): Promise<void> {
    if (this.#sessions.has(session)) return;
    this.#sessions.add(session);
    this.#off.push(
      session.on('Runtime.bindingCalled', ({ name, payload }) => {
        if (name === BINDING) this.add(payload);
      }),
    );
    const binding = { name: BINDING, executionContextName: WORLD };
    await session.send('Runtime.addBinding', binding, signal);
  }

  /** A longer value replaces its own beginning, because each key reports the whole field. */
  add(value: string): void {
    const others = this.#values.filter((known) => !value.startsWith(known));
    this.#values = [...others, value].slice(-MAX_VALUES);
  }

  /** Replaces typed values and their words, in any case and in the encoding of addresses. */
  redact(text: string): string {
    const words = this.#values.flatMap((value) => value.split(/[\s,;]+/));
    const fragments = [
      ...this.#values.filter(({ length }) => length >= MIN_VALUE_CHARS),
      ...words.filter(({ length }) => length >= MIN_WORD_CHARS),
    ];
    const spellings = fragments.flatMap((one) => [one, encodeURIComponent(one)]);
    const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
    return longestFirst.reduce(replaceFragment, text);
  }

  [Symbol.dispose](): void {
    callAll(this.#off);
    for (const session of this.#sessions)
      session.send('Runtime.removeBinding', { name: BINDING }).catch(() => {}); // closed
  }
}

/** Without a regular expression, because both texts come from a page. */
const replaceFragment = (text: string, fragment: string): string => {
  const [folded, wanted] = [text.toLowerCase(), fragment.toLowerCase()];
  // Some capital letters have a longer small form: then only the same spelling is found.
  if (folded.length !== text.length) return text.replaceAll(fragment, MARK);
  const parts: string[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), MARK);
    from = at + wanted.length;
  }
  return parts.join('') + text.slice(from);
};

export interface HandoffUntil {
  readonly url?: string | undefined;
  readonly text?: string | undefined;
  readonly selector?: string | undefined;
}

interface HandoffContext {
  readonly browser: Browser;
  readonly session: Session;
  readonly tab: Tab;
  readonly waiting: Waiting;
  readonly elicit?: Elicit | undefined;
  readonly signal: AbortSignal;
  readonly job: Job;
  /** Returns the URL to open; throws if it is not allowed. */
  readonly allowAddress: (url: string) => Promise<string>;
}

interface HandoffOptions {
  readonly reason: string;
  readonly until?: HandoffUntil | undefined;
  readonly timeoutMs: number;
}

/** Addresses are without query and fragment, because forms put typed text there. */
export interface HandoffResult {
  readonly outcome: WaitingOutcome;
  readonly waited_ms: number;
  readonly url: string;
  readonly url_before?: string;
  readonly title: string;
  readonly title_before?: string;
  /** Sites that set new HttpOnly cookies, as most logins do. */
  readonly logins_gained?: readonly string[];
  /** Number of requests per host. */
  readonly requests?: Readonly<Record<string, number>>;
  readonly new_tabs?: number;
}

export const handOff = async (
  context: HandoffContext,
  { reason, until, timeoutMs }: HandoffOptions,
): Promise<HandoffResult> => {
  const { tab, session, waiting, signal, elicit, job } = context;
  const startedAt = monotonicMs();
  await openFormerPage(context);
  await job.append(PAGES, { url: tab.url });
  const before = await takeState(context);
  using typed = await TypedText.watch(tab);
  const met = new AbortController();
  const watching = new AbortController();
  if (until) void followCondition(tab, until, AbortSignal.any([signal, watching.signal]), met);
  const draft = {
    kind: 'handoff' as const,
    ...{ reason, session: session.name, tabId: tab.id, url: shortenUrl(tab.url) },
    ...defined({ taskId: job.taskId, until: ifDefined(until, describeUntil) }),
  };
  const { outcome } = await waiting
    .wait(draft, {
      timeoutMs,
      signal: AbortSignal.any([signal, met.signal]),
      elicit,
      onAbort: () => (met.signal.aborted ? 'until' : 'withdrawn'),
    })
    .finally(() => watching.abort());
  if (outcome === 'withdrawn') signal.throwIfAborted();
  await waitForLoad(tab, 'load', LOAD_MS, signal).catch(() => {}); // reports the page as it is
  const after = await takeState(context, before.cursor);
  const changes = withoutTyped(compare(before, after), typed);
  return { outcome, waited_ms: Math.round(monotonicMs() - startedAt), ...changes };
};

/** The working file of a hand-off: the page that it is about. */
const PAGES = 'handoff.jsonl';

/** Continues a hand-off whose server has ended: opens the page that it was about. */
const openFormerPage = async (context: HandoffContext): Promise<void> => {
  const { tab, job, allowAddress, signal } = context;
  const url = await ifDefined(job.previous, findFormerUrl);
  if (url === undefined || url === tab.url) return;
  const wait = { until: 'load', patienceMs: LOAD_MS, signal } as const;
  await navigateTo(tab, await allowAddress(url), wait);
};

const findFormerUrl = async (files: KeptFiles): Promise<string | undefined> => {
  let last: string | undefined;
  for await (const entry of files.entries(PAGES)) {
    const url = getField(entry, 'url');
    if (typeof url === 'string') last = url;
  }
  return last;
};

type HandoffChanges = Omit<HandoffResult, 'outcome' | 'waited_ms'>;

/** Pages put typed text into titles, paths and host names. */
const withoutTyped = (changes: HandoffChanges, typed: TypedText): HandoffChanges => ({
  ...changes,
  url: typed.redact(changes.url),
  title: typed.redact(changes.title),
  ...defined({
    logins_gained: changes.logins_gained?.map((site) => typed.redact(site)),
    requests: ifDefined(changes.requests, (counts) => mapKeys(counts, (key) => typed.redact(key))),
  }),
});

const mapKeys = <T>(
  record: Readonly<Record<string, T>>,
  map: (key: string) => string,
): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [map(key), value]));

interface TabState {
  readonly url: string;
  readonly title: string;
  readonly tabs: number;
  readonly cursor: number;
  readonly loginCookies: ReadonlyMap<string, string>;
  readonly requests: Readonly<Record<string, number>>;
}

const takeState = async (context: HandoffContext, since?: number): Promise<TabState> => {
  const { browser, session, tab, signal } = context;
  const cookies = await browser.readCookies(session, signal);
  return {
    url: shortenUrl(tab.url),
    title: readTitle(tab),
    tabs: session.tabs.size,
    cursor: session.traffic.cursor,
    loginCookies: new Map(
      cookies
        .filter(({ httpOnly }) => httpOnly)
        .map(({ domain, name, path }) => [`${domain} ${path} ${name}`, domain.replace(/^\./, '')]),
    ),
    requests: since === undefined ? {} : countRequests(session, since),
  };
};

const countRequests = (session: Session, since: number): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const { sequence, record } of session.traffic.requests())
    if (sequence > since) addCount(counts, parseUrl(record.url)?.host ?? '');
  counts.delete('');
  return Object.fromEntries(counts);
};

const compare = (before: TabState, after: TabState): HandoffChanges => {
  const gained = [...after.loginCookies]
    .filter(([key]) => !before.loginCookies.has(key))
    .map(([, site]) => site);
  return defined({
    url: after.url,
    url_before: before.url === after.url ? undefined : before.url,
    title: after.title,
    title_before: before.title === after.title ? undefined : before.title,
    ...compact({
      logins_gained: [...new Set(gained)],
      new_tabs: Math.max(0, after.tabs - before.tabs),
    }),
    requests: Object.keys(after.requests).length > 0 ? after.requests : undefined,
  });
};

/** Chrome shows the URL as the title of a page without one; it may contain typed text. */
const readTitle = ({ title, url }: Tab): string => (url.includes(title) ? '' : title);

const shortenUrl = (url: string): string => {
  const parsed = parseUrl(url);
  return parsed && parsed.origin !== 'null' ? `${parsed.origin}${parsed.pathname}` : url;
};

const describeUntil = (until: HandoffUntil): string =>
  Object.entries(until)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value).slice(0, 200)}`)
    .join(', ');

/** How long the last page may take to load before it is described. */
const LOAD_MS = 3_000;
/** How long one attempt may take; the page may be replaced by another meanwhile. */
const ATTEMPT_MS = 60_000;
const RETRY_MS = 300;

/** Aborts `met` when all conditions are true. */
const followCondition = async (
  tab: Tab,
  until: HandoffUntil,
  signal: AbortSignal,
  met: AbortController,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      await waitForAll(tab, until, signal);
      return met.abort();
    } catch {
      // the page changed or did not respond: try again until the hand-off ends
      await sleep(RETRY_MS, signal).catch(() => {});
    }
  }
};

const waitForAll = async (
  tab: Tab,
  { url, text, selector }: HandoffUntil,
  signal: AbortSignal,
): Promise<void> => {
  if (url !== undefined) await waitForUrl(tab, url, ATTEMPT_MS, signal);
  if (text !== undefined) await waitForPage(tab, { text }, ATTEMPT_MS, signal);
  if (selector !== undefined) await waitForPage(tab, { selector }, ATTEMPT_MS, signal);
};
