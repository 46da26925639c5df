// Finds the daemon of daemon.json by a proof or by its process, and compares its build with ours.
import { Deadline } from '../../../core/time.ts';
import { VERSION } from '../../../core/version.ts';
import {
  type DaemonNote,
  markProgram,
  type ProgramMark,
  readDaemonNote,
} from '../../../store/config/daemon-file.ts';
import { findLinuxStart, findOwnHost } from '../../../system/linux-process.ts';
import { HELLO_PATH, sendRequest } from './wire.ts';

export const findOwnEntry = (): string => process.argv[1] ?? '';

export const markOwnProgram = (entry: string = findOwnEntry()): ProgramMark =>
  markProgram(VERSION, entry);

/**
 * For another program file the version must be equal. For the same file the daemon must run its
 * current contents: a host started before an update accepts the daemon started after it.
 */
export const runsThisProgram = ({ program }: DaemonNote, entry?: string): boolean => {
  const own = markOwnProgram(entry);
  return program.entry === own.entry
    ? program.modified_ms === own.modified_ms
    : program.version === own.version;
};

export type DaemonState =
  | { readonly state: 'none' }
  /** daemon.json exists but cannot be read. */
  | { readonly state: 'unreadable' }
  | { readonly state: 'ready' | 'stopping'; readonly note: DaemonNote }
  /** Its port does not respond, or another program responds. */
  | { readonly state: 'silent'; readonly note: DaemonNote };

/** An idle daemon responds in a millisecond; a busy machine may need longer. */
export const HELLO_MS = 3_000;

export const findDaemon = async (path: string, signal?: AbortSignal): Promise<DaemonState> => {
  const note = readDaemonNote(path);
  if (note === undefined) return { state: 'none' };
  if (note === 'unreadable') return { state: 'unreadable' };
  return { state: await greet(note, signal), note };
};

/**
 * Finds the daemon by its process, without a request: the process of daemon.json listens on its port
 * until it ends. Undefined if that is unknown; only Linux reports the start of a process cheaply.
 */
export const findDaemonProcess = (path: string): DaemonNote | undefined => {
  if (process.platform !== 'linux') return undefined;
  const note = readDaemonNote(path);
  if (note === undefined || note === 'unreadable') return undefined;
  const isSame = note.host === findOwnHost() && note.started === findLinuxStart(note.pid);
  return isSame ? note : undefined;
};

const greet = async (
  { port, token }: DaemonNote,
  signal: AbortSignal | undefined,
): Promise<'ready' | 'stopping' | 'silent'> => {
  using deadline = new Deadline(HELLO_MS, undefined, signal);
  // A command that identifies the daemon by its process needs neither this code nor node:crypto.
  const { createNonce, isProof, NONCE_HEADER, buildProof } = await import('./proof.ts');
  const nonce = createNonce();
  try {
    const { body } = await sendRequest(
      { port },
      {
        method: 'GET',
        path: HELLO_PATH,
        headers: { [NONCE_HEADER]: nonce },
        signal: deadline.signal,
      },
    );
    const { proof, stopping } = (body ?? {}) as {
      readonly proof?: unknown;
      readonly stopping?: unknown;
    };
    if (!isProof(proof, buildProof(token, nonce, port))) return 'silent';
    return stopping === true ? 'stopping' : 'ready';
  } catch {
    signal?.throwIfAborted();
    return 'silent';
  }
};
