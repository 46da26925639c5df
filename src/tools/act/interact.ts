// interact: performs one action on one element with real input, and reports its effect.
import { z } from 'zod';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { ACTIONS, interact as act, type Interaction } from '../../browser/act/interact.ts';
import { hasNoEffect } from '../../core/receipt.ts';
import { readAfter, readBefore } from '../../browser/read/read-tree.ts';
import { renderReceipt } from '../../render/receipt.ts';
import { renderStateAfter, selectStateAfter } from '../../render/page.ts';
import {
  ACT_FIELDS,
  renderStateHeader,
  createActionContext,
  RECORDED_FIELD,
  STATE_FIELD,
  TARGET_FIELDS,
  parseTarget,
} from '../../toolkit/acting-context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs } from '../../toolkit/tool-description.ts';

const input = () => ({
  action: z.enum(ACTIONS),
  ...TARGET_FIELDS,
  value: markListedAs(
    z
      .union([
        z.string().max(1_000_000),
        z.number(),
        z.boolean(),
        z.array(z.string().max(10_000)).max(100),
      ])
      .optional(),
    {
      description:
        'Text, option(s), keys ("Control+A", "Tab Enter"; click: "Shift"), scroll ("down 300", ' +
        '"until TEXT"), file(s), or ref to drop on',
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  ).describe(
    'Text, option(s), keys ("Control+A", "Tab Enter"), keys of a click ("Control+Shift"), ' +
      'scroll ("down 300", "until TEXT"), file path(s), or ref to drop on',
  ),
  ...STATE_FIELD,
  ...RECORDED_FIELD,
  ...ACT_FIELDS,
});

type InteractInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

/** The target of a drag: a ref, otherwise words. */
const dropTarget = ({ action, value }: InteractInput): Interaction['to'] => {
  if (action !== 'drag' || typeof value !== 'string') return undefined;
  return /^(?:f\d+)?e\d+$/.test(value) ? { ref: value } : { query: value };
};

export const interact = defineTool({
  name: 'interact',
  description:
    'Act on one element (ref, selector or query) with real input. Waits until it is ' +
    'actionable; reports the effects or "no effect seen". Several fields: fill_form; several ' +
    'steps: act.',
  returns:
    '{receipt: {did, target?, effects: {url?, newTabs?, dialog?, downloads?, requests?, ' +
    'value?, …}}, after?}',
  keywords:
    'click tap type press hover scroll drag drop upload file select check button keyboard ' +
    'copy paste clipboard modifier shift ctrl',
  tier: 1,
  traits: {
    effect: 'act',
    recipe: 'action',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 15_000,
    header: renderStateHeader,
    noEffect: hasNoEffect,
    core: true,
    takesSecrets: ['value'],
  },
  input,
  prepare: (given) => {
    parseTarget('interact', given); // rejects several targets before the action
    if (given.action === 'drag' && dropTarget(given) === undefined)
      throw fail(
        'invalid_argument',
        'drag needs "value": the ref or the words of the element to drop on.',
        { argument: 'value' },
      );
    return given;
  },
  examples: [
    { action: 'click', ref: 'e12' },
    { action: 'fill', query: 'Email', value: 'ada@example.com' },
    { action: 'press', value: 'Control+Enter' },
  ],
  run: async (given, context) => {
    const { action, value, returnAfterState } = given;
    const { tab, signal } = context;
    await readBefore(tab, returnAfterState, signal);
    const receipt = await act(createActionContext(context, given), {
      action,
      target: parseTarget('interact', given),
      value,
      to: dropTarget(given),
    });
    const reading = await readAfter(tab, returnAfterState, signal);
    return defined({
      receipt,
      url: tab.url,
      after: ifDefined(reading, (reading) => selectStateAfter(returnAfterState, reading)),
    });
  },
  render: ({ receipt, url, after }) => {
    const text = renderReceipt(receipt, url);
    return after ? { lead: text, text: renderStateAfter(after) } : text;
  },
});
