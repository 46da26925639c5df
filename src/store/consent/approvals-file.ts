// Approvals of the user that apply to later calls, in one private file of the home folder.
import { dirname } from 'node:path';
import { z } from 'zod';
import { APPROVAL_SCOPES, CONSENT_EFFECTS, type ConsentEffect } from '../../core/consent-rule.ts';
import type { Home } from '../../core/home.ts';
import { createWaitingId } from '../../core/ids.ts';
import { Locks } from '../../system/lock.ts';
import { ensureFolder } from '../../system/private-files.ts';
import { createProcesses, type Processes } from '../../system/process-identity.ts';
import { ProcessIdentitySchema } from '../../system/process-schema.ts';
import { JsonFile } from '../files/json-file.ts';

const Approval = z.object({
  id: z.string(),
  effect: z.enum(CONSENT_EFFECTS),
  /** Host and port of the page; empty for pages without a host. */
  host: z.string(),
  /** Set if the approval is for this tool only. */
  tool: z.string().optional(),
  scope: z.enum(APPROVAL_SCOPES).exclude(['once']),
  /** For the scope `session`: it applies in this session of this process. */
  session: z.string().optional(),
  process: ProcessIdentitySchema.optional(),
  /** Unix milliseconds. */
  at: z.number(),
  by: z.string(),
});
export type Approval = Readonly<z.output<typeof Approval>>;

const Approvals = z.object({ approvals: z.array(Approval) });

/** What a call needs an approval for. */
export interface ApprovalNeed {
  readonly effect: ConsentEffect;
  readonly host: string;
  readonly tool: string;
  readonly session: string;
}

export class ApprovalsFile {
  readonly #file: JsonFile<z.output<typeof Approvals>>;
  readonly #processes: Processes;
  readonly #locks: Locks;

  constructor(home: Home, processes: Processes = createProcesses()) {
    this.#file = new JsonFile({ path: home.approvals, schema: Approvals, version: 1 });
    this.#processes = processes;
    this.#locks = new Locks(processes);
  }

  /** The approvals that apply now: `session` ones only while their process runs. */
  async list(): Promise<readonly Approval[]> {
    const all = (await this.#file.load())?.approvals ?? [];
    const alive = await Promise.all(
      all.map(async ({ process }) =>
        process ? (await this.#processes.stateOf(process)) !== 'gone' : true,
      ),
    );
    return all.filter((_, at) => alive[at]);
  }

  /**
   * Reads the file each time, because the user may revoke an approval while a server runs. An
   * unreadable file approves nothing.
   */
  async find({ effect, host, tool, session }: ApprovalNeed): Promise<Approval | undefined> {
    const { pid, started } = this.#processes.own;
    const applies = (one: Approval): boolean =>
      one.effect === effect &&
      one.host === host &&
      (one.tool === undefined || one.tool === tool) &&
      (one.scope === 'always' ||
        (one.session === session && one.process?.pid === pid && one.process.started === started));
    return ((await this.#file.load())?.approvals ?? []).find(applies);
  }

  async add(approval: Omit<Approval, 'id' | 'at' | 'process'>): Promise<Approval> {
    const isOfSession = approval.scope === 'session';
    const added = {
      ...approval,
      id: createWaitingId(),
      at: Date.now(),
      ...(isOfSession && { process: this.#processes.own }),
    };
    await this.#change((all) => [...all, added]);
    return added;
  }

  /** Returns the removed approval; undefined if none has this id. */
  async remove(id: string): Promise<Approval | undefined> {
    let removed: Approval | undefined;
    await this.#change((all) => {
      removed = all.find((one) => one.id === id);
      return all.filter((one) => one !== removed);
    });
    return removed;
  }

  /** Two servers of one home may change the file at the same time. */
  async #change(change: (all: readonly Approval[]) => readonly Approval[]): Promise<void> {
    await ensureFolder(dirname(this.#file.path));
    using _lock = await this.#locks.take(`${this.#file.path}.lock`);
    await this.#file.save({ approvals: [...change(await this.list())] });
  }
}
