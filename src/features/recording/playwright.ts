// Renders a recording as a Playwright script. Pure.
import { type ByKind, callByKind, listDefined } from '../../core/collections.ts';
import { ifDefined } from '../../core/defined.ts';
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
const { chromium } = await import('playwright').catch(() => import('playwright-core'));
const browser = await chromium.launch({
${LAUNCH_OPTIONS}
});
const page = await browser.newPage({ viewport: ${renderLiteral(viewport)} });
page.setDefaultTimeout(15_000);
`;

const HELPERS = {
  ...SHARED_HELPERS,
  find: `/** Returns the first of the given locators that matches exactly one element. */
const find = (...ways) =>
  until(String(ways[0]), async () => {
    for (const way of ways) if ((await way.count()) === 1) return way;
  });`,
  frame: `const frame = (name, url) =>
  until(\`the frame \${url}\`, async () =>
    page
      .frames()
      .find((one) => (name && one.name() === name) || one.url().replace(/[?#].*$/s, '') === url));`,
  arrived: renderArrivedHelper("page.waitForLoadState('domcontentloaded')"),
};

const formatTestId = ({ attribute, value }: NonNullable<Locator['testId']>): string =>
  `[${attribute}=${JSON.stringify(value)}]`;

const waysTo = ({ testId, role, name, css }: Locator, place: string): string[] => [
  ...listDefined(
    ifDefined(testId, (testId) => `${place}.locator(${renderLiteral(formatTestId(testId))})`),
  ),
  ...(role && name
    ? [`${place}.getByRole(${renderLiteral(role)}, { name: ${renderLiteral(name)}, exact: true })`]
    : []),
  [place, ...css.map((selector) => `locator(${renderLiteral(`css=${selector}`)})`)].join('.'),
];

const renderPlace = (step: RecordedStep): string => {
  const frame = renderFrame(step);
  return frame ? `(${frame})` : 'page';
};

const found = (target: Locator, step: RecordedStep): string =>
  `(await find(${waysTo(target, renderPlace(step)).join(', ')}))`;

const options = (members: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : renderLiteral(Object.fromEntries(given));
};

const chord = ({ key, modifiers = [] }: Extract<RecordedStep, { kind: 'press' }>): string =>
  renderLiteral([...modifiers, key].join('+'));

/** Uses fill(). Sliders do not support it, so their value is set by script. */
const fill = (step: Extract<RecordedStep, { kind: 'fill' }>): string => {
  if (step.target.type !== 'range')
    return `await ${found(step.target, step)}.fill(${renderValue(step)});`;
  const set =
    '(input, value) => { input.focus(); input.value = value; ' +
    "for (const type of ['input', 'change']) " +
    'input.dispatchEvent(new Event(type, { bubbles: true })); }';
  return `await ${found(step.target, step)}.evaluate(${set}, ${renderValue(step)});`;
};

const statement = (step: OwnStep): string | undefined => callByKind(STATEMENTS, step);

/** Dialogs are answered by a listener, and popups are not part of a script. */
const STATEMENTS: ByKind<OwnStep, [], string | undefined> = {
  dialog: () => undefined,
  popup: () => undefined,
  click: (step) => {
    const { button, count, modifiers, spot } = step;
    const position = spot && { x: spot.x - spot.borderX, y: spot.y - spot.borderY };
    const how = options({ button, clickCount: count, modifiers, position });
    return `await ${found(step.target, step)}.click(${how});`;
  },
  fill: (step) => fill(step),
  select: (step) =>
    `await ${found(step.target, step)}.selectOption(${renderLiteral(step.values)});`,
  check: (step) => `await ${found(step.target, step)}.setChecked(${step.checked});`,
  upload: (step) => {
    const names = step.files.map(renderLiteral).join(', ');
    return `await ${found(step.target, step)}.setInputFiles(files(${names}));`;
  },
  press: (step) =>
    step.target
      ? `await ${found(step.target, step)}.press(${chord(step)});`
      : `await page.keyboard.press(${chord(step)});`,
  drag: (step) => `await ${found(step.target, step)}.dragTo(${found(step.to, step)});`,
};

export const renderPlaywrightScript = (start: KeptStart, steps: readonly RecordedStep[]): string =>
  buildScript(
    { library: 'playwright', prologue, helpers: HELPERS, found, step: statement },
    start,
    steps,
  );
