// Removes text that people cannot see but models would read, and adds one note about it.
import { NOTE_WORD } from '../../core/ids.ts';
import { describeFindings, sanitiseData } from '../../policy/sanitise.ts';
import type { Stage } from './stage.ts';

export const sanitise: Stage = (call, presented) => {
  const { config } = call.rooms;
  if (!config.sanitizeContent) return presented;
  const { html, verbatim } = call.tool.traits;
  const options = { html: html === true, countOnly: verbatim === true };
  const result = presented.result.clean((data) => sanitiseData(data, call.findings, options));
  const note = describeFindings(call.findings, NOTE_WORD);
  if (note !== undefined) call.notes.push(note);
  return { ...presented, result };
};
