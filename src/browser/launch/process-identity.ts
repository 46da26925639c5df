// Which process is meant, beyond its number: numbers are used again, a number with its start time is not.
import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  /** When it started: exact ticks since boot on Linux, else milliseconds since 1970, good to a few seconds. */
  started: z.string(),
  /** The machine (on Linux: and the container) in which the number counts. */
  host: z.string(),
});
export type ProcessIdentity = z.output<typeof ProcessIdentity>;

/** `elsewhere`: on another machine or in another container, where we cannot look. */
export type ProcessState = 'running' | 'gone' | 'elsewhere';

const CLOCK_SLACK_MS = 5000;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const ownHost = (): string => {
  const namespace = process.platform === 'linux' ? attempt(() => readlinkSync('/proc/self/ns/pid')) : undefined;
  return namespace === undefined ? hostname() : `${hostname()} ${namespace}`;
};

/** The fields of /proc/PID/stat from the state on: the name before them may hold spaces and brackets. */
export const linuxStat = (pid: number | string): string[] | undefined => {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
};

const linuxStart = (pid: number): string | undefined => {
  const fields = linuxStat(pid);
  const ticks = fields?.[19];
  if (ticks === undefined || fields?.[0] === 'Z') return undefined;
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()) ?? '';
  return `${boot}/${ticks}`;
};

const darwinStart = async (pid: number): Promise<string | undefined> => {
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } });
  const at = Date.parse(stdout.trim());
  return Number.isNaN(at) ? undefined : String(at);
};

const windowsStart = async (pid: number): Promise<string | undefined> => {
  const script = `([DateTimeOffset](Get-Process -Id ${pid}).StartTime).ToUnixTimeMilliseconds()`;
  const { stdout } = await run('powershell', ['-NoProfile', '-NonInteractive', '-Command', script], { windowsHide: true });
  return stdout.trim() || undefined;
};

/** Undefined if there is no such process, or no way to ask. */
const startOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') return linuxStart(pid);
  return (process.platform === 'win32' ? windowsStart(pid) : darwinStart(pid)).catch(() => undefined);
};

let own: ProcessIdentity | undefined;

/** This process; asks no other program, so that it costs nothing at launch. */
export const ownIdentity = (): ProcessIdentity =>
  (own ??= {
    pid: process.pid,
    started: (process.platform === 'linux' ? linuxStart(process.pid) : undefined) ?? String(Math.round(performance.timeOrigin)),
    host: ownHost(),
  });

const sameStart = (a: string, b: string): boolean => a === b || Math.abs(Number(a) - Number(b)) <= CLOCK_SLACK_MS;

const signalReaches = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Whether that very process still runs. Where its start cannot be found out it counts as running: nothing is taken from it. */
export const stateOf = async (identity: ProcessIdentity): Promise<ProcessState> => {
  if (identity.host !== ownIdentity().host) return 'elsewhere';
  if (!signalReaches(identity.pid)) return 'gone';
  const started = await startOf(identity.pid);
  if (started === undefined) return process.platform === 'linux' ? 'gone' : 'running';
  return sameStart(started, identity.started) ? 'running' : 'gone';
};
