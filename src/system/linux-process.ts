// Reads the identity and the memory of processes from /proc. No zod, for fast starts.
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { attempt } from '../core/attempt.ts';
import { valueIf } from '../core/defined.ts';
import { TimeSlices } from '../core/time.ts';

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

/**
 * Bytes of all processes of the group; undefined if the system does not report them. Files and
 * shared memory count once, for the process with most of them. PSS would divide them exactly, but
 * takes some milliseconds per process.
 */
export const measureGroupMemory = async (groupId: number): Promise<number | undefined> => {
  if (process.platform !== 'linux') return undefined;
  const names = await readdir('/proc').catch((): string[] => []);
  const slices = new TimeSlices();
  let [ownKb, sharedKb] = [0, 0];
  for (const pid of names.filter((name) => /^\d+$/.test(name))) {
    if (slices.isOver) await slices.pause();
    if (Number(linuxStat(pid)?.[GROUP_FIELD]) !== groupId) continue;
    const memory = readProcessMemory(pid);
    ownKb += memory.ownKb;
    sharedKb = Math.max(sharedKb, memory.sharedKb);
  }
  return valueIf(ownKb !== 0, (ownKb + sharedKb) * 1024);
};

/** The index in the fields of `linuxStat`, after the state and the parent. */
const GROUP_FIELD = 2;

/** Zero for a process that has ended. */
const readProcessMemory = (pid: string): { ownKb: number; sharedKb: number } => {
  // Synchronous: the kernel answers in microseconds, and a read in a thread takes far longer.
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '';
  const read = (name: string): number => {
    const at = status.indexOf(`${name}:`);
    return at < 0 ? 0 : Number.parseInt(status.slice(at + name.length + 1), 10);
  };
  return { ownKb: read('RssAnon'), sharedKb: read('RssFile') + read('RssShmem') };
};
