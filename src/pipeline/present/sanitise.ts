// Takes out of page text what people do not see and models would.
import { sanitiseData } from '../../policy/sanitise.ts';
import { known } from '../call.ts';
import type { Stage } from './stage.ts';

export const sanitise: Stage = (call, presented) => {
  if (known(call, 'tool').traits.scope !== 'tab') return presented;
  const { data, removed } = sanitiseData(presented.data);
  if (removed > 0) call.notes.push(`[${removed} invisible or direction-changing character(s) removed from page text]`);
  return { ...presented, data };
};
