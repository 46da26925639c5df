// Checks whether a daemon runs the same build as this process.
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
 * For another program file the version must be equal. For the same file the daemon must run its
 * current contents: a host started before an update accepts the daemon started after it.
 */
export const runsThisProgram = ({ program }: DaemonNote, entry?: string): boolean => {
  const own = markOwnProgram(entry);
  return program.entry === own.entry
    ? program.modified_ms === own.modified_ms
    : program.version === own.version;
};
