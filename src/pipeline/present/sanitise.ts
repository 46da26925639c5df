// Removes text that people cannot see but models would read, and adds one note about it.
import { NOTE_WORD } from '../../core/ids.ts';
import { describeFindings, sanitiseData } from '../../policy/sanitise.ts';
import { known } from '../call.ts';
import type { Stage } from './stage.ts';

export const sanitise: Stage = (call, presented) => {
  const { config } = call.rooms;
  if (!config.sanitizeContent) return presented;
  const { html, verbatim } = known(call, 'tool').traits;
  const data = sanitiseData(presented.data, call.findings, {
    html: html === true,
    countOnly: verbatim === true,
  });
  const note = describeFindings(call.findings, NOTE_WORD);
  if (note !== undefined) call.notes.push(note);
  return { ...presented, data };
};
