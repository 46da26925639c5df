// Asks the user before a call or a page does something that the owner's policy does not allow by
// itself.
import type { SubmitRequest } from '../../browser/guard/effect-gate.ts';
import type { ConsentEffect } from '../../core/consent-rule.ts';
import { defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, type Deadline } from '../../core/time.ts';
import {
  type CallEffects,
  type ConsentPolicy,
  type ConsentVerdict,
  denyByPolicy,
  describeNeed,
  formatConsentHost,
} from '../../policy/consent-policy.ts';
import type { ApprovalsFile } from '../../store/consent/approvals-file.ts';
import type { Elicit, Waiting, WaitingResult } from './waiting.ts';

/** How long a question waits if the call has no timeout of its own; hosts give up after 60 s. */
const QUESTION_MS = 50_000;
/** No client waits for a background task. */
const TASK_QUESTION_MS = 10 * 60_000;
/** Reserved for the reply, so that it names the missing answer and not a timeout. */
const REPLY_MS = 300;

/** The part of the owner's policy that the pipeline uses without loading this file. */
export type ConsentRules = Pick<ConsentPolicy, 'restricts' | 'findDenial'>;

/** A call, or a page that does something without a call. */
export interface ConsentSource {
  /** Empty for a page. */
  readonly tool: string;
  readonly session: string | undefined;
  readonly tabId?: string | undefined;
  /** The URL of the tab's page, without secrets. */
  readonly url?: string | undefined;
  /** The arguments of the call as a short text, without secrets. */
  readonly detail?: string;
  readonly signal: AbortSignal;
  readonly deadline?: Deadline;
  /** The client set the deadline, so that it also limits the question. */
  readonly hasTimeout?: boolean;
  readonly isTask?: boolean;
  readonly elicit?: Elicit | undefined;
  readonly onQuestion?: () => void;
}

interface ConsentParts {
  readonly policy: ConsentPolicy;
  readonly waiting: Waiting;
  readonly approvals: ApprovalsFile;
  /** Records a decision that needed no question. */
  readonly record: (decision: object) => void;
}

export class Consent {
  readonly #parts: ConsentParts;
  /** The running call of each tab. */
  readonly #calls = new Map<string, ConsentCall>();
  /** Questions that are open now, by what they are about. */
  readonly #asking = new Map<string, Promise<void>>();

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /** Registers a call: requests and downloads of its tab belong to it until it is disposed. */
  begin(source: ConsentSource): ConsentCall {
    const { tabId } = source;
    const call = new ConsentCall(this, source, () => {
      if (tabId !== undefined && this.#calls.get(tabId) === call) this.#calls.delete(tabId);
    });
    if (tabId !== undefined) this.#calls.set(tabId, call);
    return call;
  }

  /** Judges a submit or a download of a page; a denial is reported to the call of its tab. */
  async judgePage(
    effect: 'submit' | 'download',
    { url, pages, tabIds, session }: Omit<SubmitRequest, 'method'>,
  ): Promise<boolean> {
    const running = tabIds.map((id) => this.#calls.get(id)).find((call) => call !== undefined);
    const call =
      running ??
      new ConsentCall(this, {
        tool: '',
        session,
        ...defined({ tabId: tabIds[0], url: pages[0] }),
        signal: new AbortController().signal,
      });
    const urls = [...new Set([url, ...pages])].filter((one) => /^https?:/i.test(one));
    // A page may submit without an action of the agent, so rules about `act` do not apply.
    const effects: CallEffects = { base: 'read', special: [effect] };
    return call.track(call.require(effects, urls.length > 0 ? urls : [url]));
  }

  judge(
    source: ConsentSource,
    effects: CallEffects,
    urls: readonly string[],
  ): readonly ConsentVerdict[] {
    const { tool, session } = source;
    return this.#parts.policy.judge({ tool, session, ...effects }, urls);
  }

  /** Whether the user approved it before. */
  async isStored(
    { tool, session = '' }: ConsentSource,
    { effect, url }: ConsentVerdict,
  ): Promise<boolean> {
    const need = { effect, host: formatConsentHost(url), tool, session };
    return (await this.#parts.approvals.find(need)) !== undefined;
  }

  /** Throws unless a stored approval or the user's answer allows it. */
  async ask(source: ConsentSource, verdict: ConsentVerdict): Promise<void> {
    const { effect } = verdict;
    const host = formatConsentHost(verdict.url);
    const { tool, session = '' } = source;
    const need = { effect, host, tool, session };
    const key = JSON.stringify(need);
    // Two calls that need the same approval ask one question after the other.
    for (let other = this.#asking.get(key); other; other = this.#asking.get(key))
      await abortable(other, source.signal);
    const stored = await this.#parts.approvals.find(need);
    if (stored) return this.#parts.record({ ...need, outcome: 'approved', by: stored.id });
    const question = this.#question(source, verdict, host);
    const settled = question.then(
      () => {},
      () => {},
    );
    this.#asking.set(key, settled);
    try {
      await question;
    } finally {
      this.#asking.delete(key);
    }
  }

  async #question(source: ConsentSource, verdict: ConsentVerdict, host: string): Promise<void> {
    const { effect, forTool } = verdict;
    const { tool, session = '', tabId, url, detail, elicit, signal } = source;
    const { timeoutMs, clock } = startQuestion(source);
    const draft = {
      kind: 'approval' as const,
      ...{ effect, tool, host, session },
      ...defined({ tabId, url }),
      summary: describeNeed(tool, effect, host, detail),
    };
    source.onQuestion?.();
    const result = await this.#parts.waiting
      .wait(draft, { timeoutMs, signal, elicit })
      .finally(() => clock?.[Symbol.dispose]());
    if (result.outcome !== 'approved') throw refuse(source, effect, host, { result, timeoutMs });
    const { scope, by } = result;
    if (scope === 'once') return;
    await this.#parts.approvals.add({
      ...{ effect, host, scope, by },
      ...defined({
        tool: forTool ? tool : undefined,
        session: scope === 'session' ? session : undefined,
      }),
    });
  }
}

/** The consent of one call: what was approved for it, and what was denied during it. */
export class ConsentCall implements Disposable {
  readonly #consent: Consent;
  readonly #source: ConsentSource;
  readonly #end: () => void;
  /** Rule and host of each approval: each rule needs one approval per call. */
  readonly #granted = new Set<string>();
  readonly #pending = new Set<Promise<unknown>>();
  #denial: unknown;

  constructor(consent: Consent, source: ConsentSource, end: () => void = () => {}) {
    this.#consent = consent;
    this.#source = source;
    this.#end = end;
  }

  /** Throws if the policy or the user denies one of the effects on one of the URLs. */
  async require(effects: CallEffects, urls: readonly string[]): Promise<void> {
    const verdicts = this.#consent.judge(this.#source, effects, urls);
    const denied = verdicts.find(({ decision }) => decision === 'deny');
    if (denied) throw denyByPolicy(this.#source.tool, denied);
    for (const verdict of verdicts) {
      if (verdict.decision !== 'ask' || this.#granted.has(keyOf(verdict))) continue;
      await this.#consent.ask(this.#source, verdict);
      this.#granted.add(keyOf(verdict));
    }
  }

  /** Whether no question is needed. */
  covers(effects: CallEffects, urls: readonly string[]): boolean {
    return this.#consent
      .judge(this.#source, effects, urls)
      .every(
        (verdict) =>
          verdict.decision === 'allow' ||
          (verdict.decision === 'ask' && this.#granted.has(keyOf(verdict))),
      );
  }

  /** Returns true if no approval is needed, or if a stored approval applies. */
  async isAllowed(effects: CallEffects, urls: readonly string[]): Promise<boolean> {
    if (this.covers(effects, urls)) return true;
    const verdicts = this.#consent.judge(this.#source, effects, urls);
    if (verdicts.some(({ decision }) => decision === 'deny')) return false;
    for (const verdict of verdicts) {
      const isKnown = verdict.decision === 'allow' || this.#granted.has(keyOf(verdict));
      if (!isKnown && !(await this.#consent.isStored(this.#source, verdict))) return false;
    }
    return true;
  }

  /** The failure if the policy denies it, without a question. */
  findDenial(effects: CallEffects, urls: readonly string[]): Failure | undefined {
    const denied = this.#consent
      .judge(this.#source, effects, urls)
      .find(({ decision }) => decision === 'deny');
    return denied && denyByPolicy(this.#source.tool, denied);
  }

  /** Follows a question about a request of the page; resolves with the answer. */
  async track(question: Promise<void>): Promise<boolean> {
    this.#pending.add(question);
    try {
      await question;
      return true;
    } catch (error) {
      this.#denial ??= error;
      return false;
    } finally {
      this.#pending.delete(question);
    }
  }

  /** Waits for the questions that the call caused; throws the first denial. */
  async settle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.requireNoDenial();
  }

  requireNoDenial(): void {
    if (this.#denial !== undefined) throw this.#denial;
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

/** The clock of the call stands still while the user decides, unless the client set it. */
const startQuestion = ({
  deadline,
  hasTimeout = false,
  isTask = false,
}: ConsentSource): { readonly timeoutMs: number; readonly clock?: Disposable } => {
  if (deadline && hasTimeout) return { timeoutMs: Math.max(0, deadline.remainingMs - REPLY_MS) };
  const timeoutMs = isTask ? TASK_QUESTION_MS : QUESTION_MS;
  return defined({ timeoutMs, clock: deadline?.pause() });
};

const keyOf = ({ rule, url }: ConsentVerdict): string => `${rule} ${formatConsentHost(url)}`;

const refuse = (
  { tool }: ConsentSource,
  effect: ConsentEffect,
  host: string,
  {
    result: { outcome },
    timeoutMs,
  }: { readonly result: WaitingResult; readonly timeoutMs: number },
): Failure => {
  const need = describeNeed(tool, effect, host);
  const why =
    outcome === 'denied'
      ? 'The user did not allow it'
      : `The user did not answer within ${Math.round(timeoutMs)} ms`;
  return fail('consent_denied', `${why}: ${need}.`, { effect, host, reason: outcome });
};
