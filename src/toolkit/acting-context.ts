// Shared by tools that act: fields that name a target, wait times, and the action context.
import { defined, ifDefined } from '../core/defined.ts';
import { z } from 'zod';
import { EffectKinds } from '../core/effect-kinds.ts';
import { fail } from '../core/failure.ts';
import type { ActionContext } from '../browser/act/perform.ts';
import type { ActionData } from '../core/receipt.ts';
import type { Frame } from '../browser/tabs/frames.ts';
import type { ActionTarget } from '../browser/act/elements.ts';
import type { TabContext } from './context.ts';
import { markListedAs, markUndescribed, markUnlisted } from './tool-description.ts';

export const TARGET_FIELDS = {
  ref: z.string().min(1).max(40).optional(),
  selector: z.string().min(1).max(10_000).optional().describe('CSS or XPath'),
  query: markUndescribed(
    z.string().min(1).max(500).optional().describe('Words of its name, label or text'),
  ),
};

const text = z.string().max(10_000);

/** The facts of an element of an earlier run, as recipes contain them. */
export const RECORDED_FIELD = {
  recorded: markUnlisted(
    z
      .object({
        role: text,
        name: text,
        testId: text.optional(),
        attributes: z.record(z.string(), text).optional(),
        row: text.optional(),
        within: z.array(text).max(20).optional(),
        order: z.array(text).max(20).optional(),
      })
      .optional()
      .describe('The element by the facts that a recipe recorded, instead of ref'),
  ),
  recordedEffects: markUnlisted(
    EffectKinds.optional().describe('Effects of the recorded action, which are waited for'),
  ),
};

/** Not listed per tool: the server's instructions explain them. */
export const ACT_FIELDS = {
  waitForMs: markUnlisted(
    z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(1500)
      .describe('How long to wait for the target to be usable'),
  ),
  settleMs: markUnlisted(
    z
      .number()
      .int()
      .min(0)
      .max(30_000)
      .default(1500)
      .describe('Longest wait for effects of the action'),
  ),
};

const STATES = ['none', 'ax', 'diff'] as const;
const returnAfterState = z
  .enum(STATES)
  .default('none')
  .describe('Add the page, or its changes, to the reply');

/** Listed only by the first tool that has it, which names the others. */
export const STATE_FIELD = {
  returnAfterState: markListedAs(returnAfterState, {
    type: 'string',
    enum: STATES,
    description: 'Page, or its changes, in the reply (also in fill_form, act)',
  }),
};
export const STATE_FIELD_AGAIN = { returnAfterState: markUnlisted(returnAfterState) };

/** The listed types of a field's value; numbers are accepted as texts. */
export const LISTED_VALUE = {
  anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
};

/** The header trait of tools that return the state after an action. */
export const renderStateHeader = (_: unknown, { after }: ActionData): 'ax' | 'diff' | undefined =>
  after?.mode;

interface TargetInput {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
  readonly query?: string | undefined;
  readonly recorded?: RecordedInput | undefined;
}

type RecordedInput = z.output<(typeof RECORDED_FIELD)['recorded']>;

/** Returns the target that the arguments name; undefined if they name none. */
export const parseTarget = (
  tool: string,
  { ref, selector, query, recorded }: TargetInput,
): ActionTarget | undefined => {
  if ([ref, selector, query, recorded].filter((given) => given !== undefined).length > 1)
    throw fail('invalid_argument', `${tool} accepts only one of "ref", "selector" and "query".`, {
      argument: 'ref',
    });
  if (ref !== undefined) return { ref };
  if (selector !== undefined) return { selector };
  if (recorded) return { recorded: defined(recorded) };
  return ifDefined(query, (query) => ({ query }));
};

/**
 * A `srcdoc` document belongs to the page that contains it; other documents without a URL belong to
 * no host.
 */
const documentAddress = (frame: Frame): string =>
  frame.url === 'about:srcdoc' && frame.parent ? documentAddress(frame.parent) : frame.url;

interface ActInput {
  readonly waitForMs: number;
  readonly settleMs: number;
  readonly recordedEffects?: EffectKinds | undefined;
}

/** How long to wait for a first effect if nothing happens. */
const IDLE_MS = 100;

export const createActionContext = (
  context: TabContext,
  { waitForMs, settleMs, recordedEffects }: ActInput,
): ActionContext => {
  const { tab, session, signal, deadline, services, allowUpload, allowAction, recheckAction } =
    context;
  return {
    tab,
    signal,
    deadline,
    reachMs: waitForMs,
    patience: { settleMs, idleMs: Math.min(IDLE_MS, settleMs), expected: recordedEffects },
    chromeRuns: () => services.browser.running,
    clipboard: session.clipboard,
    allowFile: allowUpload,
    allowAction,
    recheckAction,
    keepTargets: context.taskId === undefined ? undefined : context.keepTargets,
    learnSecret: (text) => services.redactor.learn(text),
    fillSecrets: (text, frame) =>
      context.fillSecrets(
        text,
        frame && { top: tab.frames.main.url, frame: documentAddress(frame) },
      ),
  };
};
