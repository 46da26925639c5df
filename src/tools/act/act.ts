// act: runs a short script of plain-language steps; stops at the first step that fails.
import { z } from 'zod';
import { defined, ifDefined } from '../../core/defined.ts';
import { Failure, fail } from '../../core/failure.ts';
import { type ActStep, parseScript } from '../../browser/act/grammar.ts';
import { interact } from '../../browser/act/interact.ts';
import type { ActionContext } from '../../browser/act/perform.ts';
import { type Receipt, hasNoEffect } from '../../core/receipt.ts';
import { waitForPage } from '../../browser/act/wait-for.ts';
import { readAfter, readBefore } from '../../browser/read/read-tree.ts';
import { textIf } from '../../core/text.ts';
import { renderReceipt } from '../../render/receipt.ts';
import { renderStateAfter, selectStateAfter } from '../../render/page.ts';
import {
  ACT_FIELDS,
  renderStateHeader,
  createActionContext,
  STATE_FIELD_AGAIN,
} from '../../toolkit/acting-context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** How long a step without its own timeout waits for a text. */
const WAIT_MS = 10_000;

const runStep = async (
  actionContext: ActionContext,
  { action, target, value, to, gone }: ActStep,
): Promise<Receipt> => {
  if (action !== 'wait') return interact(actionContext, { action, target, value, to });
  await actionContext.fillSecrets(value ?? ''); // fails if it names a secret
  const waitedMs = await waitForPage(
    actionContext.tab,
    defined({ text: value ?? '', gone }),
    WAIT_MS,
    actionContext.signal,
  );
  const ending = textIf(gone, ' to disappear');
  return {
    did: `waited ${Math.round(waitedMs)} ms for ${JSON.stringify(value)}${ending}`,
    effects: {},
    waitedMs,
    sure: true,
  };
};

/** The failure of a step, with the completed and the remaining steps. */
const stopped = (
  error: unknown,
  steps: readonly ActStep[],
  at: number,
  done: readonly string[],
): unknown => {
  if (!(error instanceof Failure)) return error;
  return fail(
    error.code,
    `Step ${at + 1} of ${steps.length} ("${steps[at]?.text ?? ''}"): ${error.message}`,
    {
      ...error.details,
      done,
      remaining: steps.slice(at).map(({ text }) => text),
    },
  );
};

export const act = defineTool({
  name: 'act',
  description:
    'Run plain steps in one call: "click Sign in; type ada in Username; select Norway in ' +
    'Country; press Enter; wait for Welcome". Also: check, uncheck, double-click, right-click, ' +
    'hover, focus, clear, scroll, drag … to, upload … to. Targets: words, refs or css=…. Stops ' +
    'at the first failed step.',
  returns: '{receipts: [{receipt: {did, target?, effects}, url}], after?}',
  keywords: 'steps script instruction click type',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 60_000,
    header: renderStateHeader,
    noEffect: hasNoEffect,
    takesSecrets: ['instruction'],
  },
  input: () => ({
    instruction: z.string().min(1).max(20_000),
    ...STATE_FIELD_AGAIN,
    ...ACT_FIELDS,
  }),
  prepare: (given) => {
    parseScript(given.instruction); // an invalid step fails the call before the first action
    return given;
  },
  examples: [
    { instruction: 'click Sign in; type "ada" in Username; press Enter; wait for Welcome' },
  ],
  run: async (given, context) => {
    const steps = parseScript(given.instruction);
    const { returnAfterState } = given;
    const { tab, signal } = context;
    await readBefore(tab, returnAfterState, signal);
    const actionContext = createActionContext(context, given);
    const receipts: { readonly receipt: Receipt; readonly url: string }[] = [];
    const lines = (): string[] => receipts.map(({ receipt, url }) => renderReceipt(receipt, url));
    context.explainFailure(async () =>
      receipts.length > 0 ? { done: lines(), retryable: false } : {},
    );
    for (const [at, step] of steps.entries()) {
      const { url } = tab;
      try {
        receipts.push({ receipt: await runStep(actionContext, step), url });
      } catch (error) {
        throw stopped(error, steps, at, lines());
      }
      context.progress({ done: at + 1, total: steps.length, message: step.text });
    }
    const reading = await readAfter(tab, returnAfterState, signal);
    return defined({
      receipts,
      after: ifDefined(reading, (reading) => selectStateAfter(returnAfterState, reading)),
    });
  },
  render: ({ receipts, after }) => {
    const text = receipts.map(({ receipt, url }) => renderReceipt(receipt, url)).join('\n');
    return after ? { lead: text, text: renderStateAfter(after) } : text;
  },
});
