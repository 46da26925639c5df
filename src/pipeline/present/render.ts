// Renders the data with the tool's `render`, otherwise as JSON.
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const render: Stage = async (call, { result }) => ({
  result,
  view: await result.render((input) => redactorFor(call).largeData(input, call.deadline.signal)),
});
