// `openchrome record open`: prints the path of a replay, and opens it if there is a display.
import { join, resolve } from 'node:path';
import { fail } from '../../../core/failure.ts';
import { findReplay, listRecordingFolders } from '../../../store/files/recordings.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { openOnDesktop } from '../desktop.ts';
import type { RunCommand } from '../command.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const [given, ...more] = rest;
  requireNoWords(command, more);
  const folder = given === undefined ? await findNewest(wiring.home.recordings) : resolve(given);
  const replay = await findReplay(folder);
  if (replay === undefined)
    throw fail('invalid_argument', `${folder} contains no replay.html.`, {
      argument: 'folder',
      hint: 'List the recordings with openchrome record list.',
    });
  const opened = terminal.interactive && openOnDesktop(replay);
  terminal.out(on.has('json') ? JSON.stringify({ replay, opened }) : replay);
  return 0;
};

const findNewest = async (recordings: string): Promise<string> => {
  const [newest] = await listRecordingFolders(recordings);
  if (newest === undefined)
    throw fail('invalid_argument', 'There are no recordings in the home folder.', {
      argument: 'folder',
      hint: 'Start one with openchrome record start.',
    });
  return join(recordings, newest);
};
