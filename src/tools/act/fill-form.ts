// fill_form: fills many fields in one call, reads each back, and can submit the form.
import { z } from 'zod';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { fillForm as fill, type FieldFailure } from '../../browser/act/form.ts';
import { interact } from '../../browser/act/interact.ts';
import type { ActionContext } from '../../browser/act/perform.ts';
import { type Effects, type TargetName, type Receipt, hasNoEffect } from '../../core/receipt.ts';
import { readAfter, readBefore } from '../../browser/read/read-tree.ts';
import { listDefined, listIf } from '../../core/collections.ts';
import { renderEffects, renderReceipt } from '../../render/receipt.ts';
import { renderStateAfter, selectStateAfter } from '../../render/page.ts';
import {
  ACT_FIELDS,
  renderStateHeader,
  LISTED_VALUE,
  createActionContext,
  STATE_FIELD_AGAIN,
} from '../../toolkit/acting-context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markListedAs } from '../../toolkit/tool-description.ts';

const field = z
  .object({
    ref: z.string().min(1).max(40).optional(),
    label: z.string().min(1).max(500).optional(),
    name: z.string().min(1).max(500).optional().describe('name or id attribute'),
    selector: z.string().min(1).max(10_000).optional(),
    value: markListedAs(
      z.union([
        z.string().max(1_000_000),
        z.number(),
        z.boolean(),
        z.array(z.string().max(10_000)).max(1000),
      ]),
      LISTED_VALUE,
    ),
  })
  .refine(
    ({ ref, label, name, selector }) =>
      [ref, label, name, selector].filter((given) => given !== undefined).length === 1,
    {
      message: 'each field is named by exactly one of "ref", "label", "name" and "selector"',
    },
  );

/** Only the details that help to correct the call. */
const shortFailure = ({ field: name, failure }: FieldFailure): object => {
  const { code, message, details } = failure;
  return { field: name, code, message, ...details };
};

/** The failure of a call in which no field was filled. */
const wholeFailure = (failed: readonly FieldFailure[]): Failure => {
  const [first] = failed as [FieldFailure, ...FieldFailure[]];
  if (failed.length === 1) return first.failure;
  const { code, message } = first.failure;
  return fail(code, `None of the ${failed.length} fields was filled. ${first.field}: ${message}`, {
    failed: failed.map(shortFailure),
  });
};

const submitForm = (
  actionContext: ActionContext,
  submit: boolean | string,
  button: TargetName | undefined,
): Promise<Receipt> => {
  if (typeof submit === 'string')
    return interact(actionContext, {
      action: 'click',
      target: /^e\d+$/.test(submit) ? { ref: submit } : { query: submit },
    });
  if (button?.ref === undefined)
    throw fail('element_not_found', 'The fields are filled, but their form has no submit button.', {
      hint: 'Name the button: submit: "its words" or its ref.',
    });
  return interact(actionContext, { action: 'click', target: { ref: button.ref } });
};

export const fillForm = defineTool({
  name: 'fill_form',
  description:
    'Fill many fields in one call; each is read back, and those that failed are listed. value: ' +
    'true/false for checkboxes, the option for radio groups and selects, a list for several ' +
    'options, a path for files. submit only if no field failed.',
  returns: '{filled, total, failed: [...], effects, url, submitted?, after?}',
  keywords: 'login signup input fields submit',
  tier: 1,
  traits: {
    effect: 'act',
    recipe: 'fields',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 30_000,
    header: renderStateHeader,
    noEffect: hasNoEffect,
    takesSecrets: ['fields'],
    negative: (data) => (data as { readonly failed: readonly object[] }).failed.length > 0,
  },
  input: () => ({
    fields: z.array(field).min(1).max(500),
    submit: markListedAs(
      z
        .union([z.boolean(), z.string().min(1).max(500)])
        .default(false)
        .describe('true, or the button by ref or words'),
      {
        description: 'true, or the button by ref or words',
        anyOf: [{ type: 'boolean' }, { type: 'string' }],
      },
    ),
    ...STATE_FIELD_AGAIN,
    ...ACT_FIELDS,
  }),
  examples: [
    {
      fields: [
        { label: 'Email', value: 'ada@example.com' },
        { label: 'Country', value: 'Norway' },
        { label: 'I agree', value: true },
      ],
      submit: true,
    },
  ],
  run: async (given, context) => {
    const { fields, submit, returnAfterState } = given;
    const { tab, signal } = context;
    await readBefore(tab, returnAfterState, signal);
    const actionContext = createActionContext(context, given);
    const { filled, failed, effects, submit: button } = await fill(actionContext, fields);
    if (filled === 0 && failed.length > 0) throw wholeFailure(failed);
    const submitted =
      submit !== false && failed.length === 0
        ? await submitForm(actionContext, submit, button)
        : undefined;
    const reading = await readAfter(tab, returnAfterState, signal);
    return defined({
      filled,
      total: fields.length,
      failed: failed.map(shortFailure),
      effects,
      url: tab.url,
      after: ifDefined(reading, (reading) => selectStateAfter(returnAfterState, reading)),
      submitted,
      ...compact({ notSubmitted: submit !== false && failed.length > 0 }),
    });
  },
  render: ({ filled, total, failed, effects, submitted, notSubmitted, url, after }) => {
    const all = failed.length === 0;
    const followed = renderEffects(withoutNoise(effects), url);
    const lines = [
      [
        all
          ? `filled ${total} ${total === 1 ? 'field' : 'fields'}`
          : `filled ${filled} of ${total} fields`,
        ...followed,
        ...listIf(notSubmitted, 'not submitted'),
      ].join('; '),
      ...failed.map((failure) => JSON.stringify(failure)),
      ...listDefined(ifDefined(submitted, (submitted) => renderReceipt(submitted, url))),
    ];
    const text = lines.join('\n');
    return after ? { lead: text, text: renderStateAfter(after) } : text;
  },
});

/** Filling always changes the document and moves the focus: these effects are not reported. */
const withoutNoise = (effects: Effects): Effects =>
  Object.fromEntries(
    Object.entries(effects).filter(
      ([name]) => !['changes', 'focus', 'focused', 'scrolledTo'].includes(name),
    ),
  );
