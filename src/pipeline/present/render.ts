// Renders the data with the tool's `render`, otherwise as JSON.
import { known } from '../call.ts';
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const render: Stage = (call, presented) => {
  const { render: toView } = known(call, 'tool');
  // the view may quote arguments, so their secrets are removed
  const asked = redactorFor(call).data(known(call, 'input'));
  const made = toView?.(presented.data as never, asked as never);
  if (made === undefined) return { ...presented, view: { json: presented.data } };
  return { ...presented, view: typeof made === 'string' ? { text: made } : made };
};
