// The rules of hints in the order in which they are asked: the first that has something to say is the only one heard.
import { budgetNear } from './budget-near.ts';
import { covered } from './covered.ts';
import { dialogOpen } from './dialog-open.ts';
import { loginWall } from './login-wall.ts';
import { nothingFound } from './nothing-found.ts';
import type { Happening, HintRule } from './rule.ts';
import { sameCallRepeated } from './same-call-repeated.ts';
import { staleRef } from './stale-ref.ts';

export const HINT_RULES: readonly HintRule[] = [
  dialogOpen, // nothing else can be done before
  sameCallRepeated, // what was advised before did not help
  budgetNear, // says more than the failure's own advice
  staleRef,
  covered,
  loginWall, // before "nothing found": the login is the reason for it
  nothingFound,
];

export interface Hint {
  readonly rule: string;
  readonly line: string;
}

export const hintFor = (happening: Happening): Hint | undefined => {
  for (const { name, hint } of HINT_RULES) {
    const line = hint(happening);
    if (line !== undefined) return { rule: name, line };
  }
  return undefined;
};
