// Renders a recipe as a Puppeteer script: its steps, and most of the recorded effects. Pure.
import type { EffectKinds } from '../../core/effect-kinds.ts';
import { defined } from '../../core/defined.ts';
import type { Recipe, RecipeRequest, RecipeTarget } from '../../store/recipes/recipe-schema.ts';
import { renderLiteral } from '../recording/script-text.ts';
import {
  type ActionStep,
  findContentType,
  listRegionSelectors,
  NotExported,
  renderPathPattern,
  renderStep,
  requireText,
  ScriptText,
  type StepRenderer,
} from './recipe-script-text.ts';

export const renderPuppeteerScript = (recipe: Recipe): string => {
  const text = new ScriptText(recipe);
  const script = new PuppeteerSteps(text);
  const steps = recipe.steps.flatMap((step, index) => renderStep(step, index + 1, text, script));
  return `${[
    "import puppeteer from 'puppeteer';",
    '',
    ...text.renderPrologue(steps),
    ...HELPERS,
    '',
    'const browser = await puppeteer.launch();',
    'try {',
    '  const page = await browser.newPage();',
    ...steps.map((line) => `  ${line}`),
    '} finally {',
    '  await browser.close();',
    '}',
  ].join('\n')}\n`;
};

class PuppeteerSteps implements StepRenderer {
  readonly #text: ScriptText;

  constructor(text: ScriptText) {
    this.#text = text;
  }

  renderAction(step: ActionStep): string[] {
    const { receipt = {}, target } = step;
    const action = target
      ? this.#renderCall(step, `(await only(page, ${this.#renderSelector(target)}))`)
      : this.#renderKeys(step);
    const events = listEvents(receipt);
    return [
      'await Promise.all([',
      ...[...events, action].map((one) => `  ${one},`),
      ']);',
      ...renderResults(receipt),
    ];
  }

  #renderCall({ action, value }: ActionStep, found: string): string {
    const text = this.#text.renderValue(value);
    if (action.endsWith('click') && value !== undefined)
      throw new NotExported('Puppeteer has no click with modifiers');
    const calls: Readonly<Partial<Record<ActionStep['action'], string>>> = {
      click: `${found}.click()`,
      double_click: `${found}.click({ count: 2 })`,
      right_click: `${found}.click({ button: 'right' })`,
      hover: `${found}.hover()`,
      fill: `enter(${found}, ${text})`,
      clear: `enter(${found}, '')`,
      type: `${found}.type(${text})`,
      press: `${found}.press(${text})`,
      select: `choose(${found}, [${text}].flat())`,
      check: `setChecked(${found}, true)`,
      uncheck: `setChecked(${found}, false)`,
      focus: `${found}.focus()`,
    };
    const call = calls[action];
    if (call === undefined) throw new NotExported(`Puppeteer has no action for "${action}"`);
    return call;
  }

  #renderKeys({ action, value = '' }: ActionStep): string {
    const keys = this.#text.renderValue(value);
    if (action === 'type') return `page.keyboard.type(${keys})`;
    if (action !== 'press') throw new NotExported('it has no target');
    if (typeof value !== 'string' || /[ +]/.test(value))
      throw new NotExported('Puppeteer has no combination of keys');
    return `page.keyboard.press(${keys})`;
  }

  #renderSelector({ role, name, selector, row, near }: RecipeTarget): string {
    if (row !== undefined || near !== undefined)
      throw new NotExported('Puppeteer has no selector for the words of a row');
    if (role !== undefined && name !== undefined) {
      if (/["\\\]]/.test(name)) throw new NotExported('its name contains a quote or a bracket');
      return `'::-p-aria([name="' + ${this.#text.render(name)} + '"][role="${role}"])'`;
    }
    if (selector !== undefined) return this.#text.render(selector);
    throw new NotExported('its target has neither a role and a name nor a selector');
  }

  renderRequest(request: RecipeRequest): string[] {
    const { method, url, query = {}, headers = {}, json, form, body, status } = request;
    const text = this.#text;
    const type = findContentType(request);
    const parts = [
      `method: ${renderLiteral(method)}`,
      `headers: ${text.renderTexts({ ...defined({ 'content-type': type }), ...headers })}`,
      ...(json === undefined ? [] : [`body: JSON.stringify(${text.renderJson(json)})`]),
      ...(form ? [`body: new URLSearchParams(${text.renderTexts(form)}).toString()`] : []),
      ...(body === undefined ? [] : [`body: ${text.render(body)}`]),
    ];
    const address = `${text.renderAddress(url)}, ${text.renderTexts(query)}`;
    return [`await request(page, ${address}, { ${parts.join(', ')} }, ${status ?? 'undefined'});`];
  }

  renderFacts(facts: Readonly<Record<string, unknown>>): string[] {
    const { url, text, timeout_ms: _, timeoutMs: __, ...others } = facts;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined || (url ?? text) === undefined)
      throw new NotExported(`Puppeteer has no check for "${unknown ?? 'this'}"`);
    const lines: string[] = [];
    if (url !== undefined)
      lines.push(`await hasAddress(page, ${this.#text.renderParts(requireText(url))});`);
    if (text !== undefined)
      lines.push(`await hasText(page, ${this.#text.render(requireText(text))});`);
    return lines;
  }
}

const SENT =
  "page.waitForResponse((one) => !['GET', 'HEAD', 'OPTIONS'].includes(one.request().method()))";

const listEvents = (kinds: EffectKinds): string[] => {
  const { dialog, newTab, download, closed, problem, sent, changed, requested } = kinds;
  if (problem || download || closed || newTab || dialog !== undefined)
    throw new NotExported(
      'its recorded action opened a tab or a dialog, started a download, closed the tab, or failed',
    );
  return [
    ...(sent ? [SENT] : []),
    ...(requested ? ['page.waitForRequest(() => true)'] : []),
    ...(changed ? ['domChange(page)'] : []),
  ];
};

const renderResults = ({ url, announced = [] }: EffectKinds): string[] => {
  const lines: string[] = [];
  if (url !== undefined) lines.push(`await hasPath(page, ${renderPathPattern(url)});`);
  if (announced.length > 0) {
    const selectors = renderLiteral(listRegionSelectors(announced).join(', '));
    lines.push(`await hasAnnouncement(page, ${selectors});`);
  }
  return lines;
};

/** Functions of every exported script. */
const HELPERS = [
  `/** The only element that matches; throws if several do. */
const only = async (page, selector) => {
  await page.waitForSelector(selector, { visible: true });
  const found = await page.$$(selector);
  if (found.length !== 1) throw new Error(\`\${found.length} elements match \${selector}.\`);
  return found[0];
};`,
  `const enter = async (field, value) => {
  await field.evaluate((one) => { one.focus(); one.select?.(); });
  if (value === '') await field.press('Backspace');
  else await field.type(value);
  const actual = await field.evaluate((one) => one.value ?? one.textContent);
  if (actual !== value) throw new Error(\`The field has the value \${JSON.stringify(actual)}.\`);
};`,
  `const setChecked = async (box, wanted) => {
  const isChecked = () => box.evaluate((one) => one.checked);
  if ((await isChecked()) !== wanted) await box.click();
  if ((await isChecked()) !== wanted) throw new Error('The box did not change.');
};`,
  `const choose = async (list, labels) => {
  const values = await list.evaluate((one, wanted) => {
    const has = (label) => (option) => option.label === label || option.value === label;
    return wanted.flatMap((label) => [...one.options].find(has(label))?.value ?? []);
  }, labels);
  if (values.length < labels.length) throw new Error('The list has no such option.');
  await list.select(...values);
};`,
  `const request = async (page, address, query, init, expected) => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
  const send = async (href, options) => (await fetch(href, options)).status;
  const status = await page.evaluate(send, url.href, init);
  if (expected === undefined ? status >= 400 : status !== expected)
    throw new Error(\`The response has the status \${status}.\`);
};`,
  `const domChange = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const all = { subtree: true, childList: true, attributes: true, characterData: true };
        new MutationObserver(() => resolve()).observe(document, all);
        setTimeout(() => reject(new Error('The page did not change.')), 30_000);
      }),
  );`,
  `const hasPath = (page, pattern) =>
  page.waitForFunction((path) => new RegExp(path).test(location.pathname), {}, pattern);`,
  `const hasAddress = (page, parts) =>
  page.waitForFunction((all) => all.every((one) => location.href.includes(one)), {}, parts);`,
  `const hasText = (page, text) =>
  page.waitForFunction(
    (wanted) => document.body.innerText.replaceAll(/\\s+/g, ' ').includes(wanted),
    {},
    text,
  );`,
  `const hasAnnouncement = (page, selectors) =>
  page.waitForFunction(
    (regions) => [...document.querySelectorAll(regions)].some((one) => one.innerText?.trim()),
    {},
    selectors,
  );`,
].flatMap((source) => ['', source]);
