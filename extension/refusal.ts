// The error of a command that the extension rejects; the server turns it into `not_supported_here`.
import { REFUSED_CODE } from '../src/browser/extension/link-commands.ts';

export class Refusal extends Error {
  readonly code = REFUSED_CODE;
}

/** Chrome's own message for a target that does not exist, which the server knows. */
export class TargetGone extends Error {
  readonly code = -32_602;
  constructor() {
    super('No target with given id found');
  }
}
