// Reads the identity of a process from /proc. No zod and no other programs, for fast starts.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../core/attempt.ts';

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
