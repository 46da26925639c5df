// Whether a daemon runs the same program as this process: what was built anew must not be served by what was before.
import { VERSION } from '../../../core/version.ts';
import { type DaemonNote, markProgram, type ProgramMark } from '../../../store/daemon-file.ts';

export const ownEntry = (): string => process.argv[1] ?? '';

export const ownProgram = (entry: string = ownEntry()): ProgramMark => markProgram(VERSION, entry);

/** Another copy of the same version will do; the same file with another content will not. */
export const runsThisProgram = ({ program }: DaemonNote, entry?: string): boolean => {
  if (program.version !== VERSION) return false;
  const own = ownProgram(entry);
  return program.entry !== own.entry || program.modified_ms === own.modified_ms;
};
