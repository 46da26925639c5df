// Questions that wait for the user: approvals and hand-offs, answered in this or another process.
import { defined } from '../../core/defined.ts';
import type { ApprovalScope } from '../../core/consent-rule.ts';
import { Events } from '../../core/events.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { createWaitingId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import { after, every, sleep } from '../../core/time.ts';
import { type Approval, ApprovalsFile } from '../../store/consent/approvals-file.ts';
import {
  type ListedWaiting,
  type WaitingAnswer,
  type WaitingApproval,
  type WaitingEnd,
  WaitingFiles,
  type WaitingHandoff,
  type WaitingItem,
} from '../../store/consent/waiting-files.ts';
import type { Journal } from '../../store/journal/journal.ts';

/** How often the answers of other processes are looked for, while a question is open. */
const LOOK_MS = 200;
/** How long the file of an ended question is kept, for the process that answered it. */
const KEEP_ENDED_MS = 5_000;
/** How long the process of a question may take to accept an answer. */
const ACCEPT_MS = 5_000;

type ItemDraft<Item extends WaitingItem> = Omit<Item, 'id' | 'since' | 'expiresAt' | 'pid'>;
export type WaitingDraft = ItemDraft<WaitingApproval> | ItemDraft<WaitingHandoff>;

export interface WaitingResult extends WaitingEnd {
  readonly scope: ApprovalScope;
}

/** A client that can put a question to the user; undefined if it gives no answer. */
export type Elicit = (
  item: WaitingItem,
  signal: AbortSignal,
) => Promise<Pick<WaitingAnswer, 'outcome' | 'scope'> | undefined>;

interface AnswerOptions {
  readonly timeoutMs: number;
  /** Aborts if the call ends or a condition makes the question obsolete. */
  readonly signal: AbortSignal;
  readonly elicit?: Elicit | undefined;
  /** The outcome if the signal aborts. */
  readonly onAbort?: () => WaitingEnd['outcome'];
}

interface OpenItem {
  readonly item: WaitingItem;
  readonly settle: (result: WaitingResult) => void;
}

interface WaitingParts {
  readonly home: Home;
  readonly log: Log;
  readonly journal: Pick<Journal, 'append'>;
}

export class Waiting {
  readonly events = new Events<{
    added: WaitingItem;
    ended: WaitingEnd & { readonly item: WaitingItem };
  }>();
  readonly #parts: WaitingParts;
  readonly #files: WaitingFiles;
  readonly #approvals: ApprovalsFile;
  readonly #open = new Map<string, OpenItem>();
  #looking: Disposable | undefined;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
    this.#files = new WaitingFiles(parts.home.waiting);
    this.#approvals = new ApprovalsFile(parts.home);
  }

  /** The open questions of all servers of this home. */
  async list(): Promise<readonly WaitingItem[]> {
    const listed = await this.#files.list();
    return listed.filter(({ isInterrupted }) => !isInterrupted).map(({ item }) => item);
  }

  /** The open questions, and hand-offs whose server ended while they waited. */
  listAll(): Promise<readonly ListedWaiting[]> {
    return this.#files.list();
  }

  /** Removes a hand-off whose server ended and returns it; throws `waiting_not_found`. */
  async takeInterrupted(id: string, outcome: 'continued' | 'dismissed'): Promise<WaitingHandoff> {
    const item = await this.#files.takeInterrupted(id);
    if (!item)
      throw fail('waiting_not_found', `No interrupted hand-off has the id "${id.slice(0, 40)}".`);
    this.#record(item, outcome);
    this.events.emit('ended', { item, outcome: 'withdrawn', by: 'server' });
    return item;
  }

  /** Opens a question and waits for its end: an answer, the timeout, or the signal. */
  async wait(draft: WaitingDraft, options: AnswerOptions): Promise<WaitingResult> {
    const since = Date.now();
    const item: WaitingItem = {
      ...draft,
      id: createWaitingId(),
      since,
      expiresAt: since + options.timeoutMs,
      pid: process.pid,
    };
    const ending = new AbortController();
    const result = await this.#untilEnded(item, options, ending.signal);
    ending.abort();
    await this.#close(item, result);
    return result;
  }

  async #untilEnded(
    item: WaitingItem,
    { timeoutMs, signal, elicit, onAbort = () => 'withdrawn' }: AnswerOptions,
    ended: AbortSignal,
  ): Promise<WaitingResult> {
    const answered = new Promise<WaitingResult>((settle) =>
      this.#open.set(item.id, { item, settle }),
    );
    const end = (outcome: WaitingEnd['outcome']): void =>
      this.#open.get(item.id)?.settle({ outcome, by: 'server', scope: 'once' });
    const abort = (): void => end(onAbort());
    using _timer = after(timeoutMs, () => end('timeout'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    await this.#publish(item);
    if (elicit) void this.#elicit(item, elicit, AbortSignal.any([signal, ended]));
    const result = await answered;
    signal.removeEventListener('abort', abort);
    return result;
  }

  async #publish(item: WaitingItem): Promise<void> {
    // A full disk hides the question from other processes only.
    await this.#files
      .write(item)
      .catch((error: unknown) => this.#parts.log.warn('a question cannot be stored', error));
    this.#record(item, 'waiting');
    this.events.emit('added', item);
    this.#looking ??= every(LOOK_MS, () => this.#look());
  }

  async #elicit(item: WaitingItem, elicit: Elicit, signal: AbortSignal): Promise<void> {
    const answer = await elicit(item, signal).catch(() => undefined); // other ways stay open
    if (answer) this.#settleOwn(item.id, { ...answer, by: 'client' });
  }

  /** Takes the answers that other processes left. */
  async #look(): Promise<void> {
    for (const id of this.#open.keys()) {
      const answer = await this.#files.takeAnswer(id);
      if (answer) this.#settleOwn(id, answer);
    }
  }

  /** False if this process has no such question, or if the answer does not fit it. */
  #settleOwn(id: string, answer: WaitingAnswer): boolean {
    const open = this.#open.get(id);
    if (!open || !fits(open.item, answer)) return false;
    open.settle(answer);
    return true;
  }

  async #close(item: WaitingItem, { outcome, by, scope }: WaitingResult): Promise<void> {
    this.#open.delete(item.id);
    if (this.#open.size === 0) {
      this.#looking?.[Symbol.dispose]();
      this.#looking = undefined;
    }
    const end = { outcome, by };
    this.#record(item, outcome, defined({ by, scope: outcome === 'approved' ? scope : undefined }));
    this.events.emit('ended', { item, ...end });
    await this.#files.write(item, end).catch(() => {}); // the file is removed below anyway
    after(KEEP_ENDED_MS, () => void this.#files.remove(item.id));
  }

  #record(item: WaitingItem, outcome: string, more: object = {}): void {
    const { kind, id, session, tabId } = item;
    const about =
      item.kind === 'approval'
        ? { tool: item.tool || 'page', effect: item.effect, host: item.host }
        : { reason: item.reason.slice(0, 200) };
    this.#parts.journal.append({
      ts: Date.now(),
      event: kind,
      ...defined({ id, session, tabId, outcome, ...about, ...more }),
    });
  }

  /** Answers an approval; throws `waiting_not_found` if it is not open. */
  answer(
    id: string,
    { allow, scope = 'once' }: { readonly allow: boolean; readonly scope?: ApprovalScope },
    by: WaitingAnswer['by'],
  ): Promise<void> {
    return this.#send(id, { outcome: allow ? 'approved' : 'denied', scope, by });
  }

  /** Ends a hand-off; throws `waiting_not_found` if it is not open. */
  finishHandoff(id: string, outcome: 'done' | 'cant', by: WaitingAnswer['by']): Promise<void> {
    return this.#send(id, { outcome, scope: 'once', by });
  }

  async #send(id: string, answer: WaitingAnswer): Promise<void> {
    if (this.#settleOwn(id, answer)) return;
    const file = await this.#files.find(id);
    if (!file || this.#open.has(id) || !fits(file.item, answer)) throw notFound(id, answer);
    if (file.ended) throw endedBefore(id, file.ended);
    if (await this.#files.isInterrupted(file)) throw interrupted(id);
    await this.#files.sendAnswer(id, answer);
    const end = await this.#awaitEnd(id);
    if (end?.outcome === answer.outcome && end.by === answer.by) return;
    await this.#files.remove(id); // the process does not read it, or has ended
    throw end ? endedBefore(id, end) : notFound(id, answer);
  }

  /** Waits until the process of the question has accepted the answer. */
  async #awaitEnd(id: string): Promise<{ outcome: string; by: string } | undefined> {
    const until = Date.now() + ACCEPT_MS;
    while (Date.now() < until) {
      const file = await this.#files.find(id);
      if (!file || file.ended) return file?.ended;
      await sleep(LOOK_MS / 2);
    }
    return undefined;
  }

  /** Decisions of the user that apply to later calls. */
  approvals(): Promise<readonly Approval[]> {
    return this.#approvals.list();
  }

  /** Throws `waiting_not_found` if no approval has this id. */
  async revoke(id: string): Promise<Approval> {
    const removed = await this.#approvals.remove(id);
    if (!removed)
      throw fail('waiting_not_found', `No approval has the id "${id.slice(0, 40)}".`, {
        hint: 'List them with "openchrome approvals".',
      });
    const { effect, host, scope } = removed;
    this.#parts.journal.append({ ts: Date.now(), event: 'revoked', id, effect, host, scope });
    return removed;
  }

  /** Ends all questions of this process. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { settle } of open) settle({ outcome: 'withdrawn', by: 'server', scope: 'once' });
    await Promise.all(open.map(({ item }) => this.#files.remove(item.id)));
  }
}

const OUTCOMES_BY_KIND: Readonly<Record<WaitingItem['kind'], readonly string[]>> = {
  approval: ['approved', 'denied'],
  handoff: ['done', 'cant'],
};

const fits = ({ kind }: WaitingItem, { outcome }: WaitingAnswer): boolean =>
  OUTCOMES_BY_KIND[kind].includes(outcome);

const notFound = (id: string, { outcome }: WaitingAnswer): Failure => {
  const noun = OUTCOMES_BY_KIND.handoff.includes(outcome) ? 'hand-off' : 'approval';
  return fail('waiting_not_found', `No ${noun} with the id "${id.slice(0, 40)}" is waiting.`);
};

const interrupted = (id: string): Failure =>
  fail('waiting_not_found', `The server of "${id}" ended while it waited.`, {
    hint: 'A hand-off of a task can be continued in the dashboard.',
  });

const endedBefore = (id: string, { outcome }: { readonly outcome: string }): Failure =>
  fail('waiting_not_found', `"${id}" is not waiting any more: ${outcome}.`, { outcome });
