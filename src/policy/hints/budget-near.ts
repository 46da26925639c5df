// Something went wrong while a budget of the task runs out: the next calls should count.
import type { HintRule } from './rule.ts';

export const budgetNear: HintRule = {
  name: 'budget_near',
  hint: ({ failure, budget }) => (failure && budget !== undefined ? `${budget}: verify what is done, or finish the task` : undefined),
};
