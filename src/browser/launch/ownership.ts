// Marks the Chromes that we started, and ends those whose server has died; never touches others.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Home } from '../../core/home.ts';
import { isRecord } from '../../core/json.ts';
import { loadJson } from '../../system/private-files.ts';
import { endGroup, findProcessState, type ProcessIdentity } from '../../system/process-identity.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { removeProfile } from './singleton.ts';

// The flag that marks Chromes that we started, and the file that names their server.

const run = promisify(execFile);

const OWNER_ID = /^[0-9a-f]{16}$/;
const FLAG = '--openchrome-owner=';

export const newOwnerId = (): string => randomBytes(8).toString('hex');

/** A flag that Chrome ignores and that process lists show. */
export const ownerMark = (id: string): string => `${FLAG}${id}`;

interface Ownership {
  readonly id: string;
  readonly server: ProcessIdentity;
  /** The temporary profile to delete with this Chrome. */
  readonly temporaryProfile?: string | undefined;
}

/** Without a schema, because a server looks for leftover Chromes before it loads its engine. */
const isOwnership = (value: unknown): value is Ownership =>
  isRecord(value) &&
  isProcessIdentity(value['server']) &&
  ['string', 'undefined'].includes(typeof value['temporaryProfile']);

const isProcessIdentity = (value: unknown): value is ProcessIdentity =>
  isRecord(value) &&
  Number.isSafeInteger(value['pid']) &&
  Number(value['pid']) > 0 &&
  typeof value['started'] === 'string' &&
  typeof value['host'] === 'string';

const buildRecordPath = (home: Home, id: string): string => join(home.run, `chrome-${id}.json`);

/** Saved before Chrome starts, so that every running Chrome has its file. */
export const saveOwnership = (home: Home, ownership: Ownership): Promise<void> =>
  replaceFile(buildRecordPath(home, ownership.id), JSON.stringify(ownership), { durable: false });

export const dropOwnership = (home: Home, id: string): Promise<void> =>
  rm(buildRecordPath(home, id), { force: true });

/** All files that are readable and match their name; others are ignored. */
const listOwnerships = async (home: Home): Promise<Ownership[]> => {
  const names = await readdir(home.run).catch(() => [] as string[]);
  const ids = names.flatMap((name) => /^chrome-([0-9a-f]{16})\.json$/.exec(name)?.[1] ?? []);
  const found = await Promise.all(
    ids.map(async (id): Promise<Ownership[]> => {
      const record: unknown = await loadJson(buildRecordPath(home, id));
      return isOwnership(record) && record.id === id ? [record] : [];
    }),
  );
  return found.flat();
};

interface MarkedProcess {
  readonly pid: number;
  readonly ownerId: string;
}

/**
 * The running processes with our flag: only the main process of each Chrome, because Chrome does
 * not pass it on.
 */
const findMarked = async (): Promise<MarkedProcess[]> => {
  if (process.platform === 'linux') return linuxMarked();
  const list = process.platform === 'win32' ? windowsProcesses() : unixProcesses();
  return (await list).split('\n').flatMap((line) => parseMarked(line.trimStart(), / /));
};

const linuxMarked = (): MarkedProcess[] =>
  readdirSync('/proc').flatMap((pid) => {
    if (!/^\d/.test(pid)) return [];
    try {
      return parseMarked(`${pid}\0${readFileSync(`/proc/${pid}/cmdline`, 'latin1')}`, /\0/);
    } catch {
      return []; // the process has ended, or belongs to another user
    }
  });

/**
 * Parses `PID ARGUMENT …`. The flag must be a separate argument, so that a command that only
 * mentions it is not mistaken for Chrome.
 */
const parseMarked = (line: string, separator: RegExp): MarkedProcess[] => {
  const [pid = '', ...words] = line.split(separator);
  const ownerId = words.find((word) => word.startsWith(FLAG))?.slice(FLAG.length);
  return ownerId !== undefined && OWNER_ID.test(ownerId) ? [{ pid: Number(pid), ownerId }] : [];
};

const unixProcesses = async (): Promise<string> =>
  (await run('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 })).stdout;

const windowsProcesses = async (): Promise<string> => {
  const script =
    'Get-CimInstance Win32_Process | ForEach-Object ' +
    "{ \"$($_.ProcessId) $($_.CommandLine -replace '[\\r\\n]',' ')\" }";
  const options = { maxBuffer: 64 * 1024 * 1024, windowsHide: true };
  return (
    await run('powershell', ['-NoProfile', '-NonInteractive', '-Command', script], options)
  ).stdout.replaceAll('\r', '');
};

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
