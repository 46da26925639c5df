// Parses a value as a recipe; an error names the step, the mistake and what is allowed. Pure.
import type { z } from 'zod';
import { fail, type Failure } from '../../core/failure.ts';
import { explainIssue } from '../../core/issue-text.ts';
import { getField, isObject, isRecord, isUnknownArray } from '../../core/json.ts';
import { Recipe, STEP_KINDS, type StepKind } from './recipe-schema.ts';

export const invalidRecipe = (source: string, reason: string): Failure =>
  fail('recipe_invalid', `${source} is not a recipe: ${reason}.`);

export const parseRecipeValue = (value: unknown, source: string): Recipe => {
  const problem = findRecipeProblem(value);
  if (problem !== undefined) throw invalidRecipe(source, problem);
  return Recipe.parse(value);
};

const findRecipeProblem = (value: unknown): string | undefined => {
  if (!isRecord(value)) return 'it must have the keys name, site and steps';
  const { steps, params } = value;
  const declared = isRecord(params) ? Object.keys(params) : [];
  for (const [index, step] of (isUnknownArray(steps) ? steps : []).entries()) {
    const problem = findStepProblem(step) ?? findUndeclared(step, declared);
    if (problem !== undefined) return `step ${index + 1}: ${problem}`;
  }
  return explainFirst(Recipe, value);
};

const KINDS = Object.keys(STEP_KINDS) as StepKind[];

/** `expect` is a kind of its own, and also a key of other kinds. */
const findStepKind = (step: object): StepKind | undefined =>
  KINDS.find((kind) => kind !== 'expect' && Object.hasOwn(step, kind)) ??
  KINDS.find((kind) => Object.hasOwn(step, kind));

const findStepProblem = (step: unknown): string | undefined => {
  const kind = isRecord(step) ? findStepKind(step) : undefined;
  if (kind === undefined || !isRecord(step)) return `it needs one of the keys ${KINDS.join(', ')}`;
  return (
    explainFirst(STEP_KINDS[kind], step) ?? findEmptyFacts(step) ?? findActionProblem(kind, step)
  );
};

const findEmptyFacts = (step: object): string | undefined => {
  const empty = ['wait', 'expect'].find((key) => isEmpty(getField(step, key)));
  return empty && `"${empty}" is empty: it needs at least one condition, for example text or url`;
};

const isEmpty = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).every((key) => key === 'timeout_ms');

const WITH_VALUE = new Set<unknown>(['fill', 'type', 'select', 'press', 'upload']);
const WITHOUT_TARGET = new Set<unknown>(['type', 'press', 'scroll']);
/** Facts by which a target is found; the others only select among several. */
const FINDING_FACTS = ['role', 'name', 'label', 'testId', 'selector'];

const findActionProblem = (kind: StepKind, step: Record<string, unknown>): string | undefined => {
  if (kind !== 'action') return undefined;
  const { action, target, value } = step;
  if (WITH_VALUE.has(action) && value === undefined) return `"${String(action)}" needs "value"`;
  if (target === undefined)
    return WITHOUT_TARGET.has(action) ? undefined : `"${String(action)}" needs "target"`;
  const isFound = FINDING_FACTS.some((fact) => getField(target, fact) !== undefined);
  return isFound ? undefined : `"target" needs one of ${FINDING_FACTS.join(', ')}`;
};

/** A parameter, also with spaces or a hyphen, which a run would not replace. */
const MARK = /\{\{\s*([\w-]{1,64})\s*\}\}/g;

const findUndeclared = (value: unknown, declared: readonly string[]): string | undefined => {
  if (typeof value === 'string') {
    const mark = [...value.matchAll(MARK)].find(
      ([text, name = '']) => !declared.includes(name) || text !== `{{${name}}}`,
    );
    return mark && explainMark(mark[0], mark[1] ?? '', declared);
  }
  if (!isObject(value)) return undefined;
  return Object.values(value)
    .map((one) => findUndeclared(one, declared))
    .find((problem) => problem !== undefined);
};

const explainMark = (mark: string, name: string, declared: readonly string[]): string => {
  if (declared.includes(name)) return `write {{${name}}} instead of ${mark}`;
  const known = declared.length > 0 ? ` (declared: ${declared.join(', ')})` : '';
  return (
    `${mark} is not a parameter: declare it under "params"${known}; ` +
    'for these braces as text, declare a parameter with this text as its default'
  );
};

/** Explains the first mistake in a value; undefined if it matches the schema. */
const explainFirst = (schema: z.ZodType, value: unknown): string | undefined => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  if (!issue) return undefined;
  const place = issue.path.length > 0 ? `"${issue.path.join('.')}"` : 'it';
  const found = issue.path.reduce<unknown>(
    (part, key) => (isObject(part) ? part[String(key)] : undefined),
    value,
  );
  if (found === undefined) return `${place} is missing`;
  const allowed = issue.code === 'unrecognized_keys' ? listKeys(schema, issue.path) : [];
  const hint = allowed.length > 0 ? ` (allowed: ${allowed.join(', ')})` : '';
  return `${place} ${explainIssue(issue, found)}${hint}`;
};

/** The keys of the object at a path of a schema. */
const listKeys = (schema: z.ZodType, path: readonly PropertyKey[]): string[] => {
  const found = unwrap(path.reduce<unknown>(findPart, schema));
  return Object.keys(getField(found, 'shape') ?? {});
};

/** The schema of a field, or of the values of a record. */
const findPart = (schema: unknown, key: PropertyKey): unknown => {
  const outer = unwrap(schema);
  const field = getField(getField(outer, 'shape'), String(key));
  return field ?? getField(getField(outer, 'def'), 'valueType');
};

/** The schema without its optional or default wrapper. */
const unwrap = (schema: unknown): unknown => {
  const inner = getField(getField(schema, 'def'), 'innerType');
  return inner === undefined ? schema : unwrap(inner);
};
