// Removes secrets from the data, except stored data, which was redacted before.
import { known } from '../call.ts';
import { revealsSecrets } from '../guard.ts';
import { redactorFor } from '../redactor-for.ts';
import type { Stage } from './stage.ts';

export const redact: Stage = (call, presented) =>
  known(call, 'tool').traits.verbatim || revealsSecrets(call)
    ? presented
    : { ...presented, data: redactorFor(call).data(presented.data) };
