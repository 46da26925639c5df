// The parts that exported Playwright tests and Puppeteer scripts share: texts, parameters. Pure.
import { isRecord, isUnknownArray } from '../../core/json.ts';
import type { Recipe, RecipeRequest, RecipeStep } from '../../store/recipes/recipe-schema.ts';
import { renderLiteral } from '../recording/script-text.ts';
import { describeRecipeStep } from './run-recipe.ts';

export type ActionStep = Extract<RecipeStep, { action: string }>;

/** A part of a step that the library cannot express. */
export class NotExported extends Error {}

const REFERENCE = /(\{\{\w{1,64}\}\}|\$\{(?:SECRET|TOTP):[^}]{1,200}\})/;
const SECRET_START = '${SECRET:';

/** Renders texts as expressions: parameters of the recipe, secrets and literal parts. */
export class ScriptText {
  readonly #params: Recipe['params'];

  constructor({ params }: Recipe) {
    this.#params = params;
  }

  /** The statements before the steps. */
  renderPrologue(steps: readonly string[]): string[] {
    const defaults = Object.entries(this.#params).map(([key, param]) => [key, param.default]);
    const required = Object.keys(this.#params).filter(
      (key) => this.#params[key]?.default === undefined,
    );
    const lines = [
      `const defaults = ${renderLiteral(Object.fromEntries(defaults))};`,
      "const params = { ...defaults, ...JSON.parse(process.env.PARAMS ?? '{}') };",
    ];
    if (required.length > 0)
      lines.push(
        `for (const name of ${renderLiteral(required)})`,
        '  if (params[name] === undefined) throw new Error(`The parameter "${name}" is missing.`);',
      );
    return steps.some((line) => line.includes('secret(')) ? [...lines, SECRET] : lines;
  }

  render(text: string, encode = (expression: string): string => expression): string {
    const parts = text.split(REFERENCE).filter((part) => part !== '');
    const rendered = parts.map((part) => this.#renderPart(part, encode));
    return rendered.length === 0 ? "''" : rendered.join(' + ');
  }

  /** A value inside of an address is encoded; an address that is only a parameter is not. */
  renderAddress(address: string): string {
    if (this.#findParam(address) !== undefined) return this.render(address);
    return this.render(address, (expression) => `encodeURIComponent(${expression})`);
  }

  renderValue(value: string | readonly string[] | undefined): string {
    if (value === undefined) return '';
    return typeof value === 'string'
      ? this.render(value)
      : `[${value.map((one) => this.render(one)).join(', ')}]`;
  }

  /** The texts between the `*` of an address. */
  renderParts(address: string): string {
    const parts = address.split('*').filter((part) => part !== '');
    return `[${parts.map((part) => this.render(part)).join(', ')}]`;
  }

  /** Values are inserted with their type: a text that is only a parameter becomes its value. */
  renderJson(value: unknown): string {
    if (typeof value === 'string') {
      const name = this.#findParam(value);
      return name === undefined ? this.render(value) : `params[${renderLiteral(name)}]`;
    }
    if (isUnknownArray(value)) return `[${value.map((one) => this.renderJson(one)).join(', ')}]`;
    return isRecord(value)
      ? this.renderRecord(value, (one) => this.renderJson(one))
      : renderLiteral(value);
  }

  renderTexts(texts: Readonly<Record<string, string>>): string {
    return this.renderRecord(texts, (one) => this.render(String(one)));
  }

  renderRecord(
    record: Readonly<Record<string, unknown>>,
    render: (value: unknown) => string,
  ): string {
    const entries = Object.entries(record).map(
      ([key, one]) => `${renderLiteral(key)}: ${render(one)}`,
    );
    return `{ ${entries.join(', ')} }`;
  }

  #findParam(text: string): string | undefined {
    const [, name] = /^\{\{(\w{1,64})\}\}$/.exec(text) ?? [];
    return name !== undefined && Object.hasOwn(this.#params, name) ? name : undefined;
  }

  #renderPart(part: string, encode: (expression: string) => string): string {
    const name = this.#findParam(part);
    if (name !== undefined) return encode(`String(params[${renderLiteral(name)}])`);
    if (part.startsWith(SECRET_START))
      return `secret(${renderLiteral(part.slice(SECRET_START.length, -1))})`;
    if (part.startsWith('${TOTP:')) throw new NotExported('a one-time code');
    return renderLiteral(part);
  }
}

const SECRET = `const secret = (name) => {
  if (!process.env[name]) throw new Error(\`The environment variable \${name} is missing.\`);
  return process.env[name];
};`;

/** Renders the parts of steps that differ between the libraries. */
export interface StepRenderer {
  renderAction(step: ActionStep): string[];
  renderFacts(facts: Readonly<Record<string, unknown>>): string[];
  renderRequest(request: RecipeRequest): string[];
}

/** The statements of a step; a statement that throws if the step cannot be exported. */
export const renderStep = (
  step: RecipeStep,
  number: number,
  text: ScriptText,
  renderer: StepRenderer,
): string[] => {
  try {
    return renderParts(step, text, renderer);
  } catch (error) {
    if (!(error instanceof NotExported)) throw error;
    const name = `Step ${number} (${describeRecipeStep(step)})`;
    return [`throw new Error(${renderLiteral(`${name} cannot be exported: ${error.message}.`)});`];
  }
};

const renderParts = (step: RecipeStep, text: ScriptText, renderer: StepRenderer): string[] => {
  const expectations = 'expect' in step && step.expect ? renderer.renderFacts(step.expect) : [];
  if ('open' in step)
    return [`await page.goto(${text.renderAddress(step.open)});`, ...expectations];
  if ('action' in step) return [...renderer.renderAction(step), ...expectations];
  if ('wait' in step) return renderer.renderFacts(step.wait);
  if ('call' in step) throw new NotExported('it calls a tool of OpenChrome');
  return 'request' in step ? renderer.renderRequest(step.request) : expectations;
};

export const requireText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  throw new NotExported(`${JSON.stringify(value)} is not a text`);
};

/** The pattern of a recorded path: `*` replaces ids. */
export const renderPathPattern = (path: string): string =>
  renderLiteral(
    `^${path.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]+')}$`,
  );

/** The body as the request sends it, with its content type. */
export const findContentType = ({ json, form }: RecipeRequest): string | undefined => {
  if (json !== undefined) return 'application/json';
  return form === undefined ? undefined : 'application/x-www-form-urlencoded';
};

/** Selectors of the live regions and dialogs with these roles. */
export const listRegionSelectors = (roles: readonly string[]): string[] =>
  roles.flatMap((role) => REGIONS[role] ?? [`[role="${role}"]`]);

const REGIONS: Readonly<Record<string, readonly string[]>> = {
  alert: ['[role="alert"]', '[aria-live="assertive"]'],
  status: ['[role="status"]', '[aria-live="polite"]', 'output'],
  dialog: ['[role="dialog"]', '[role="alertdialog"]', 'dialog[open]'],
};
