// Open questions to the user as private files, so that any process of the home can answer them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { APPROVAL_SCOPES, CONSENT_EFFECTS } from '../../core/consent-rule.ts';
import { WAITING_ID } from '../../core/ids.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { loadJson, removeFile } from '../../system/private-files.ts';
import { createProcesses, type Processes } from '../../system/process-identity.ts';
import { ProcessIdentitySchema } from '../../system/process-schema.ts';
import { replaceFile } from '../../system/replace-file.ts';

const common = {
  id: z.string().regex(WAITING_ID),
  session: z.string(),
  tabId: z.string().optional(),
  /** The URL of the tab's page, without secrets. */
  url: z.string().optional(),
  /** Unix milliseconds. */
  since: z.number(),
  expiresAt: z.number(),
  pid: z.number(),
};

const WaitingApproval = z.object({
  ...common,
  kind: z.literal('approval'),
  effect: z.enum(CONSENT_EFFECTS),
  /** Empty if the page does it without a call. */
  tool: z.string(),
  /** The host for "always here"; empty if the page has none. */
  host: z.string(),
  /** One line for the user. */
  summary: z.string(),
});

const WaitingHandoff = z.object({
  ...common,
  kind: z.literal('handoff'),
  taskId: z.string().optional(),
  /** A text of the model. */
  reason: z.string(),
  until: z.string().optional(),
});

const WaitingItem = z.discriminatedUnion('kind', [WaitingApproval, WaitingHandoff]);

export type WaitingApproval = Readonly<z.output<typeof WaitingApproval>>;
export type WaitingHandoff = Readonly<z.output<typeof WaitingHandoff>>;
export type WaitingItem = WaitingApproval | WaitingHandoff;

export const WAITING_OUTCOMES = [
  'approved',
  'denied',
  'done',
  'cant',
  'until',
  'timeout',
  'withdrawn',
] as const;
export type WaitingOutcome = (typeof WAITING_OUTCOMES)[number];

export const WaitingAnswer = z.object({
  outcome: z.enum(WAITING_OUTCOMES).extract(['approved', 'denied', 'done', 'cant']),
  scope: z.enum(APPROVAL_SCOPES).default('once'),
  by: z.enum(['dashboard', 'terminal', 'client']),
});
export type WaitingAnswer = Readonly<z.output<typeof WaitingAnswer>>;

export interface WaitingEnd {
  readonly outcome: WaitingOutcome;
  /** `server`: no answer, but a timeout, a condition or the end of the call. */
  readonly by: WaitingAnswer['by'] | 'server';
}

const WaitingFile = z.object({
  item: WaitingItem,
  process: ProcessIdentitySchema,
  ended: z.object({ outcome: z.enum(WAITING_OUTCOMES), by: z.string() }).optional(),
});
export type WaitingFile = Readonly<z.output<typeof WaitingFile>>;

/** A question that waits, or a hand-off whose process ended while it waited. */
export interface ListedWaiting {
  readonly item: WaitingItem;
  readonly isInterrupted: boolean;
}

const MAX_FILES = 500;

export class WaitingFiles {
  readonly #folder: string;
  readonly #processes: Processes;

  constructor(folder: string, processes: Processes = createProcesses()) {
    this.#folder = folder;
    this.#processes = processes;
  }

  /** Writes an item of this process; with `ended` after its end. */
  async write(item: WaitingItem, ended?: WaitingEnd): Promise<void> {
    const content = { item, process: this.#processes.own, ...(ended && { ended }) };
    await replaceFile(this.#itemPath(item.id), JSON.stringify(content), { durable: false });
  }

  async remove(id: string): Promise<void> {
    await Promise.all([removeFile(this.#itemPath(id)), removeFile(this.#answerPath(id))]);
  }

  /** Undefined if there is none, or if it is not valid. */
  async find(id: string): Promise<WaitingFile | undefined> {
    if (!WAITING_ID.test(id)) return undefined;
    return WaitingFile.safeParse(await loadJson(this.#itemPath(id))).data;
  }

  /**
   * The items of all running processes and interrupted hand-offs, oldest first. Removes the other
   * items of dead processes.
   */
  async list(): Promise<readonly ListedWaiting[]> {
    const found = await Promise.all((await this.#listIds()).map((id) => this.#findListed(id)));
    return found.filter((one) => one !== undefined).toSorted((a, b) => a.item.since - b.item.since);
  }

  async #findListed(id: string): Promise<ListedWaiting | undefined> {
    const file = await this.find(id);
    if (!file) return undefined;
    const isInterrupted = await this.isInterrupted(file);
    if (isInterrupted && !canContinue(file)) {
      await this.remove(id);
      return undefined;
    }
    return file.ended ? undefined : { item: file.item, isInterrupted };
  }

  /** Whether the process of the item has ended. */
  async isInterrupted(file: WaitingFile): Promise<boolean> {
    return (await this.#processes.stateOf(file.process)) === 'gone';
  }

  /** Removes and returns a hand-off whose process ended while it waited; undefined for others. */
  async takeInterrupted(id: string): Promise<WaitingHandoff | undefined> {
    const found = WAITING_ID.test(id) ? await this.#findListed(id) : undefined;
    if (!found?.isInterrupted || found.item.kind !== 'handoff') return undefined;
    await this.remove(id);
    return found.item;
  }

  async #listIds(): Promise<readonly string[]> {
    try {
      const names = await readdir(this.#folder);
      const ids = names.map((name) => name.replace(/\.json$/, ''));
      return ids.filter((id) => WAITING_ID.test(id)).slice(0, MAX_FILES);
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageFailure('read', this.#folder, error);
    }
  }

  /** Leaves an answer for the process whose call waits. */
  async sendAnswer(id: string, answer: WaitingAnswer): Promise<void> {
    await replaceFile(this.#answerPath(id), JSON.stringify(answer), { durable: false });
  }

  /** Returns and removes the answer of another process. */
  async takeAnswer(id: string): Promise<WaitingAnswer | undefined> {
    const path = this.#answerPath(id);
    const { data } = WaitingAnswer.safeParse(await loadJson(path));
    if (data) await removeFile(path);
    return data;
  }

  #itemPath(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #answerPath(id: string): string {
    return join(this.#folder, `${id}.answer.json`);
  }
}

/** Only a task can be continued: the client of a direct call is gone. */
const canContinue = ({ item, ended }: WaitingFile): boolean =>
  item.kind === 'handoff' && item.taskId !== undefined && !ended && item.expiresAt > Date.now();
