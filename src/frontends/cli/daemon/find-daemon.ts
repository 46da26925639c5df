// Finds the daemon of daemon.json; it is identified by a proof or by its process before a call.
import { Deadline } from '../../../core/time.ts';
import { type DaemonNote, readDaemonNote } from '../../../store/config/daemon-file.ts';
import { findLinuxStart, findOwnHost } from '../../../system/linux-process.ts';
import { HELLO_PATH } from './paths.ts';
import { sendRequest } from './wire.ts';

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
