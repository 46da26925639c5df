// Renders the data with the tool's `render`, otherwise as JSON.
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const render: Stage = (call, { result }) => ({
  result,
  view: result.render((input) => redactorFor(call).data(input)),
});
