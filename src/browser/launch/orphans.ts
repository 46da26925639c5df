// Ends the Chromes of servers that died, and clears what those left behind; never touches another
// Chrome.
import { basename } from 'node:path';
import type { Home } from '../../core/home.ts';
import { dropOwnership, findMarked, listOwnerships, type Ownership } from './ownership.ts';
import { findProcessState } from '../../system/process-identity.ts';
import { endGroup } from '../../system/process-group.ts';
import { removeProfile } from './singleton.ts';

export interface Reaped {
  readonly pid: number;
  /** The dead server that had started it. */
  readonly server_pid: number;
}

export interface Reaping {
  readonly reaped: readonly Reaped[];
  /** Chromes of ours whose server runs. */
  readonly alive: number;
}

/** Time to write its data, for a Chrome that still listens. */
const GRACE_MS = 2000;

export const reapOrphans = async ({ home }: { readonly home: Home }): Promise<Reaping> => {
  const all = await listOwnerships(home);
  const states = await Promise.all(all.map(({ server }) => findProcessState(server)));
  const orphaned = all.filter((_, at) => states[at] === 'gone');
  if (orphaned.length === 0) return { reaped: [], alive: all.length };
  const marked = await findMarked();
  const reaped = await Promise.all(
    orphaned.map(async (ownership) => {
      const pids = marked.filter(({ ownerId }) => ownerId === ownership.id).map(({ pid }) => pid);
      await Promise.all(pids.map((pid) => endGroup(pid, GRACE_MS)));
      await clearRemains(home, ownership);
      return pids.map((pid) => ({ pid, server_pid: ownership.server.pid }));
    }),
  );
  return { reaped: reaped.flat(), alive: all.length - orphaned.length };
};

/** Ends what still runs of one Chrome, after its profile was inherited from a dead server. */
export const endOrphan = async (id: string): Promise<void> => {
  const pids = (await findMarked()).filter(({ ownerId }) => ownerId === id).map(({ pid }) => pid);
  await Promise.all(pids.map((pid) => endGroup(pid, GRACE_MS)));
};

const clearRemains = async (home: Home, { id, temporaryProfile }: Ownership): Promise<void> => {
  // The name is checked although we wrote it: a damaged note must not make us delete another
  // folder.
  const isOurs = temporaryProfile !== undefined && basename(temporaryProfile) === temporaryName(id);
  if (isOurs && !(await removeProfile(temporaryProfile))) return; // kept for the next sweep
  await dropOwnership(home, id);
};

export const temporaryName = (id: string): string => `profile-${id}`;
