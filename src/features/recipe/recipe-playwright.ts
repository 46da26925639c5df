// Renders a recipe as a Playwright test: its steps, recorded effects and expectations. Pure.
import type { EffectKinds } from '../../core/effect-kinds.ts';
import type { Recipe, RecipeRequest, RecipeTarget } from '../../store/recipes/recipe-schema.ts';
import { renderLiteral } from '../recording/script-text.ts';
import {
  type ActionStep,
  listRegionSelectors,
  NotExported,
  renderPathPattern,
  renderStep,
  requireText,
  ScriptText,
  type StepRenderer,
} from './recipe-script-text.ts';

export const renderPlaywrightTest = (recipe: Recipe): string => {
  const text = new ScriptText(recipe);
  const test = new PlaywrightSteps(text);
  const steps = recipe.steps.flatMap((step, index) => renderStep(step, index + 1, text, test));
  const used = Object.entries(HELPERS).filter(([name]) =>
    steps.some((line) => line.includes(`${name}(`)),
  );
  return `${[
    "import { expect, test } from '@playwright/test';",
    '',
    ...text.renderPrologue(steps),
    ...used.flatMap(([, source]) => ['', source]),
    '',
    `test(${renderLiteral(recipe.name)}, async ({ page }) => {`,
    ...steps.map((line) => `  ${line}`),
    '});',
  ].join('\n')}\n`;
};

const METHODS: Readonly<Record<string, string>> = {
  click: 'click',
  double_click: 'dblclick',
  right_click: 'click',
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
  scroll: 'scrollIntoViewIfNeeded',
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

/** The facts of an expectation or a wait that are exported; `timeout_ms` limits both. */
const KNOWN_FACTS = new Set([
  ...['url', 'title', 'text', 'text_gone', 'textGone', 'timeout_ms', 'timeoutMs'],
  ...['role', 'query', 'label', 'selector', 'state', 'value', 'count'],
]);

class PlaywrightSteps implements StepRenderer {
  readonly #text: ScriptText;

  constructor(text: ScriptText) {
    this.#text = text;
  }

  renderAction(step: ActionStep): string[] {
    const { receipt = {} } = step;
    const action = step.target
      ? `${this.#locate(step.target)}.${this.#renderCall(step)}`
      : this.#renderKeys(step);
    const events = listEvents(receipt);
    const done =
      events.length === 0
        ? [`await ${action};`]
        : ['await Promise.all([', ...[...events, action].map((one) => `  ${one},`), ']);'];
    return [...done, ...renderResults(receipt)];
  }

  #renderCall({ action, value }: ActionStep): string {
    if (action === 'scroll' && value !== undefined)
      throw new NotExported('Playwright does not scroll an element by a distance');
    if (!action.endsWith('click')) return `${METHODS[action]}(${this.#text.renderValue(value)})`;
    const button = action === 'right_click' ? ["button: 'right'"] : [];
    const modifiers =
      value === undefined ? [] : [`modifiers: String(${this.#text.renderValue(value)}).split('+')`];
    const options = [...button, ...modifiers].join(', ');
    return `${METHODS[action]}(${options === '' ? '' : `{ ${options} }`})`;
  }

  /** Keys and text for the focused element. */
  #renderKeys({ action, value = '' }: ActionStep): string {
    const keys = this.#text.renderValue(value);
    if (action === 'type') return `page.keyboard.type(${keys})`;
    if (action !== 'press') throw new NotExported('it has no target');
    return typeof value === 'string' && !value.trim().includes(' ')
      ? `page.keyboard.press(${keys})`
      : `pressAll(page, ${keys})`;
  }

  #locate(target: RecipeTarget): string {
    const { row, near } = target;
    const found = this.#find(target);
    if (near !== undefined) return `(await inRow(${found}, ${this.#text.render(near)}))`;
    return row === undefined ? found : `(await inRow(${found}, ${this.#text.render(row)}))`;
  }

  #find({ role, name, label, testId, selector }: RecipeTarget): string {
    const text = this.#text;
    if (role !== undefined && name !== undefined)
      return `page.getByRole(${renderLiteral(role)}, { name: ${text.render(name)}, exact: true })`;
    if (label !== undefined) return `page.getByLabel(${text.render(label)}, { exact: true })`;
    if (testId !== undefined) return `page.getByTestId(${text.render(testId)})`;
    if (selector !== undefined) return `page.locator(${text.render(selector)})`;
    throw new NotExported('its target has neither a role and a name nor a selector');
  }

  renderRequest(request: RecipeRequest): string[] {
    const { method, url, query, headers, json, form, body, status } = request;
    const text = this.#text;
    const parts = [
      `method: ${renderLiteral(method)}`,
      ...(query ? [`params: ${text.renderTexts(query)}`] : []),
      ...(headers ? [`headers: ${text.renderTexts(headers)}`] : []),
      ...(json === undefined ? [] : [`data: ${text.renderJson(json)}`]),
      ...(form ? [`form: ${text.renderTexts(form)}`] : []),
      ...(body === undefined ? [] : [`data: ${text.render(body)}`]),
    ];
    const sent = `(await page.request.fetch(${text.renderAddress(url)}, { ${parts.join(', ')} }))`;
    const matcher = status === undefined ? 'toBeLessThan(400)' : `toBe(${status})`;
    return [`expect(${sent}.status()).${matcher};`];
  }

  renderFacts(facts: Readonly<Record<string, unknown>>): string[] {
    const unknown = Object.keys(facts).find((fact) => !KNOWN_FACTS.has(fact));
    if (unknown !== undefined) throw new NotExported(`Playwright has no check for "${unknown}"`);
    const { url, text, title, text_gone: gone, textGone = gone } = facts;
    const render = (value: unknown): string => this.#text.render(requireText(value));
    const lines: string[] = [];
    if (url !== undefined)
      lines.push(
        'await expect(page).toHaveURL(({ href }) =>',
        `  ${this.#text.renderParts(requireText(url))}.every((part) => href.includes(part)));`,
      );
    if (title !== undefined)
      lines.push(`await expect.poll(() => page.title()).toContain(${render(title)});`);
    if (text !== undefined)
      lines.push(`await expect(page.getByText(${render(text)}).first()).toBeVisible();`);
    if (textGone !== undefined)
      lines.push(`await expect(page.getByText(${render(textGone)}).first()).toBeHidden();`);
    lines.push(...this.#renderElement(facts));
    if (lines.length === 0) throw new NotExported('Playwright has no check for it');
    return lines;
  }

  #renderElement(facts: Readonly<Record<string, unknown>>): string[] {
    const { role, query, label, selector, state = 'visible', value, count } = facts;
    const given = [role, query, label, selector];
    if (given.every((one) => one === undefined)) {
      if ([facts['state'], value, count].every((one) => one === undefined)) return [];
      throw new NotExported('its element is missing');
    }
    const text = (one: unknown): string => this.#text.render(requireText(one));
    const found = this.#findElement(
      given.map((one) => (one === undefined ? undefined : text(one))),
    );
    if (count !== undefined)
      return [`await expect(${found}.filter({ visible: true })).toHaveCount(${Number(count)});`];
    if (value !== undefined) return [`await expect(${found}).toHaveValue(${text(value)});`];
    const matcher = MATCHERS[String(state)];
    if (matcher === undefined)
      throw new NotExported(`Playwright has no check for "${String(state)}"`);
    return [`await expect(${found}.first()).${matcher};`];
  }

  #findElement([role, query, label, selector]: readonly (string | undefined)[]): string {
    const facts = [query, label, selector].filter((one) => one !== undefined);
    if (facts.length > 1) throw new NotExported('it combines several facts of an element');
    if (role !== undefined && query !== undefined)
      return `page.getByRole(${role}, { name: ${query} })`;
    if (role !== undefined && facts.length > 0)
      throw new NotExported('it combines several facts of an element');
    if (role !== undefined) return `page.getByRole(${role})`;
    if (label !== undefined) return `page.getByLabel(${label})`;
    if (selector !== undefined) return `page.locator(${selector})`;
    throw new NotExported('"query" without "role" may be a name, a label or a text');
  }
}

const SENT = "page.waitForRequest((sent) => !['GET', 'HEAD', 'OPTIONS'].includes(sent.method()))";

/** The events of the recorded effects, which the test waits for during the action. */
const listEvents = (kinds: EffectKinds): string[] => {
  const { dialog, newTab, download, closed, problem, sent, changed, requested } = kinds;
  if (problem)
    throw new NotExported('its recorded action had a rejected field or a failed request');
  if (dialog !== undefined)
    throw new NotExported('its recorded action opened a dialog, and the answer is not recorded');
  return [
    ...(newTab ? ["page.waitForEvent('popup')"] : []),
    ...(download ? ["page.waitForEvent('download')"] : []),
    ...(closed ? ["page.waitForEvent('close')"] : []),
    ...(sent
      ? [`${SENT}.then((sent) => sent.response())`] // the end of the test would cancel the request
      : []),
    ...(requested ? ['page.waitForRequest(() => true)'] : []),
    ...(changed ? ['domChange(page)'] : []),
  ];
};

/** The recorded effects that can be seen after the action. */
const renderResults = ({ url, announced = [] }: EffectKinds): string[] => {
  const lines: string[] = [];
  if (url !== undefined)
    lines.push(
      'await expect(page).toHaveURL(({ pathname }) =>',
      `  new RegExp(${renderPathPattern(url)}).test(pathname));`,
    );
  if (announced.length > 0)
    lines.push(
      `await expect(page.locator(${renderLiteral(listRegionSelectors(announced).join(', '))})`,
      '  .filter({ hasText: /\\S/, visible: true }).first()).toBeVisible();',
    );
  return lines;
};

/** Functions that an exported test contains if it uses them. */
const HELPERS: Readonly<Record<string, string>> = {
  inRow: `/** The only one of these elements whose row, card or list item has the words. */
const inRow = async (found, words) => {
  const findIndex = () =>
    found.evaluateAll((all, text) => {
      const wanted = text.split(/\\s+/).filter(Boolean);
      const hasWords = (place) => {
        const shown = place.innerText.split(/\\s+/);
        return wanted.every((word) => shown.includes(word));
      };
      const isOwn = (place, element) =>
        place !== document.body && all.every((one) => one === element || !place.contains(one));
      const isInRow = (element) => {
        const row = element.closest('tr, [role=row], li, [role=listitem], article, [role=article]');
        if (row) return hasWords(row);
        let place = element.parentElement;
        while (place && isOwn(place, element) && !hasWords(place)) place = place.parentElement;
        return Boolean(place) && isOwn(place, element);
      };
      const fitting = all.filter(isInRow);
      return fitting.length === 1 ? all.indexOf(fitting[0]) : -1;
    }, words);
  await expect
    .poll(findIndex, { message: \`exactly one element in the row of "\${words}"\` })
    .toBeGreaterThanOrEqual(0);
  return found.nth(await findIndex());
};`,
  domChange: `/** Resolves when the DOM changes. */
const domChange = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const all = { subtree: true, childList: true, attributes: true, characterData: true };
        new MutationObserver(() => resolve()).observe(document, all);
      }),
  );`,
  pressAll: `/** Presses keys that are separated by spaces. */
const pressAll = async (page, keys) => {
  for (const one of [keys].flat().join(' ').split(/\\s+/)) await page.keyboard.press(one);
};`,
};
