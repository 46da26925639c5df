// Removes secrets from the data, except stored data, which was redacted before.
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const redact: Stage = async (call, presented) => {
  if (call.tool.traits.verbatim || call.toolCall.revealsSecrets) return presented;
  const redactor = redactorFor(call);
  const result = await presented.result.clean((data) =>
    redactor.largeData(data, call.deadline.signal),
  );
  return { ...presented, result };
};
