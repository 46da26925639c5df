// Keeps the last lines of a process's output, and explains from them why Chrome did not start.
import type { Readable } from 'node:stream';
import { defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';

interface Cause {
  readonly pattern: RegExp;
  readonly says: string;
  readonly hint: string;
}

const anyOf = (...texts: readonly string[]): RegExp => new RegExp(texts.join('|'), 'i');

const PROFILE_IN_USE = anyOf(
  'ProcessSingleton',
  'SingletonLock',
  'profile appears to be in use',
  'Opening in existing browser session',
);

const CAUSES: readonly Cause[] = [
  {
    pattern: anyOf(
      'No usable sandbox',
      'without --no-sandbox is not supported',
      'SUID sandbox',
      'sandbox_linux',
      'zygote_host_impl_linux',
      'Failed to move to new namespace',
    ),
    says: 'its sandbox is not available here',
    hint:
      'Allow unprivileged user namespaces for it, ' +
      'or start with --no-sandbox if you open only trusted pages.',
  },
  {
    pattern: /error while loading shared libraries/i,
    says: 'a shared library is missing',
    hint:
      'Install the missing library (on Debian and Ubuntu the chromium package depends on all of ' +
      'them), or set --chrome-path to another Chrome.',
  },
  {
    pattern: /GLIBC(?:XX)?_[\d.]+' not found/,
    says: 'this system is too old for it',
    hint: "Use the distribution's own Chromium with --chrome-path.",
  },
  {
    pattern: PROFILE_IN_USE,
    says: 'its profile is in use by another Chrome',
    hint: 'End that Chrome, or start with --isolated or another --profile.',
  },
  {
    pattern: /non-default data directory/i,
    says: 'Chrome does not allow remote control of its default profile folder',
    hint: 'Set --profile to a copy of it or to another folder.',
  },
  {
    pattern:
      /Missing X server|cannot open display|Unable to open X display|Failed to connect to Wayland/i,
    says: 'there is no display that it can use',
    hint: 'Start with --headless.',
  },
  {
    pattern: /No space left on device|ENOSPC/i,
    says: 'the disk is full',
    hint: 'Free some space in the home folder and in the temporary folder.',
  },
  {
    pattern: /\/dev\/shm|shared memory/i,
    says: 'there is not enough shared memory',
    hint:
      'Give the container more (--shm-size), ' +
      'or start with --chrome-arg=--disable-dev-shm-usage.',
  },
  {
    pattern: /snap-confine|is not a snap cgroup|permanently dropped privs/i,
    says: 'it is a snap, which cannot run here',
    hint: 'Use a Chrome that is not a snap: "openchrome install-browser", or --chrome-path.',
  },
];

interface Evidence {
  readonly path: string;
  /** How Chrome ended, or that it did not respond. */
  readonly event: string;
  readonly stderr: string;
}

const TAIL_LINES = 12;

export const launchFailure = ({ path, event, stderr }: Evidence, cause?: unknown): Failure => {
  const known = CAUSES.find(({ pattern }) => pattern.test(stderr));
  const message = known
    ? `Chrome did not start: ${known.says} (${event}).`
    : `Chrome did not start: ${event}.`;
  return fail(
    'chrome_launch_failed',
    message,
    defined({ hint: known?.hint, path, stderr: cutTail(stderr) }),
    cause,
  );
};

/** Whether Chrome did not start because its profile is in use. */
export const isProfileInUse = (error: unknown): boolean =>
  error instanceof Failure &&
  error.code === 'chrome_launch_failed' &&
  PROFILE_IN_USE.test(String(error.details['stderr']));

/** The end of Chrome's output, without the log prefix of each line. */
const cutTail = (stderr: string): string =>
  stderr
    .split('\n')
    .map((line) => line.replace(/^\[[\d:/.]+:(\w+):[^\]]*\] /, '$1: ').slice(0, 300))
    .filter((line) => line.trim() !== '')
    .slice(-TAIL_LINES)
    .join('\n');

// Keeps the last lines of a child process's output.

const KEEP_BYTES = 8 * 1024;

/**
 * Reads the stream to its end (a full pipe would block the child) and returns a getter for its
 * tail.
 */
export const collectTail = (stream: Readable): (() => string) => {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-KEEP_BYTES)]).subarray(-KEEP_BYTES);
  });
  stream.on('error', () => {});
  return () => kept.toString('utf8');
};
