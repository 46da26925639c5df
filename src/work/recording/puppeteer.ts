// A recording as a Puppeteer script. Pure.
import type { KeptStart, KeptStep, Locator } from './kept.ts';
import { arrivedHelper, buildScript, frameOf, LAUNCH_OPTIONS, literal, type OwnStep, SHARED_HELPERS, valueOf } from './script-text.ts';

const prologue = ({ viewport }: { readonly viewport: object }): string => `
const { default: puppeteer } = await import('puppeteer').catch(() => import('puppeteer-core'));
const browser = await puppeteer.launch({
${LAUNCH_OPTIONS}
  defaultViewport: ${literal(viewport)},
});
const page = await browser.newPage();
page.setDefaultTimeout(15_000);
`;

const HELPERS = {
  ...SHARED_HELPERS,
  find: `/** The first of several ways to name an element that leads to exactly one. */
const find = (place, ...ways) =>
  until(ways[0], async () => {
    for (const way of ways) {
      const [element, another] = await place.$$(way).catch(() => []);
      if (element && !another) return Object.assign(place.locator(way), { element });
    }
  });`,
  frame: `const frame = (name, url) =>
  until(\`the frame \${url}\`, async () => {
    for (const one of page.frames()) {
      if (one.url().replace(/[?#].*$/s, '') === url) return one;
      const owner = name && (await one.frameElement());
      if (owner && (await owner.evaluate((element) => element.name)) === name) return one;
    }
  });`,
  arrived: arrivedHelper("until('the page to load', () => page.evaluate(() => document.readyState !== 'loading'))"),
  holding: `const holding = async (modifiers, act) => {
  for (const key of modifiers) await page.keyboard.down(key);
  await act();
  for (const key of modifiers) await page.keyboard.up(key);
};`,
  press: `const press = (key) => page.keyboard.press(key).catch(() => page.keyboard.sendCharacter(key));`,
  drag: `const drag = async (from, to) => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 200)); // the browser takes up a drag in its own time
  const [start, end] = [await from.element.clickablePoint(), await to.element.clickablePoint()];
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move(start.x + 8, start.y + 8, { steps: 4 });
  await pause();
  await page.mouse.move(end.x, end.y, { steps: 8 });
  await pause();
  await page.mouse.up();
};`,
};

/** What stands in these words would end them early: other ways lead there too. */
const canBeAria = (name: string): boolean => !/["'\\[\]()]/.test(name);

const waysTo = ({ testId, role, name, css }: Locator): string[] =>
  [
    ...(testId ? [`[${testId.attribute}=${JSON.stringify(testId.value)}]`] : []),
    ...(role && name && canBeAria(name) ? [`::-p-aria([name="${name}"][role="${role}"])`] : []),
    css.join(' >>> '),
  ].map(literal);

const found = (target: Locator, step: KeptStep): string => `(await find(${[frameOf(step) ?? 'page', ...waysTo(target)].join(', ')}))`;

const withModifiers = (modifiers: readonly string[] | undefined, act: string): string =>
  modifiers && modifiers.length > 0 ? `await holding(${literal(modifiers)}, () => ${act});` : `await ${act};`;

const click = (step: Extract<KeptStep, { kind: 'click' }>): string => {
  const { target, button, count, modifiers, spot } = step;
  const given = { ...(button ? { button } : {}), ...(count ? { count } : {}), ...(spot ? { offset: { x: spot.x, y: spot.y } } : {}) };
  const how = Object.keys(given).length > 0 ? literal(given) : '';
  if (!modifiers?.length) return `await ${found(target, step)}.click(${how});`;
  return `{\n  const target = ${found(target, step)};\n  ${withModifiers(modifiers, `target.click(${how})`)}\n}`;
};

const pressKey = (step: Extract<KeptStep, { kind: 'press' }>): string => {
  const pressed = withModifiers(step.modifiers, `press(${literal(step.key)})`);
  return step.target ? `await ${found(step.target, step)}.element.focus();\n${pressed}` : pressed;
};

const check = (step: Extract<KeptStep, { kind: 'check' }>): string =>
  `{\n  const box = ${found(step.target, step)};\n  if ((await box.element.evaluate(({ checked }) => checked)) !== ${step.checked}) await box.click();\n}`;

const statement = (step: OwnStep): string | undefined => {
  switch (step.kind) {
    case 'click':
      return click(step);
    case 'fill':
      return `await ${found(step.target, step)}.fill(${valueOf(step)});`;
    case 'select':
      return `await ${found(step.target, step)}.element.select(${step.values.map(literal).join(', ')});`;
    case 'check':
      return check(step);
    case 'upload':
      return `await ${found(step.target, step)}.element.uploadFile(...files(${step.files.map(literal).join(', ')}));`;
    case 'press':
      return pressKey(step);
    case 'drag':
      return `await drag(${found(step.target, step)}, ${found(step.to, step)});`;
    default:
      return undefined;
  }
};

export const puppeteerScript = (start: KeptStart, steps: readonly KeptStep[]): string =>
  buildScript({ library: 'puppeteer', prologue, helpers: HELPERS, found, step: statement }, start, steps);
