// Reads the identity and the memory of processes from /proc. No zod, for fast starts.
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { attempt } from '../core/attempt.ts';
import { valueIf } from '../core/defined.ts';

/** This machine, on Linux also the container: to which a pid belongs. */
export const findOwnHost = (): string => {
  const namespace =
    process.platform === 'linux' ? attempt(() => readlinkSync('/proc/self/ns/pid')) : undefined;
  return namespace === undefined ? hostname() : `${hostname()} ${namespace}`;
};

/**
 * Returns the fields of /proc/PID/stat after the process name, which may contain spaces and
 * brackets.
 */
export const linuxStat = (pid: number | string): string[] | undefined => {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
};

/** The start time of a process on Linux: the boot and the ticks since then. */
export const findLinuxStart = (pid: number): string | undefined => {
  const fields = linuxStat(pid);
  const ticks = fields?.[19];
  if (ticks === undefined || fields?.[0] === 'Z') return undefined;
  const boot =
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()) ?? '';
  return `${boot}/${ticks}`;
};

// Measures the memory of a process group, such as Chrome with all its processes.

/** Bytes of all processes of the group; undefined if the system does not report them. */
export const measureGroupMemory = async (groupId: number): Promise<number | undefined> => {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch((): string[] => []);
  const sizes = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => measureMember(pid, groupId)),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return valueIf(total !== 0, total);
};

/** Zero for processes of other groups, and for those that have ended. */
const measureMember = async (pid: string, groupId: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The command in parentheses can contain spaces; state, parent and group follow it.
  const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (Number(group) !== groupId) return 0;
  // Pages that several processes share count once: PSS divides them between the processes.
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
};
