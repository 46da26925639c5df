// Puts questions to the user of an MCP client by elicitation, and parses the answers.
import { getField, isRecord } from '../../core/json.ts';
import type { Elicit } from '../../features/consent/waiting.ts';
import type { WaitingItem } from '../../store/consent/waiting-files.ts';
import type { RpcParams } from './protocol.ts';

/** Sends a request to the client; rejects if the client reports an error. */
export type AskClient = (
  method: string,
  params: RpcParams,
  signal: AbortSignal,
) => Promise<unknown>;

const CHOICES: Readonly<Record<WaitingItem['kind'], readonly (readonly [string, string])[]>> = {
  approval: [
    ['deny', 'No'],
    ['once', 'Yes, once'],
    ['session', 'Yes, in this session'],
    ['always', 'Yes, always on this host'],
  ],
  handoff: [
    ['done', 'Done'],
    ['cant', 'I cannot do it'],
  ],
};

/** Whether the client accepts forms: an empty object means forms, as in the first revision. */
export const offersForms = (capabilities: unknown): boolean => {
  const offered = getField(capabilities, 'elicitation');
  if (!isRecord(offered)) return false;
  return Object.keys(offered).length === 0 || isRecord(offered['form']);
};

/** The parameters of `elicitation/create`. The texts of models and pages are data, cut short. */
const buildQuestion = (item: WaitingItem): RpcParams => {
  const choices = CHOICES[item.kind];
  const first =
    item.kind === 'approval' ? item.summary : `The agent needs your help: ${item.reason}`;
  const where = item.url === undefined ? '' : `\nPage: ${item.url.slice(0, 300)}`;
  return {
    mode: 'form',
    message: `${first.slice(0, 500)}${where}`,
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Your answer',
          enum: choices.map(([value]) => value),
          enumNames: choices.map(([, title]) => title),
        },
      },
      required: ['answer'],
    },
  };
};

type ClientAnswer = Awaited<ReturnType<Elicit>>;

const ANSWERS: Readonly<Record<string, ClientAnswer>> = {
  deny: { outcome: 'denied', scope: 'once' },
  once: { outcome: 'approved', scope: 'once' },
  session: { outcome: 'approved', scope: 'session' },
  always: { outcome: 'approved', scope: 'always' },
  done: { outcome: 'done', scope: 'once' },
  cant: { outcome: 'cant', scope: 'once' },
};

/**
 * Undefined if the user closed the question: the dashboard and the terminal can still answer. An
 * answer that was not offered counts as no answer.
 */
const parseClientAnswer = ({ kind }: WaitingItem, result: unknown): ClientAnswer => {
  const action = getField(result, 'action');
  if (action === 'decline')
    return { outcome: kind === 'approval' ? 'denied' : 'cant', scope: 'once' };
  const answer = getField(getField(result, 'content'), 'answer');
  if (action !== 'accept' || typeof answer !== 'string') return undefined;
  const isOffered = CHOICES[kind].some(([value]) => value === answer);
  return isOffered ? ANSWERS[answer] : undefined;
};

export const createElicit =
  (ask: AskClient): Elicit =>
  async (item, signal) =>
    parseClientAnswer(item, await ask('elicitation/create', buildQuestion(item), signal));
