// Requests of the daemon's own paths; a lost connection is a failure with a code.
import { fail } from '../../../core/failure.ts';
import type { DaemonNote } from '../../../store/config/daemon-file.ts';
import { ConnectionLost, sendRequest, type WireAnswer, type WireRequest } from './wire.ts';

/** Throws `daemon_lost` if the daemon ends before it answers. */
export const requestDaemon = async (
  note: DaemonNote,
  request: WireRequest,
): Promise<WireAnswer> => {
  try {
    return await sendRequest(note, request);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    const { pid } = note;
    throw fail('daemon_lost', `The daemon (process ${pid}) ended before it answered.`, {
      pid,
      hint: 'Look at its log with "openchrome daemon logs". The next command starts a new daemon.',
    });
  }
};
