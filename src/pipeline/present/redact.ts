// Takes secrets out of the data.
import type { Stage } from './stage.ts';

export const redact: Stage = ({ rooms }, presented) => ({ ...presented, data: rooms.redactor.data(presented.data) });
