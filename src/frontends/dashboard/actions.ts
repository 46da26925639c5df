// The actions of a viewer: ends and continues tasks, answers dialogs, hand-offs and approvals.
import { APPROVAL_SCOPES } from '../../core/consent-rule.ts';
import { fail } from '../../core/failure.ts';
import { getOwn, isRecord } from '../../core/json.ts';
import type { DashboardContext } from './dashboard.ts';
import type { DashboardAction } from './messages.ts';
import type { ObservedEngine } from './routes.ts';

type ActionBody = Readonly<Record<string, unknown>>;
type ActionHandler = (
  context: DashboardContext,
  body: ActionBody,
  signal: AbortSignal,
) => Promise<unknown>;

const ACTION_MS = 30_000;

const requireText = (body: ActionBody, name: string): string => {
  const value = body[name];
  if (typeof value === 'string' && value !== '' && value.length <= 2_000) return value;
  throw fail('bad_request', `"${name}" must be a text.`);
};

const requireFlag = (body: ActionBody, name: string): boolean => {
  const value = body[name];
  if (typeof value === 'boolean') return value;
  throw fail('bad_request', `"${name}" must be true or false.`);
};

/** Starts a task that continues an ended one. The tab of the ended one may be closed. */
const resumeTask = async ({ tasks }: ObservedEngine, id: string): Promise<{ id: string }> => {
  const { kind, session, args_summary: given } = (await tasks.get(id)).meta;
  const { tabId: _, ...args } = isRecord(given) ? given : {};
  const { task_id } = await tasks.start({ kind, args, session, resumeFrom: id });
  return { id: task_id };
};

const ACTIONS: Readonly<Record<DashboardAction['type'], ActionHandler>> = {
  'cancel-task': async ({ engine }, body, signal) => {
    const { status } = await engine.tasks.cancel(requireText(body, 'id'), signal);
    return { status };
  },
  'resume-task': async ({ engine }, body) => resumeTask(engine, requireText(body, 'id')),
  'answer-dialog': async ({ observer }, body, signal) => {
    const text = body['text'];
    const promptText = typeof text === 'string' ? text : undefined;
    const accept = requireFlag(body, 'accept');
    await observer.answerDialog(requireText(body, 'tabId'), { accept, promptText }, signal);
  },
  'answer-approval': async ({ engine }, body) => {
    const allow = requireFlag(body, 'allow');
    const scope = APPROVAL_SCOPES.find((name) => name === body['scope']) ?? 'once';
    const waiting = await engine.waiting();
    await waiting.answer(requireText(body, 'id'), { allow, scope }, 'dashboard');
  },
  'finish-handoff': async ({ engine }, body) => {
    const outcome = body['outcome'] === 'done' ? 'done' : 'cant';
    const waiting = await engine.waiting();
    await waiting.finishHandoff(requireText(body, 'id'), outcome, 'dashboard');
  },
  'continue-handoff': async ({ engine }, body) => {
    const waiting = await engine.waiting();
    const { taskId = '' } = await waiting.takeInterrupted(requireText(body, 'id'), 'continued');
    return resumeTask(engine, taskId);
  },
  'dismiss-handoff': async ({ engine }, body) => {
    await (await engine.waiting()).takeInterrupted(requireText(body, 'id'), 'dismissed');
  },
  'revoke-approval': async ({ engine }, body) => {
    await (await engine.waiting()).revoke(requireText(body, 'id'));
  },
};

/** Returns the result for the viewer; throws a failure for an unknown or invalid action. */
export const runAction = async (context: DashboardContext, body: ActionBody): Promise<unknown> => {
  const action = getOwn<ActionHandler>(ACTIONS, requireText(body, 'type'));
  if (!action) throw fail('bad_request', 'This action does not exist.');
  return action(context, body, AbortSignal.timeout(ACTION_MS));
};
