// Measures the memory of a process group, such as Chrome with all its processes.
import { valueIf } from '../core/defined.ts';
import { readdir, readFile } from 'node:fs/promises';

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
