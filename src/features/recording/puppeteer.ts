// Renders a recording as a Puppeteer script. Pure.
import { type ByKind, callByKind, listDefined, listIf } from '../../core/collections.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import type { KeptStart, RecordedStep, Locator } from './kept-lines.ts';
import {
  renderArrivedHelper,
  buildScript,
  renderFrame,
  LAUNCH_OPTIONS,
  renderLiteral,
  type OwnStep,
  SHARED_HELPERS,
  renderValue,
} from './script-text.ts';

const prologue = ({ viewport }: { readonly viewport: object }): string => `
const { default: puppeteer } = await import('puppeteer').catch(() => import('puppeteer-core'));
const browser = await puppeteer.launch({
${LAUNCH_OPTIONS}
  defaultViewport: ${renderLiteral(viewport)},
});
const page = await browser.newPage();
page.setDefaultTimeout(15_000);
`;

const HELPERS = {
  ...SHARED_HELPERS,
  find: `/** Returns the first of the given locators that matches exactly one element. */
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
  arrived: renderArrivedHelper(
    "until('the page to load', () => page.evaluate(() => document.readyState !== 'loading'))",
  ),
  holding: `const holding = async (modifiers, act) => {
  for (const key of modifiers) await page.keyboard.down(key);
  await act();
  for (const key of modifiers) await page.keyboard.up(key);
};`,
  press: `const press = (key) =>
  page.keyboard.press(key).catch(() => page.keyboard.sendCharacter(key));`,
  drag: `const drag = async (from, to) => {
  // The browser needs time to start and to move a drag.
  const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
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

/** These characters cannot be written in an aria selector; other selectors are used instead. */
const canBeAria = (name: string): boolean => !/["'\\[\]()]/.test(name);

const waysTo = ({ testId, role, name, css }: Locator): string[] =>
  [
    ...listDefined(
      ifDefined(testId, (testId) => `[${testId.attribute}=${JSON.stringify(testId.value)}]`),
    ),
    ...listIf(role && name && canBeAria(name), `::-p-aria([name="${name}"][role="${role}"])`),
    css.join(' >>> '),
  ].map(renderLiteral);

const found = (target: Locator, step: RecordedStep): string =>
  `(await find(${[renderFrame(step) ?? 'page', ...waysTo(target)].join(', ')}))`;

const withModifiers = (modifiers: readonly string[] | undefined, act: string): string =>
  modifiers && modifiers.length > 0
    ? `await holding(${renderLiteral(modifiers)}, () => ${act});`
    : `await ${act};`;

const click = (step: Extract<RecordedStep, { kind: 'click' }>): string => {
  const { target, button, count, modifiers, spot } = step;
  const given = defined({
    button,
    ...compact({ count }),
    offset: ifDefined(spot, (spot) => ({ x: spot.x, y: spot.y })),
  });
  const how = Object.keys(given).length > 0 ? renderLiteral(given) : '';
  if (!modifiers?.length) return `await ${found(target, step)}.click(${how});`;
  const held = withModifiers(modifiers, `target.click(${how})`);
  return `{\n  const target = ${found(target, step)};\n  ${held}\n}`;
};

const pressKey = (step: Extract<RecordedStep, { kind: 'press' }>): string => {
  const pressed = withModifiers(step.modifiers, `press(${renderLiteral(step.key)})`);
  return step.target ? `await ${found(step.target, step)}.element.focus();\n${pressed}` : pressed;
};

const check = (step: Extract<RecordedStep, { kind: 'check' }>): string =>
  `{\n  const box = ${found(step.target, step)};\n` +
  '  if ((await box.element.evaluate(({ checked }) => checked)) !== ' +
  `${step.checked}) await box.click();\n}`;

const statement = (step: OwnStep): string | undefined => callByKind(STATEMENTS, step);

/** Dialogs are answered by a listener, and popups are not part of a script. */
const STATEMENTS: ByKind<OwnStep, [], string | undefined> = {
  dialog: () => undefined,
  popup: () => undefined,
  click: (step) => click(step),
  fill: (step) => `await ${found(step.target, step)}.fill(${renderValue(step)});`,
  select: (step) => {
    const values = step.values.map(renderLiteral).join(', ');
    return `await ${found(step.target, step)}.element.select(${values});`;
  },
  check: (step) => check(step),
  upload: (step) => {
    const names = step.files.map(renderLiteral).join(', ');
    return `await ${found(step.target, step)}.element.uploadFile(...files(${names}));`;
  },
  press: (step) => pressKey(step),
  drag: (step) => `await drag(${found(step.target, step)}, ${found(step.to, step)});`,
};

export const renderPuppeteerScript = (start: KeptStart, steps: readonly RecordedStep[]): string =>
  buildScript(
    { library: 'puppeteer', prologue, helpers: HELPERS, found, step: statement },
    start,
    steps,
  );
