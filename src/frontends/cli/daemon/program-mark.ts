// Whether a daemon runs the same program as this process: what was built anew must not be served by
// what was before.
import { VERSION } from '../../../core/version.ts';
import {
  type DaemonNote,
  markProgram,
  type ProgramMark,
} from '../../../store/config/daemon-file.ts';

export const findOwnEntry = (): string => process.argv[1] ?? '';

export const markOwnProgram = (entry: string = findOwnEntry()): ProgramMark =>
  markProgram(VERSION, entry);

/**
 * Another copy of the same version will do. Of the very same file it must be the one that is there
 * now: a host that was started before an update accepts the daemon after it, instead of starting
 * the new program over and over.
 */
export const runsThisProgram = ({ program }: DaemonNote, entry?: string): boolean => {
  const own = markOwnProgram(entry);
  return program.entry === own.entry
    ? program.modified_ms === own.modified_ms
    : program.version === own.version;
};
