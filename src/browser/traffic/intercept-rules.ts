// What a caller wants done with a tab's requests: blocked, answered without the server, or sent
// with other headers.
import type { Tab } from '../tabs/tab.ts';
import type {
  HeaderChanges,
  PausedRequest,
  Registration,
  ResourceType,
  InterceptVerdict,
} from './intercept-handler.ts';
import { toUrlMatcher } from './url-pattern.ts';

export interface MadeUpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What is done; header changes of several rules add up, of blocks and answers the newest rule
 * decides.
 */
export type RuleAction =
  | { readonly kind: 'block' }
  | { readonly kind: 'mock'; readonly answer: MadeUpAnswer }
  | { readonly kind: 'headers'; readonly request: HeaderChanges; readonly response: HeaderChanges };

export interface RuleOptions {
  /**
   * With `*` for any text; without one a full address means itself, anything else what contains it.
   */
  readonly url: string;
  readonly method?: string;
  readonly resourceTypes?: readonly ResourceType[];
  /** After so many requests the rule rests. */
  readonly times?: number;
}

export interface InterceptRule extends RuleOptions {
  readonly id: string;
  readonly action: RuleAction;
  /** How many requests it was applied to. */
  readonly hits: number;
}

type ActiveRule = InterceptRule & {
  hits: number;
  readonly pattern: string;
  readonly matches: (url: string) => boolean;
};

const ofTab = new WeakMap<Tab, InterceptRules>();

/** The rules of a tab; they last as long as it does. */
export const getInterceptRules = (tab: Tab): InterceptRules => {
  let rules = ofTab.get(tab);
  if (!rules) ofTab.set(tab, (rules = new InterceptRules(tab)));
  return rules;
};

export class InterceptRules {
  readonly #tab: Tab;
  #rules: ActiveRule[] = [];
  #registrations: Registration[] = [];
  #last = 0;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  get all(): readonly InterceptRule[] {
    return this.#rules;
  }

  /** Settles when no request can slip by any more. */
  async add(options: RuleOptions, action: RuleAction): Promise<InterceptRule> {
    const pattern = toPattern(options.url);
    const rule: ActiveRule = {
      ...options,
      id: `r${++this.#last}`,
      action,
      hits: 0,
      pattern,
      matches: toUrlMatcher(pattern),
    };
    this.#rules = [...this.#rules, rule];
    await this.#register();
    return rule;
  }

  /** Takes out one rule, or all; returns how many there were. */
  async remove(id?: string): Promise<number> {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
    await this.#register();
    return before - this.#rules.length;
  }

  /**
   * One handler for each stage, however many rules: the new ones are in before the old ones are
   * out.
   */
  async #register(): Promise<void> {
    const old = this.#registrations;
    const early = this.#rules.filter(
      ({ action }) => action.kind !== 'headers' || hasAny(action.request),
    );
    const late = this.#rules.filter(
      ({ action }) => action.kind === 'headers' && hasAny(action.response),
    );
    this.#registrations = [this.#handle('request', early), this.#handle('response', late)].filter(
      (added) => added !== undefined,
    );
    await Promise.all(this.#registrations.map(({ ready }) => ready));
    await Promise.all(old.map((registration) => registration.remove()));
  }

  #handle(stage: PausedRequest['stage'], rules: readonly ActiveRule[]): Registration | undefined {
    if (rules.length === 0) return undefined;
    return this.#tab.interception.add({
      name: 'request_intercept',
      stage,
      patterns: [...new Set(rules.map(({ pattern }) => pattern))],
      onError: 'continue',
      handle: (request) =>
        stage === 'request' ? judge(rules, request) : changeResponse(rules, request),
    });
  }
}

const hasAny = (changes: HeaderChanges): boolean => Object.keys(changes).length > 0;

const judge = (
  rules: readonly ActiveRule[],
  request: PausedRequest,
): InterceptVerdict | undefined => {
  const concerned = rules.filter((rule) => concerns(rule, request)).toReversed();
  const deciding = concerned.find(({ action }) => action.kind !== 'headers');
  if (deciding) {
    deciding.hits++;
    return deciding.action.kind === 'mock'
      ? { action: 'fulfill', ...answerTo(request, deciding.action.answer) }
      : { action: 'fail', reason: 'BlockedByClient' };
  }
  const headers = sumOf(concerned, 'request');
  return headers ? { action: 'continueWith', headers } : undefined;
};

const changeResponse = (
  rules: readonly ActiveRule[],
  request: PausedRequest,
): InterceptVerdict | undefined => {
  if (request.status === undefined) return undefined; // it failed: there is nothing to change
  const responseHeaders = sumOf(
    rules.filter((rule) => concerns(rule, request)).toReversed(),
    'response',
  );
  return responseHeaders ? { action: 'continueWith', responseHeaders } : undefined;
};

/** The changes of all rules, the newest last, so that it wins. */
const sumOf = (
  newestFirst: readonly ActiveRule[],
  part: 'request' | 'response',
): HeaderChanges | undefined => {
  const changes = new Map<string, [string, string | null]>();
  for (const rule of newestFirst.toReversed()) {
    if (rule.action.kind !== 'headers') continue;
    // A rule for both stages counts a request once, at the first of them.
    if (part === 'request' || !hasAny(rule.action.request)) rule.hits++;
    for (const [name, value] of Object.entries(rule.action[part]))
      changes.set(name.toLowerCase(), [name, value]);
  }
  return changes.size === 0 ? undefined : Object.fromEntries(changes.values());
};

const concerns = (
  rule: ActiveRule,
  { url, method, resourceType, stage, headers }: PausedRequest,
): boolean => {
  if (!rule.matches(url)) return false;
  // A rule for both stages must not rest between the two.
  const spent =
    rule.hits -
    (stage === 'response' && rule.action.kind === 'headers' && hasAny(rule.action.request) ? 1 : 0);
  if (rule.times !== undefined && spent >= rule.times) return false;
  const asked = isPreflight(method, headers)
    ? headerOf(headers, 'access-control-request-method')
    : method;
  if (rule.method !== undefined && rule.method.toUpperCase() !== asked) return false;
  return (
    rule.resourceTypes?.some((type) => (type === 'Fetch' ? 'XHR' : type) === resourceType) ?? true
  );
};

type RuleHeaders = Readonly<Record<string, string>>;

/** A made-up answer; a page of another origin may read it, unless the caller has said who may. */
const answerTo = ({ method, headers }: PausedRequest, answer: MadeUpAnswer): MadeUpAnswer => {
  const origin = headerOf(headers, 'origin');
  if (origin === undefined || headerOf(answer.headers, 'access-control-allow-origin') !== undefined)
    return answer;
  const open = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'origin',
  };
  if (!isPreflight(method, headers)) return { ...answer, headers: { ...open, ...answer.headers } };
  const allowed = {
    'access-control-allow-methods': headerOf(headers, 'access-control-request-method') ?? '*',
    'access-control-allow-headers': headerOf(headers, 'access-control-request-headers') ?? '*',
  };
  return { status: 204, headers: { ...open, ...allowed }, body: '' };
};

const isPreflight = (method: string, headers: RuleHeaders): boolean =>
  method === 'OPTIONS' && headerOf(headers, 'access-control-request-method') !== undefined;

const headerOf = (headers: RuleHeaders, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

/** As Chrome understands it: a question mark of an address is no wildcard there. */
const toPattern = (url: string): string => {
  const literal = url.replace(/[\\?]/g, '\\$&');
  return url.includes('*') || /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? literal : `*${literal}*`;
};
