// Removes secrets from the data, except stored data, which was redacted before.
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const redact: Stage = (call, presented) =>
  call.tool.traits.verbatim || call.toolCall.revealsSecrets
    ? presented
    : { ...presented, result: presented.result.clean((data) => redactorFor(call).data(data)) };
