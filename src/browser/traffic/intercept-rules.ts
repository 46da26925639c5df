// A caller's rules for a tab's requests: block, mock the response, or change headers.
import { ifDefined } from '../../core/defined.ts';
import { getOrCreate } from '../../core/collections.ts';
import type { Tab } from '../tabs/tab.ts';
import type {
  HeaderChanges,
  PausedRequest,
  Registration,
  ResourceType,
  InterceptVerdict,
} from './intercept-handler.ts';
import { toUrlMatcher } from './request-match.ts';

export interface MockResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Header changes of several rules are combined; for block and mock, the newest rule wins. */
export type RuleAction =
  | { readonly kind: 'block' }
  | { readonly kind: 'mock'; readonly answer: MockResponse }
  | { readonly kind: 'headers'; readonly request: HeaderChanges; readonly response: HeaderChanges };

export interface RuleOptions {
  /** `*` matches any text. Without `*`, a full URL must be equal; other text must be contained. */
  readonly url: string;
  readonly method?: string;
  readonly resourceTypes?: readonly ResourceType[];
  /** The rule is inactive after this many requests. */
  readonly times?: number;
}

export interface InterceptRule extends RuleOptions {
  readonly id: string;
  readonly action: RuleAction;
  /** Number of requests that the rule was applied to. */
  readonly hits: number;
}

type ActiveRule = InterceptRule & {
  hits: number;
  readonly pattern: string;
  readonly matches: (url: string) => boolean;
};

const ofTab = new WeakMap<Tab, InterceptRules>();

/** The rules of a tab, with the lifetime of the tab. */
export const getInterceptRules = (tab: Tab): InterceptRules => {
  return getOrCreate(ofTab, tab, () => new InterceptRules(tab));
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

  /** Resolves when every later request is checked against the rule. */
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

  /** Removes one rule, or all; returns the number of removed rules. */
  async remove(id?: string): Promise<number> {
    const before = this.#rules.length;
    this.#rules = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id);
    await this.#register();
    return before - this.#rules.length;
  }

  /** Registers one handler per stage, before the old ones are removed. */
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
      name: 'rules',
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
  const headers = combineChanges(concerned, 'request');
  return ifDefined(headers, (headers) => ({ action: 'continueWith', headers }));
};

const changeResponse = (
  rules: readonly ActiveRule[],
  request: PausedRequest,
): InterceptVerdict | undefined => {
  // the request failed without a response
  if (request.status === undefined) return undefined;
  const responseHeaders = combineChanges(
    rules.filter((rule) => concerns(rule, request)).toReversed(),
    'response',
  );
  return ifDefined(responseHeaders, (responseHeaders) => ({
    action: 'continueWith',
    responseHeaders,
  }));
};

/** Combines the changes of all rules; the newest rule wins. */
const combineChanges = (
  newestFirst: readonly ActiveRule[],
  part: 'request' | 'response',
): HeaderChanges | undefined => {
  const changes = new Map<string, [string, string | null]>();
  for (const rule of newestFirst.toReversed()) {
    if (rule.action.kind !== 'headers') continue;
    // A rule for both stages counts a request once, at the request stage.
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
  // A rule for both stages must not become inactive between the two.
  const spent =
    rule.hits -
    (stage === 'response' && rule.action.kind === 'headers' && hasAny(rule.action.request) ? 1 : 0);
  if (rule.times !== undefined && spent >= rule.times) return false;
  const asked = isPreflight(method, headers)
    ? findHeader(headers, 'access-control-request-method')
    : method;
  if (rule.method !== undefined && rule.method.toUpperCase() !== asked) return false;
  return (
    rule.resourceTypes?.some((type) => (type === 'Fetch' ? 'XHR' : type) === resourceType) ?? true
  );
};

type RuleHeaders = Readonly<Record<string, string>>;

/**
 * Adds CORS headers to a mocked response, so that other origins may read it, unless the caller set
 * them.
 */
const answerTo = ({ method, headers }: PausedRequest, answer: MockResponse): MockResponse => {
  const origin = findHeader(headers, 'origin');
  if (
    origin === undefined ||
    findHeader(answer.headers, 'access-control-allow-origin') !== undefined
  )
    return answer;
  const open = {
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'origin',
  };
  if (!isPreflight(method, headers)) return { ...answer, headers: { ...open, ...answer.headers } };
  const allowed = {
    'access-control-allow-methods': findHeader(headers, 'access-control-request-method') ?? '*',
    'access-control-allow-headers': findHeader(headers, 'access-control-request-headers') ?? '*',
  };
  return { status: 204, headers: { ...open, ...allowed }, body: '' };
};

const isPreflight = (method: string, headers: RuleHeaders): boolean =>
  method === 'OPTIONS' && findHeader(headers, 'access-control-request-method') !== undefined;

const findHeader = (headers: RuleHeaders, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

/**
 * Converts to Chrome's pattern syntax; a `?` in the URL is escaped, because it is a wildcard there.
 */
const toPattern = (url: string): string => {
  const literal = url.replace(/[\\?]/g, '\\$&');
  return url.includes('*') || /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? literal : `*${literal}*`;
};
