// Ends Chromes whose server has died and removes their files; never touches other Chromes.
import { basename } from 'node:path';
import type { Home } from '../../core/home.ts';
import { dropOwnership, findMarked, listOwnerships, type Ownership } from './ownership.ts';
import { findProcessState } from '../../system/process-identity.ts';
import { endGroup } from '../../system/process-group.ts';
import { removeProfile } from './singleton.ts';

export interface Reaped {
  readonly pid: number;
  /** The dead server that started it. */
  readonly server_pid: number;
}

export interface Reaping {
  readonly reaped: readonly Reaped[];
  /** Number of our Chromes whose server is running. */
  readonly alive: number;
}

/** Time for a Chrome that still responds to save its data. */
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

/**
 * Ends the remaining processes of one Chrome, after its profile was taken over from a dead server.
 */
export const endOrphan = async (id: string): Promise<void> => {
  const pids = (await findMarked()).filter(({ ownerId }) => ownerId === id).map(({ pid }) => pid);
  await Promise.all(pids.map((pid) => endGroup(pid, GRACE_MS)));
};

const clearRemains = async (home: Home, { id, temporaryProfile }: Ownership): Promise<void> => {
  // The name is checked, because a damaged file must not make us delete another folder.
  const isOurs = temporaryProfile !== undefined && basename(temporaryProfile) === temporaryName(id);
  if (isOurs && !(await removeProfile(temporaryProfile))) return; // kept for the next cleanup
  await dropOwnership(home, id);
};

export const temporaryName = (id: string): string => `profile-${id}`;
