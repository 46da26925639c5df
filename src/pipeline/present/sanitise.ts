// Removes text that people cannot see but models would read, and adds one note about it.
import { NOTE_WORD } from '../../core/ids.ts';
import { describeFindings, sanitiseLargeData } from '../../policy/sanitise.ts';
import type { Stage } from './stage.ts';

export const sanitise: Stage = async (call, presented) => {
  const { config, workers } = call.rooms;
  const { signal } = call.deadline;
  if (!config.sanitizeContent) return presented;
  const { html, verbatim } = call.tool.traits;
  const options = { html: html === true, countOnly: verbatim === true };
  const result = await presented.result.clean((data) =>
    sanitiseLargeData(data, call.findings, options, { workers, signal }),
  );
  const note = describeFindings(call.findings, NOTE_WORD);
  if (note !== undefined) call.notes.push(note);
  return { ...presented, result };
};
