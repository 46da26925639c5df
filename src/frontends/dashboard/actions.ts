// The actions of a viewer: ends and continues tasks, answers dialogs, hand-offs and approvals.
import { APPROVAL_SCOPES } from '../../core/consent-rule.ts';
import { fail } from '../../core/failure.ts';
import { getOwn } from '../../core/json.ts';
import type { DashboardContext } from './dashboard.ts';
import type { DashboardAction } from './messages.ts';

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

const ACTIONS: Readonly<Record<DashboardAction['type'], ActionHandler>> = {
  'cancel-task': async ({ engine }, body, signal) => {
    const { status } = await engine.tasks.cancel(requireText(body, 'id'), signal);
    return { status };
  },
  'resume-task': async ({ engine }, body) => {
    const id = requireText(body, 'id');
    const { meta } = await engine.tasks.get(id);
    const { kind, session, args_summary: args } = meta;
    const { task_id } = await engine.tasks.start({ kind, args, session, resumeFrom: id });
    return { id: task_id };
  },
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
