// What acting tools share: how a target is named, how long things are waited for, and the scene
// that actions play in.
import { z } from 'zod';
import { fail } from '../core/failure.ts';
import type { ActionContext } from '../browser/act/perform.ts';
import type { Frame } from '../browser/tabs/frames.ts';
import type { ActionTarget } from '../browser/act/action-target.ts';
import type { TabContext } from './context.ts';
import { markListedAs, markUnlisted } from './tool-description.ts';

export const TARGET_FIELDS = {
  ref: z.string().min(1).max(40).optional(),
  selector: z.string().min(1).max(10_000).optional().describe('CSS'),
  query: z.string().min(1).max(500).optional().describe('Words of its name, label or text'),
};

/** The server's instructions tell of them once. */
export const ACT_FIELDS = {
  waitForMs: markUnlisted(
    z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .default(1500)
      .describe('Patience with a target that is absent, covered, disabled …'),
  ),
  settleMs: markUnlisted(
    z
      .number()
      .int()
      .min(0)
      .max(30_000)
      .default(1500)
      .describe('Longest wait for effects; a page at rest ends it'),
  ),
};

const STATES = ['none', 'ax', 'diff'] as const;
const returnAfterState = z
  .enum(STATES)
  .default('none')
  .describe('Bring the page, or what changed in it, in the same reply');

/** Explained in the list where it is met first. */
export const STATE_FIELD = {
  returnAfterState: markListedAs(returnAfterState, {
    type: 'string',
    enum: STATES,
    description: 'Page, or its changes, in the reply',
  }),
};
export const STATE_FIELD_AGAIN = {
  returnAfterState: markListedAs(returnAfterState, { type: 'string', enum: STATES }),
};

/** What a field may be given; numbers are understood where a text is. */
export const LISTED_VALUE = {
  anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
};

/** The page after an action, as text. */
export interface StateAfter {
  readonly mode: 'ax' | 'diff';
  readonly text: string;
}

/** For the header trait of tools that bring the state after an action. */
export const renderStateHeader = (_: unknown, data: unknown): StateAfter['mode'] | undefined =>
  (data as { readonly state?: StateAfter }).state?.mode;

interface TargetInput {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
  readonly query?: string | undefined;
}

/** The one target that the arguments name; nothing where they name none. */
export const parseTarget = (
  tool: string,
  { ref, selector, query }: TargetInput,
): ActionTarget | undefined => {
  if ([ref, selector, query].filter((given) => given !== undefined).length > 1)
    throw fail('invalid_argument', `${tool} takes only one of "ref", "selector" and "query".`, {
      argument: 'ref',
    });
  if (ref !== undefined) return { ref };
  if (selector !== undefined) return { selector };
  return query === undefined ? undefined : { query };
};

/**
 * A document in a `srcdoc` attribute belongs to the page that contains it; other documents without
 * an address belong to no host.
 */
const documentAddress = (frame: Frame): string =>
  frame.url === 'about:srcdoc' && frame.parent ? documentAddress(frame.parent) : frame.url;

/** How long the first sign of an effect is waited for, where nothing at all seems to happen. */
const IDLE_MS = 100;

export const createActionContext = (
  context: TabContext,
  { waitForMs, settleMs }: { readonly waitForMs: number; readonly settleMs: number },
): ActionContext => {
  const { tab, session, signal, deadline, rooms, allowFile } = context;
  return {
    tab,
    signal,
    deadline,
    reachMs: waitForMs,
    patience: { settleMs, idleMs: Math.min(IDLE_MS, settleMs) },
    chromeRuns: () => rooms.browser.running,
    clipboard: session.clipboard,
    allowFile,
    learnSecret: (text) => rooms.redactor.learn(text),
    fillSecrets: (text, frame) =>
      context.fillSecrets(
        text,
        frame && { top: tab.frames.main.url, frame: documentAddress(frame) },
      ),
  };
};
