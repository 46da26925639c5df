// Runs a recipe: repeats its steps, and stops if a target cannot be identified with certainty.
import { defined } from '../../core/defined.ts';
import { compareEffectKinds, type EffectKinds, listEffectKinds } from '../../core/effect-kinds.ts';
import { fail, Failure } from '../../core/failure.ts';
import { getField } from '../../core/json.ts';
import { quoteText } from '../../core/text.ts';
import type {
  Recipe,
  RecipeRequest,
  RecipeStep,
  RecipeTarget,
} from '../../store/recipes/recipe-schema.ts';
import { buildCallValue, type InnerReply } from '../script/inner-call.ts';
import { fillSteps, type RecipeParams } from './recipe-params.ts';

export interface RecipeRunOptions {
  readonly call: (name: string, args: object) => Promise<InnerReply>;
  /** As `call`, for a step of the kind `call`; throws for a tool that recipes may not repeat. */
  readonly repeat: (name: string, args: object) => Promise<InnerReply>;
  /** Gets each finished step in one line. */
  readonly onStep: (step: string, done: number, total: number) => void;
}

export interface RecipeRun {
  readonly recipe: string;
  readonly steps: number;
  /** One line per target that was found by other facts than its name. */
  readonly healed: readonly string[];
  /** The response of the last request step. */
  readonly result?: unknown;
}

export const runRecipe = async (
  recipe: Recipe,
  given: RecipeParams,
  options: RecipeRunOptions,
): Promise<RecipeRun> => {
  const steps = fillSteps(recipe, given);
  const run = new RecipeRunner(options);
  const done: string[] = [];
  for (const [at, step] of steps.entries()) {
    try {
      await run.perform(step);
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'cancelled') throw error;
      throw await run.describeStop(recipe, at, step, error, done);
    }
    done.push(describeRecipeStep(step));
    options.onStep(describeRecipeStep(step), at + 1, recipe.steps.length);
  }
  const { healed, result } = run;
  return defined({ recipe: recipe.name, steps: done.length, healed, result });
};

interface RecipeHit {
  readonly ref: string;
  readonly role: string;
  readonly name: string;
  readonly states: string;
}

class RecipeRunner {
  readonly #options: RecipeRunOptions;
  readonly healed: string[] = [];
  result: unknown;

  constructor(options: RecipeRunOptions) {
    this.#options = options;
  }

  async perform(step: RecipeStep): Promise<void> {
    if ('open' in step) await this.#call('navigate', { url: step.open });
    else if ('action' in step) await this.#act(step);
    else if ('wait' in step) await this.#call('wait_for', step.wait);
    else if ('request' in step) this.result = await this.#send(step.request);
    else if ('call' in step) await this.#repeat(step.call, step.args);
    if ('expect' in step && step.expect) await this.#check(step.expect);
  }

  /** The failure of a run that stopped: step, reason, page and the steps done. */
  async describeStop(
    { name, steps }: Recipe,
    at: number,
    step: RecipeStep,
    { code, message, details }: Failure,
    done: readonly string[],
  ): Promise<Failure> {
    const { hint: _hint, retryable: _retryable, ...facts } = details;
    const page = await this.#readState();
    return fail(
      'recipe_stopped',
      `The recipe "${name}" stopped at step ${at + 1} of ${steps.length} ` +
        `(${describeRecipeStep(step)}): ${message}`,
      defined({ step: at + 1, reason: code, page, done, healed: this.healed, ...facts }),
    );
  }

  async #readState(): Promise<unknown> {
    const reply = await this.#options.call('read_page', { max_tokens: 500 });
    return reply.failure ? undefined : getField(buildCallValue(reply), 'state');
  }

  async #call(name: string, args: object): Promise<unknown> {
    const reply = await this.#options.call(name, args);
    if (reply.failure) throw reply.failure;
    return buildCallValue(reply);
  }

  async #repeat(name: string, args: object): Promise<void> {
    const { failure } = await this.#options.repeat(name, args);
    if (failure) throw failure;
  }

  async #act(step: Extract<RecipeStep, { action: string }>): Promise<void> {
    const { action, target, value, receipt } = step;
    const awaited = defined({ recordedEffects: receipt });
    const send = (place: object): Promise<unknown> =>
      this.#call('interact', { action, ...place, ...defined({ value }), ...awaited });
    const data = target ? await this.#actOn(target, send) : await send({});
    const difference = receipt && compareEffectKinds(receipt, readEffects(data));
    if (difference !== undefined) throw stop('effects_differ', `${difference}.`);
  }

  /** A target with a role and a name is found by the action itself, which saves a call. */
  async #actOn(target: RecipeTarget, send: (place: object) => Promise<unknown>): Promise<unknown> {
    const recorded = buildRecorded(target);
    if (!recorded) return send(await this.#locate(target));
    try {
      const data = await send({ recorded, wait_ms: FIND_MS });
      const healed = getField(getField(data, 'receipt'), 'healed');
      if (typeof healed === 'string') this.healed.push(`${describeTarget(target)} ${healed}`);
      return data;
    } catch (error) {
      if (!isMissing(error) || target.label === undefined) throw error;
      return send(await this.#heal(target));
    }
  }

  async #check(expected: object): Promise<void> {
    const report = await this.#call('expect', expected);
    if (getField(report, 'passed') === true) return;
    const lines = String(getField(report, 'text')).split('\n');
    const failed = lines.filter((line) => line.startsWith(FAILED));
    const reasons = failed.map((line) => line.slice(FAILED.length));
    throw stop('expectation_failed', `the expectation failed: ${reasons.join('; ')}.`);
  }

  /** For a target without a role or a name, or with words of its row. */
  async #locate(target: RecipeTarget): Promise<{ readonly ref: string }> {
    const exact = selectExact(target, await this.#waitForName(target));
    const [only, another] = exact;
    if (only && !another) return { ref: only.ref };
    if (another)
      throw fail('ambiguous_target', `${exact.length} elements match ${describeTarget(target)}.`);
    return this.#heal(target);
  }

  /** A target without a name is found by its label, its test id, or its selector. */
  #waitForName(target: RecipeTarget): Promise<readonly RecipeHit[]> {
    const { role, name, near, label, testId, selector } = target;
    const named = [{ query: name }, { label }, { testId }, { selector }].map(defined);
    const fact = named.find((one) => Object.keys(one).length > 0);
    return this.#find({ ...defined({ role, near }), ...fact, wait_ms: FIND_MS });
  }

  async #find(args: object): Promise<readonly RecipeHit[]> {
    const value = await this.#call('find', { ...args, limit: MAX_HITS });
    return (getField(value, 'hits') ?? []) as readonly RecipeHit[];
  }

  /** Never by the role alone: another element of this role may be the only one left. */
  async #heal(target: RecipeTarget): Promise<{ readonly ref: string }> {
    const { role, testId, label } = target;
    for (const fact of [defined({ testId }), defined({ label })]) {
      if (Object.keys(fact).length === 0) continue;
      const hits = (await this.#find(fact)).filter((hit) => isUsable(hit) && sameRole(hit, role));
      const [only, another] = hits;
      if (!only || another) continue;
      const [found] = Object.keys(fact);
      this.healed.push(
        `${describeTarget(target)} was found by its ${found}: it is now ${quoteText(only.name)}`,
      );
      return { ref: only.ref };
    }
    throw fail('element_not_found', `No element matches ${describeTarget(target)}.`);
  }

  /** Sends a request from inside the page, with its cookies. The owner's policy judges it. */
  async #send(request: RecipeRequest): Promise<unknown> {
    const { method, status: expected } = request;
    const { url, headers, body } = buildRequest(request);
    const value = await this.#call('network', {
      send: defined({ method, url, headers, body }),
      confirm: true,
      max_body: MAX_RESPONSE_BYTES,
    });
    const status = Number(getField(value, 'status'));
    const isExpected = expected === undefined ? status < 400 : status === expected;
    if (isExpected) return { status, body: getField(value, 'body') };
    throw stop('status_differs', `the response has the status ${status}.`);
  }
}

const FAILED = 'failed: ';

const stop = (reason: string, message: string): Failure =>
  fail('recipe_stopped', message, { reason });

/** The kinds of effects in the data of an action. */
const readEffects = (data: unknown): EffectKinds => {
  const effects = getField(getField(data, 'receipt'), 'effects');
  return listEffectKinds(effects ?? {});
};

/** The facts for the argument `recorded`; undefined if the target is found by other facts. */
const buildRecorded = (target: RecipeTarget): object | undefined => {
  const { role, name, near, testId, attributes, row, within, order } = target;
  if (role === undefined || name === undefined || near !== undefined) return undefined;
  return defined({ role, name, testId, attributes, row, within, order });
};

const isMissing = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'element_not_found';

/** The address with its query, and the body as a text with its content type. */
const buildRequest = (request: RecipeRequest): Pick<RecipeRequest, 'url' | 'headers' | 'body'> => {
  const { url, query, headers, json, form, body } = request;
  const address = query ? addQuery(url, query) : url;
  if (json !== undefined)
    return {
      url: address,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    };
  if (form === undefined) return { url: address, headers, body };
  return {
    url: address,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  };
};

const addQuery = (address: string, query: Readonly<Record<string, string>>): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  return url.href;
};

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** How long to wait for a target to appear. */
const FIND_MS = 3_000;
const MAX_HITS = 50;

const UNUSABLE = new Set(['hidden', 'inert', 'behind-dialog']);

const isUsable = ({ states }: RecipeHit): boolean =>
  !states.split(' ').some((word) => UNUSABLE.has(word));

const selectExact = ({ role, name }: RecipeTarget, hits: readonly RecipeHit[]): RecipeHit[] =>
  hits.filter(
    (hit) => isUsable(hit) && sameRole(hit, role) && (name === undefined || hit.name === name),
  );

const sameRole = (hit: RecipeHit, role: string | undefined): boolean =>
  role === undefined || hit.role === role;

const describeTarget = ({ role = 'element', name, selector, near }: RecipeTarget): string => {
  const what = name === undefined ? (selector ?? '') : quoteText(name);
  return `${role} ${what}${near === undefined ? '' : ` near ${quoteText(near)}`}`.trim();
};

/** A step in one line, without its value, which may be private. */
export const describeRecipeStep = (step: RecipeStep): string => {
  if ('open' in step) return `open ${step.open}`;
  if ('action' in step)
    return step.target ? `${step.action} ${describeTarget(step.target)}` : step.action;
  if ('wait' in step) return `wait for ${JSON.stringify(step.wait)}`;
  if ('request' in step) return `${step.request.method} ${step.request.url}`;
  if ('call' in step) return `call ${step.call}`;
  return `expect ${JSON.stringify(step.expect)}`;
};
