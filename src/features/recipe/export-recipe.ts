// Renders a recipe as a Playwright test with expectations, or as a Puppeteer script. Pure.
import { isRecord, isUnknownArray } from '../../core/json.ts';
import type {
  Recipe,
  RecipeRequest,
  RecipeStep,
  RecipeTarget,
} from '../../store/recipes/recipe-schema.ts';
import { renderLiteral } from '../recording/script-text.ts';
import { describeRecipeStep } from './run-recipe.ts';

export const RECIPE_EXPORTS = ['playwright', 'puppeteer'] as const;
export type RecipeExport = (typeof RECIPE_EXPORTS)[number];

export const exportRecipe = (recipe: Recipe, library: RecipeExport): string =>
  library === 'playwright' ? renderTest(recipe) : renderPuppeteer(recipe);

/** A text with parameters and secrets as an expression. */
const renderText = (text: string): string => {
  const parts = text.split(/(\{\{\w{1,64}\}\}|\$\{SECRET:[^}]{1,200}\})/);
  const rendered = parts.filter((part) => part !== '').map(renderPart);
  return rendered.length === 0 ? "''" : rendered.join(' + ');
};

const renderPart = (part: string): string => {
  if (part.startsWith('{{')) return `String(params[${renderLiteral(part.slice(2, -2))}])`;
  if (part.startsWith('${SECRET:')) return `process.env[${renderLiteral(part.slice(9, -1))}]`;
  return renderLiteral(part);
};

const renderParams = ({ params }: Recipe): string => {
  const values = Object.entries(params).map(([key, { default: value }]) => [key, value ?? null]);
  return `const params = { ...${renderLiteral(Object.fromEntries(values))}, ...JSON.parse(process.env.PARAMS ?? '{}') };`;
};

const renderTest = (recipe: Recipe): string =>
  `${[
    "import { expect, test } from '@playwright/test';",
    '',
    renderParams(recipe),
    '',
    `test(${renderLiteral(recipe.name)}, async ({ page }) => {`,
    ...recipe.steps.flatMap(renderPlaywrightStep).map((line) => `  ${line}`),
    '});',
  ].join('\n')}\n`;

const locator = ({ role, name, label, testId, selector, near }: RecipeTarget): string => {
  const page =
    near === undefined ? 'page' : `page.getByRole('row').filter({ hasText: ${renderText(near)} })`;
  if (role !== undefined && name !== undefined)
    return `${page}.getByRole(${renderLiteral(role)}, { name: ${renderText(name)}, exact: true })`;
  if (label !== undefined) return `${page}.getByLabel(${renderText(label)}, { exact: true })`;
  if (testId !== undefined) return `${page}.getByTestId(${renderText(testId)})`;
  return `${page}.locator(${renderText(selector ?? 'body')})`;
};

const METHODS: Readonly<Record<string, string>> = {
  click: 'click',
  double_click: 'dblclick',
  hover: 'hover',
  fill: 'fill',
  type: 'pressSequentially',
  select: 'selectOption',
  check: 'check',
  uncheck: 'uncheck',
  press: 'press',
  upload: 'setInputFiles',
  clear: 'clear',
  focus: 'focus',
};

const renderValue = (value: string | readonly string[] | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? renderText(value) : `[${value.map(renderText).join(', ')}]`;
};

const renderPlaywrightStep = (step: RecipeStep): string[] => {
  const expectations = 'expect' in step && step.expect ? renderExpectations(step.expect) : [];
  if ('open' in step) return [`await page.goto(${renderText(step.open)});`, ...expectations];
  if ('action' in step) return [renderAction(step), ...renderReceipt(step), ...expectations];
  if ('wait' in step) return renderExpectations(step.wait);
  if ('request' in step) return [renderRequest(step.request)];
  if ('call' in step) return [`// not exported: ${describeRecipeStep(step)}`];
  return expectations;
};

/** The recorded address, as far as it is the same in each run. */
const renderReceipt = ({ receipt }: Extract<RecipeStep, { action: string }>): string[] => {
  const { url } = receipt ?? {};
  if (url === undefined) return [];
  const pattern = renderLiteral(url.split('*'));
  return [
    'await expect(page).toHaveURL(({ pathname }) =>',
    `  ${pattern}.every((part) => pathname.includes(part)));`,
  ];
};

const renderAction = (step: Extract<RecipeStep, { action: string }>): string => {
  const { action, target, value } = step;
  if (action === 'scroll') return renderScroll(step);
  if (!target) return `await page.keyboard.press(${renderValue(value)});`;
  if (action === 'right_click') return `await ${locator(target)}.click({ button: 'right' });`;
  return `await ${locator(target)}.${METHODS[action] ?? 'click'}(${renderValue(value)});`;
};

const renderScroll = (step: Extract<RecipeStep, { action: string }>): string =>
  step.target && step.value === undefined
    ? `await ${locator(step.target)}.scrollIntoViewIfNeeded();`
    : `// not exported: ${describeRecipeStep(step)}`;

/** Values are inserted with their type: a text that is only a parameter becomes its value. */
const renderJson = (value: unknown): string => {
  if (typeof value === 'string') {
    const [, name] = /^\{\{(\w{1,64})\}\}$/.exec(value) ?? [];
    return name === undefined ? renderText(value) : `params[${renderLiteral(name)}]`;
  }
  if (isUnknownArray(value)) return `[${value.map(renderJson).join(', ')}]`;
  if (!isRecord(value)) return renderLiteral(value);
  const entries = Object.entries(value).map(
    ([key, one]) => `${renderLiteral(key)}: ${renderJson(one)}`,
  );
  return `{ ${entries.join(', ')} }`;
};

const renderRequest = (request: RecipeRequest): string => {
  const { method, url, query, headers, json, form, body, status } = request;
  const options = Object.entries({ method, params: query, headers, data: json ?? body, form })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${renderJson(value)}`);
  const answer = `(await page.request.fetch(${renderText(url)}, { ${options.join(', ')} }))`;
  return status === undefined
    ? `expect(${answer}.ok()).toBe(true);`
    : `expect(${answer}.status()).toBe(${status});`;
};

const renderExpectations = (facts: Readonly<Record<string, unknown>>): string[] => {
  const { url, text, title, text_gone: gone, textGone = gone } = facts;
  const lines: string[] = [];
  if (typeof url === 'string')
    lines.push(
      `await expect(page).toHaveURL((address) => address.href.includes(${renderText(url.replaceAll('*', ''))}));`,
    );
  if (typeof title === 'string')
    lines.push(`await expect.poll(() => page.title()).toContain(${renderText(title)});`);
  if (typeof text === 'string')
    lines.push(`await expect(page.getByText(${renderText(text)}).first()).toBeVisible();`);
  if (typeof textGone === 'string')
    lines.push(`await expect(page.getByText(${renderText(textGone)})).toBeHidden();`);
  const { role, query, state = 'visible' } = facts;
  if (typeof role === 'string' && typeof query === 'string')
    lines.push(renderElementExpectation({ role, name: query }, String(state), facts['value']));
  return lines.length > 0
    ? lines
    : [`// not exported: ${renderLiteral(isRecord(facts) ? facts : {})}`];
};

const MATCHERS: Readonly<Record<string, string>> = {
  visible: 'toBeVisible()',
  hidden: 'toBeHidden()',
  enabled: 'toBeEnabled()',
  disabled: 'toBeDisabled()',
  checked: 'toBeChecked()',
  unchecked: 'not.toBeChecked()',
  focused: 'toBeFocused()',
};

const renderElementExpectation = (target: RecipeTarget, state: string, value: unknown): string => {
  const matcher =
    typeof value === 'string'
      ? `toHaveValue(${renderText(value)})`
      : (MATCHERS[state] ?? 'toBeVisible()');
  return `await expect(${locator(target)}).${matcher};`;
};

const renderPuppeteer = (recipe: Recipe): string =>
  `${[
    "import puppeteer from 'puppeteer';",
    '',
    renderParams(recipe),
    'const browser = await puppeteer.launch();',
    'const page = await browser.newPage();',
    ...recipe.steps.flatMap(renderPuppeteerStep),
    'await browser.close();',
  ].join('\n')}\n`;

const renderPuppeteerStep = (step: RecipeStep): string[] => {
  if ('open' in step) return [`await page.goto(${renderText(step.open)});`];
  if ('action' in step && step.target) {
    const found = `page.locator(${renderPuppeteerSelector(step.target)})`;
    const filled = `await ${found}.fill(${renderValue(step.value)});`;
    return [
      step.action === 'fill' || step.action === 'select' ? filled : `await ${found}.click();`,
    ];
  }
  if ('action' in step) return [`await page.keyboard.press(${renderValue(step.value)});`];
  if ('expect' in step && step.expect && typeof step.expect['text'] === 'string')
    return [`await page.locator('::-p-text(' + ${renderText(step.expect['text'])} + ')').wait();`];
  return [`// ${describeRecipeStep(step)}`];
};

const renderPuppeteerSelector = ({ role, name, selector }: RecipeTarget): string =>
  role !== undefined && name !== undefined
    ? `'::-p-aria([name="' + ${renderText(name)} + '"][role="${role}"])'`
    : renderText(selector ?? 'body');
