// Makes the tool's own view of its data; a tool without one is shown as JSON.
import { known } from '../call.ts';
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const render: Stage = (call, presented) => {
  const { render: toView } = known(call, 'tool');
  // what is quoted of it is quoted without its secrets
  const asked = redactorFor(call).data(known(call, 'input'));
  const made = toView?.(presented.data as never, asked as never);
  if (made === undefined) return { ...presented, view: { json: presented.data } };
  return { ...presented, view: typeof made === 'string' ? { text: made } : made };
};
