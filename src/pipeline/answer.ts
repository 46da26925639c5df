// Turns whatever happened into one reply: what failed is a structured failure, never a stack trace.
import { toFailure } from '../core/failure.ts';
import { toChromeFailure } from '../browser/cdp/errors.ts';
import type { Step } from './call.ts';

export const answer: Step = async (call, next) => {
  const { log } = call.rooms;
  try {
    await next();
  } catch (error) {
    const failure = toFailure(toChromeFailure(error), (defect) => log.defect(defect));
    call.reply = { failure, images: [], notes: call.notes };
  }
};
