// The owner's rules about the effects of calls (allow, ask or deny), and texts about them. Pure.
import type { ConsentDecision, ConsentEffect, ConsentRule } from '../core/consent-rule.ts';
import { fail, type Failure } from '../core/failure.ts';
import { parseUrl } from '../core/text.ts';
import { DomainPolicy, parseDomains } from './domains.ts';

/** The effects of a call: its own, and the special ones that it has in addition. */
export interface CallEffects {
  readonly base: 'read' | 'act';
  readonly special: readonly ConsentEffect[];
  /** The reply of the action can contain parts of the page. */
  readonly readsPage?: boolean;
}

export interface ConsentFacts extends CallEffects {
  /** Empty for a request that no call caused. */
  readonly tool: string;
  /** Undefined if it is unknown: rules for sessions that ask or deny then apply. */
  readonly session: string | undefined;
}

export interface ConsentVerdict {
  readonly decision: ConsentDecision;
  readonly effect: ConsentEffect;
  /** The URL that the rule matched; undefined if the call concerns no page with a host. */
  readonly url: string | undefined;
  /** Position of the rule; -1 if no rule matched. */
  readonly rule: number;
  /** Set if the rule applies only to some tools. */
  readonly forTool: boolean;
  readonly isReadOnly: boolean;
}

interface ParsedRule extends ConsentRule {
  /** Undefined if the rule applies to all hosts. */
  readonly hosts: DomainPolicy | undefined;
  readonly isReadOnly: boolean;
}

/** The URL of a call that concerns all hosts, such as the export of all cookies. */
export const EVERY_HOST = '*';

/** `--read-only` as a rule, before those of the owner. */
const READ_ONLY: ConsentRule = { decision: 'deny', effect: 'act' };

/** The default in the user's own Chrome, because agents act with the user's logins there. */
export const OWN_CHROME_RULES: readonly ConsentRule[] = [
  { decision: 'ask', effect: 'submit' },
  { decision: 'ask', effect: 'upload' },
  { decision: 'ask', effect: 'script' },
  { decision: 'ask', effect: 'cookies' },
];

export class ConsentPolicy {
  readonly #rules: readonly ParsedRule[];

  /** Throws for an invalid domain or an unknown tool: a rule must not be ignored. */
  constructor(
    rules: readonly ConsentRule[],
    { readOnly = false, tools }: { readonly readOnly?: boolean; readonly tools: readonly string[] },
  ) {
    const own = rules.map((rule) => parseRule(rule, tools));
    const first: ParsedRule = { ...READ_ONLY, hosts: undefined, isReadOnly: true };
    this.#rules = readOnly ? [first, ...own] : own;
  }

  /** Whether a rule asks or denies; without such a rule nothing is judged. */
  get restricts(): boolean {
    return this.#rules.some(({ decision }) => decision !== 'allow');
  }

  /** Whether requests with this effect must be intercepted. */
  intercepts(effect: 'submit' | 'download'): boolean {
    return this.#rules.some(
      (rule) => rule.decision !== 'allow' && (rule.effect === undefined || rule.effect === effect),
    );
  }

  /**
   * One verdict per effect and URL. A URL without a host matches only rules without domains. An
   * action also reads the page, so that `deny read` covers the replies of actions.
   */
  judge(facts: ConsentFacts, urls: readonly string[]): readonly ConsentVerdict[] {
    const places = urls.length > 0 ? urls : [undefined];
    return listEffects(facts).flatMap((effect) =>
      places.map((url) => this.#judgeOne(facts, effect, url)),
    );
  }

  /** The rule that denies the call on every page, so that no page has to be opened to know it. */
  findDenial(facts: ConsentFacts): ConsentVerdict | undefined {
    for (const effect of listEffects(facts)) {
      const rule = this.#rules.find((candidate) => appliesTo(candidate, facts, effect));
      if (rule?.decision === 'deny' && !rule.hosts) return this.#verdict(rule, effect, undefined);
    }
    return undefined;
  }

  #judgeOne(facts: ConsentFacts, effect: ConsentEffect, url: string | undefined): ConsentVerdict {
    const rule = this.#rules.find(
      (candidate) => appliesTo(candidate, facts, effect) && matchesUrl(candidate, url),
    );
    return this.#verdict(rule, effect, url);
  }

  #verdict(
    rule: ParsedRule | undefined,
    effect: ConsentEffect,
    url: string | undefined,
  ): ConsentVerdict {
    return {
      decision: rule?.decision ?? 'allow',
      effect,
      url,
      rule: rule ? this.#rules.indexOf(rule) : -1,
      forTool: rule?.tools !== undefined,
      isReadOnly: rule?.isReadOnly ?? false,
    };
  }
}

const listEffects = ({ base, special, readsPage }: CallEffects): readonly ConsentEffect[] => {
  const own = special.length > 0 ? special : [base];
  return readsPage && base === 'act' ? [...own, 'read'] : own;
};

const parseRule = (rule: ConsentRule, tools: readonly string[]): ParsedRule => {
  const unknown = rule.tools?.find((name) => !tools.includes(name));
  if (unknown !== undefined)
    throw fail('invalid_argument', `policy: there is no tool "${unknown.slice(0, 100)}".`, {
      argument: 'policy',
    });
  const block = rule.domains && parseDomains(rule.domains, 'policy');
  return { ...rule, hosts: block && new DomainPolicy({ block }), isReadOnly: false };
};

const appliesTo = (
  { effect, decision, tools, sessions }: ParsedRule,
  facts: ConsentFacts,
  judged: ConsentEffect,
): boolean => {
  if (tools && !tools.includes(facts.tool)) return false;
  if (sessions && !sessions.includes(facts.session ?? '')) {
    if (facts.session !== undefined || decision === 'allow') return false;
  }
  if (effect === undefined || effect === judged) return true;
  // A special effect is also the base effect, so that `deny act` denies scripts and uploads.
  // `allow act` does not allow them: a later rule may name the special effect.
  return effect === facts.base && decision !== 'allow';
};

const matchesUrl = ({ hosts, decision }: ParsedRule, url: string | undefined): boolean => {
  if (!hosts) return true;
  if (url === EVERY_HOST) return decision !== 'allow';
  return url !== undefined && hosts.judgeUrl(url)?.reason === 'blocked';
};

// Texts about consent: what a call wants to do, and the failure if the owner's policy denies it.

const MAX_DETAIL_CHARS = 200;

/** Host and port; empty for a page without a host. */
export const formatConsentHost = (url: string | undefined): string => {
  if (url === undefined || url === EVERY_HOST) return url ?? '';
  return parseUrl(url)?.host ?? '';
};

const VERBS: Readonly<Record<ConsentEffect, string>> = {
  read: 'open or read pages of',
  act: 'act on',
  submit: 'submit a form on',
  download: 'download a file from',
  upload: 'give a file to',
  script: 'run JavaScript on',
  cookies: 'use cookies and storage of',
};

const nameHost = (host: string): string => {
  if (host === EVERY_HOST) return 'all sites';
  return host === '' ? 'a page without a host' : host;
};

/** `tool` is empty for a page; `detail` are the arguments of the call as a short text. */
export const describeNeed = (
  tool: string,
  effect: ConsentEffect,
  host: string,
  detail = '',
): string => {
  const line = `${tool || 'A page'} wants to ${VERBS[effect]} ${nameHost(host)}`;
  return detail === '' ? line : `${line}: ${detail.slice(0, MAX_DETAIL_CHARS)}`;
};

export const denyByPolicy = (
  tool: string,
  { effect, url, isReadOnly }: ConsentVerdict,
): Failure => {
  if (isReadOnly)
    return fail('tool_not_allowed', `${tool} acts, and this server is read-only.`, {
      hint: 'Use tools that read, or open another page.',
    });
  const host = formatConsentHost(url);
  return fail(
    'consent_denied',
    `The owner's policy denies this: ${describeNeed(tool, effect, host)}.`,
    { effect, host, reason: 'policy' },
  );
};
