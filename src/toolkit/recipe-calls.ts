// The calls of a task for a new recipe, and the check of the calls that recipes repeat.
import { attempt } from '../core/attempt.ts';
import { fail, getErrorMessage } from '../core/failure.ts';
import { explainIssue } from '../core/issue-text.ts';
import { getField, isRecord } from '../core/json.ts';
import type { RecipePart, SourceCall } from '../features/recipe/task-calls.ts';
import type { Recipe } from '../store/recipes/recipe-schema.ts';
import type { CallEntry } from '../store/journal/journal.ts';
import { findUnknownArgument, selectOwnArguments } from './argument-names.ts';
import type { Services } from './context.ts';
import type { Tool } from './define-tool.ts';

type RecipeServices = Pick<Services, 'tasks' | 'journal' | 'tools'>;

/** The successful calls of a task. Throws if the journal does not have all calls of the task. */
export const listSourceCalls = async (
  task: string,
  { tasks, journal, tools }: RecipeServices,
): Promise<SourceCall[]> => {
  const { meta, envelope } = await tasks.get(task);
  const entries = await journal.callsOfTask(task, meta.created_at);
  const recorded = envelope?.counters.toolCalls ?? 0;
  if (entries.length < recorded)
    throw fail(
      'recipe_invalid',
      `The journal has only ${entries.length} of the ${recorded} calls of the task ${task}.`,
      { hint: 'The journal keeps calls for 7 days: repeat the task, or record the tab.' },
    );
  return entries.flatMap((entry, index) =>
    entry.ok ? [buildSourceCall(entry, index + 1, tools)] : [],
  );
};

const buildSourceCall = (
  { tool: name, args, tabId, summary, targets = [], negative, effects }: CallEntry,
  number: number,
  tools: readonly Tool[],
): SourceCall => {
  const tool = tools.find((one) => one.name === name);
  const given = isRecord(args) ? args : {};
  const own = tool ? selectOwnArguments(tool, given) : {};
  const timeoutMs = readNumber(given['timeout_ms'] ?? given['timeoutMs']);
  const facts = { tabId, summary, targets, negative, effects, timeoutMs };
  return { ...facts, number, tool: name, args: own, part: choosePart(tool, given, own) };
};

const choosePart = (tool: Tool | undefined, given: object, own: object): RecipePart => {
  if (!tool) return { refused: 'this server does not have the tool' };
  const omitted = getField(given, 'omitted');
  if (typeof omitted !== 'string')
    return findPart(tool, own) ?? { refused: 'its arguments were redacted' };
  return isNeverRepeated(tool)
    ? 'skip'
    : { refused: `its arguments were not recorded (${omitted})` };
};

/** Undefined if the arguments are not valid, for example because they were redacted. */
const findPart = (tool: Tool, own: object): RecipePart | undefined =>
  attempt(() => tool.parse(own, (error) => error).recipe);

const readNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** True for a tool that no recipe repeats, whatever its arguments are. */
const isNeverRepeated = ({ traits }: Tool): boolean =>
  traits.ledger === true ||
  traits.makesCalls === true ||
  traits.scope === 'none' ||
  (traits.recipe === undefined && (traits.effect === 'read' || traits.observation === true));

/** Throws if a step of the kind `call` may not repeat this call. */
export const requireRepeatable = (tools: readonly Tool[], name: string, args: object): void => {
  const tool = tools.find((one) => one.name === name);
  if (tool && canRepeat(tool, args)) return;
  const available = tools.filter(({ traits }) => traits.recipe === 'call').map((one) => one.name);
  throw fail('recipe_invalid', `A step cannot call ${name.slice(0, 100)} with these arguments.`, {
    hint: 'A step calls one of the available tools with arguments that change something.',
    available,
  });
};

/** Arguments with parameters are not valid yet: the call itself checks them. */
const canRepeat = (tool: Tool, args: object): boolean => {
  if (tool.traits.recipe === undefined || findUnknownArgument(tool, args) !== undefined)
    return false;
  const part = findPart(tool, selectOwnArguments(tool, args));
  return part === undefined || part === 'call';
};

/** Throws if a tool would reject the call of a step, as far as this is known before the run. */
export const requireValidSteps = ({ steps }: Recipe, tools: readonly Tool[]): void => {
  for (const [index, step] of steps.entries()) {
    if ('call' in step) requireRepeatable(tools, step.call, step.args);
    for (const part of ['wait', 'expect'] as const) {
      const facts = getField(step, part);
      const tool = tools.find(({ traits }) => traits.recipe === part);
      const problem = tool && isRecord(facts) ? findFactProblem(tool, facts) : undefined;
      if (problem !== undefined)
        throw fail('recipe_invalid', `Step ${index + 1}: "${part}" ${problem}.`, {
          step: index + 1,
          known: Object.keys(tool?.input.shape ?? {}),
        });
    }
  }
};

const findFactProblem = (tool: Tool, facts: Record<string, unknown>): string | undefined => {
  const { timeout_ms: _timeout, ...conditions } = facts;
  const unknown = findUnknownArgument(tool, conditions);
  if (unknown !== undefined) return `has the unknown condition "${unknown.slice(0, 100)}"`;
  // a parameter has its value only in a run
  if (JSON.stringify(conditions).includes('{{')) return undefined;
  try {
    tool.parse(selectOwnArguments(tool, conditions), ({ issues: [issue] }) => {
      const name = String(issue?.path[0]);
      const why = issue ? explainIssue(issue, conditions[name]) : 'is not valid';
      return new Error(`has a condition that is not valid: "${name}" ${why}`);
    });
    return undefined;
  } catch (error) {
    return getErrorMessage(error).replace(/\.$/, '');
  }
};
