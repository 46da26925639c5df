// A recording as a Playwright script. Pure.
import type { KeptStart, KeptStep, Locator } from './kept.ts';
import { buildScript, isHidden, literal, placeOf, SHARED_HELPERS, valueOf } from './script-text.ts';

const prologue = ({ viewport }: { readonly viewport: object }): string => `
const { chromium } = await import('playwright').catch(() => import('playwright-core'));
const browser = await chromium.launch({
  headless: !process.env.HEADED,
  ...(process.env.CHROME_PATH ? { executablePath: process.env.CHROME_PATH } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: ${literal(viewport)} });
page.setDefaultTimeout(15_000);
`;

const HELPERS = {
  ...SHARED_HELPERS,
  find: `/** The first of several ways to name an element that leads to exactly one. */
const find = (...ways) =>
  until(String(ways[0]), async () => {
    for (const way of ways) if ((await way.count()) === 1) return way;
  });`,
  frame: `const frame = (name, url) =>
  until(\`the frame \${url}\`, async () =>
    page.frames().find((one) => (name && one.name() === name) || one.url().replace(/[?#].*$/s, '') === url));`,
  arrived: `/** What does not come about is only said: the next step shows whether it matters. */
const arrived = (url) =>
  until(\`the page at \${url}\`, async () => page.url().replace(/[?#].*$/s, '') === url)
    .then(() => page.waitForLoadState('domcontentloaded'))
    .catch((error) => console.warn(error.message));`,
};

const waysTo = ({ testId, role, name, css }: Locator, place: string): string[] => [
  ...(testId ? [`${place}.locator(${literal(`[${testId.attribute}=${JSON.stringify(testId.value)}]`)})`] : []),
  ...(role && name ? [`${place}.getByRole(${literal(role)}, { name: ${literal(name)}, exact: true })`] : []),
  [place, ...css.map((selector) => `locator(${literal(`css=${selector}`)})`)].join('.'),
];

const placed = (step: KeptStep): string =>
  'frame' in step && step.frame ? `(await frame(${literal(step.frame.name)}, ${literal(placeOf(step.frame.url))}))` : 'page';

const found = (target: Locator, step: KeptStep): string => `(await find(${waysTo(target, placed(step)).join(', ')}))`;

const options = (members: Readonly<Record<string, unknown>>): string => {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? '' : literal(Object.fromEntries(given));
};

const chord = ({ key, modifiers = [] }: Extract<KeptStep, { kind: 'press' }>): string => literal([...modifiers, key].join('+'));

const ARRIVED = (url: string): string | undefined => (isHidden(placeOf(url)) ? undefined : `await arrived(${literal(placeOf(url))});`);

/** Playwright types into what takes text; pickers and sliders are set. */
const fill = (step: Extract<KeptStep, { kind: 'fill' }>): string => {
  if (step.target.type !== 'range') return `await ${found(step.target, step)}.fill(${valueOf(step)});`;
  const set =
    "(input, value) => { input.focus(); input.value = value; for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true })); }";
  return `await ${found(step.target, step)}.evaluate(${set}, ${valueOf(step)});`;
};

const statement = (step: KeptStep): string | undefined => {
  switch (step.kind) {
    case 'goto':
      return `await page.goto(${literal(step.url)});`;
    case 'back':
      return 'await page.goBack();';
    case 'forward':
      return 'await page.goForward();';
    case 'reload':
      return 'await page.reload();';
    case 'arrived':
      return ARRIVED(step.url);
    case 'click': {
      const { button, count, modifiers, spot } = step;
      const position = spot && { x: spot.x - spot.borderX, y: spot.y - spot.borderY };
      return `await ${found(step.target, step)}.click(${options({ button, clickCount: count, modifiers, position })});`;
    }
    case 'fill':
      return fill(step);
    case 'select':
      return `await ${found(step.target, step)}.selectOption(${literal(step.values)});`;
    case 'check':
      return `await ${found(step.target, step)}.setChecked(${step.checked});`;
    case 'upload':
      return `await ${found(step.target, step)}.setInputFiles(files(${step.files.map(literal).join(', ')}));`;
    case 'press':
      return step.target ? `await ${found(step.target, step)}.press(${chord(step)});` : `await page.keyboard.press(${chord(step)});`;
    case 'drag':
      return `await ${found(step.target, step)}.dragTo(${found(step.to, step)});`;
    case 'hover':
      return `await ${found(step.target, step)}.hover();`;
    case 'scroll':
      return `await page.evaluate(([x, y]) => scrollTo(x, y), ${literal([step.x, step.y])});`;
    default:
      return undefined;
  }
};

export const playwrightScript = (start: KeptStart, steps: readonly KeptStep[]): string =>
  buildScript({ library: 'playwright', prologue, helpers: HELPERS, step: statement }, start, steps);
