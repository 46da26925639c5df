// The parts that Playwright and Puppeteer scripts share: literals, secrets, helpers, order. Pure.
import { listIf } from '../../core/collections.ts';
import type { KeptStart, RecordedStep, Locator } from './kept-lines.ts';
import { buildScriptSteps } from './script-steps.ts';

/** A JavaScript literal with escaped line separators (U+2028, U+2029). */
export const renderLiteral = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

type Fill = Extract<RecordedStep, { kind: 'fill' }>;

/** Name of the environment variable from which the script reads the secret. */
export const formatSecretVariable = ({ secretName, target }: Fill): string => {
  const word = secretName ?? target.name ?? target.css.at(-1) ?? target.tag;
  const name = word
    .slice(0, 200)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40);
  return /^[A-Z]/.test(name) ? name : 'SECRET';
};

export const renderValue = (step: Fill): string =>
  step.secret
    ? `process.env[${renderLiteral(formatSecretVariable(step))}]`
    : renderLiteral(step.value);

/** The URL without query and fragment, which change between runs. */
const stripQuery = (url: string): string => url.replace(/[?#].*$/s, '');

const isHidden = (text: string): boolean =>
  text.includes('[redacted]') || text.includes('%5Bredacted%5D');

/** Steps that both libraries write in the same way. */
type SharedStep = Extract<
  RecordedStep,
  { kind: 'goto' | 'back' | 'forward' | 'reload' | 'arrived' | 'hover' | 'scroll' }
>;
export type OwnStep = Exclude<RecordedStep, SharedStep>;

interface Dialect {
  readonly library: string;
  /** Starts the browser and opens the page. */
  readonly prologue: (facts: {
    readonly viewport: { readonly width: number; readonly height: number };
  }) => string;
  /** Source of each helper function, by name. */
  readonly helpers: Readonly<Record<string, string>>;
  /** Expression that finds the element. */
  readonly found: (target: Locator, step: RecordedStep) => string;
  /** One or more statements; undefined if the step needs none. */
  readonly step: (step: OwnStep) => string | undefined;
}

const statement = (step: RecordedStep, dialect: Dialect): string | undefined => {
  switch (step.kind) {
    case 'goto':
      return `await page.goto(${renderLiteral(step.url)});`;
    case 'back':
      return 'await page.goBack();';
    case 'forward':
      return 'await page.goForward();';
    case 'reload':
      return 'await page.reload();';
    case 'arrived':
      return isHidden(stripQuery(step.url))
        ? undefined
        : `await arrived(${renderLiteral(stripQuery(step.url))});`;
    case 'hover':
      return `await ${dialect.found(step.target, step)}.hover();`;
    case 'scroll':
      return `await page.evaluate(([x, y]) => scrollTo(x, y), ${renderLiteral([step.x, step.y])});`;
    default:
      return dialect.step(step);
  }
};

/** Expression for the frame of a step; undefined for the main frame. */
export const renderFrame = (step: RecordedStep): string | undefined =>
  'frame' in step && step.frame
    ? `await frame(${renderLiteral(step.frame.name)}, ${renderLiteral(stripQuery(step.frame.url))})`
    : undefined;

/** Options for launch() of both libraries. */
export const LAUNCH_OPTIONS = `  headless: !process.env.HEADED,
  ...(process.env.CHROME_PATH ? { executablePath: process.env.CHROME_PATH } : {}),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],`;

/** `loaded` is an expression that waits until the page has loaded. */
export const renderArrivedHelper = (
  loaded: string,
): string => `/** Only warns on a timeout: the next step shows whether it matters. */
const arrived = (url) =>
  until(\`the page at \${url}\`, async () => page.url().replace(/[?#].*$/s, '') === url)
    .then(() => ${loaded})
    .catch((error) => console.warn(error.message));`;

const DEFAULT_VIEWPORT = { width: 1280, height: 720 };

export const buildScript = (
  dialect: Dialect,
  start: KeptStart,
  seen: readonly RecordedStep[],
): string => {
  const steps = buildScriptSteps(seen);
  const dialogs = steps.flatMap((step) =>
    step.kind === 'dialog' ? [[step.accepted, step.text ?? null]] : [],
  );
  const lines = steps.flatMap((step) => statement(step, dialect) ?? []);
  return `${[
    `// Recorded by OpenChrome ${start.version} on ${new Date(start.at).toISOString()}: ` +
      `repeats the recorded steps with ${dialect.library}.`,
    ...remarks(steps, dialect),
    ...requireSecrets(listSecretVariables(steps)),
    dialect.prologue({ viewport: start.viewport ?? DEFAULT_VIEWPORT }),
    ...usedHelpers(dialect.helpers, lines.join('\n')),
    ...listIf(dialogs.length > 0, dialogAnswers(dialogs)),
    '',
    'try {',
    ...lines.map((line) => line.replaceAll(/^/gm, '  ')),
    '  console.log(JSON.stringify({ url: page.url(), title: await page.title() }));',
    '} finally {',
    '  await browser.close();',
    '}',
  ].join('\n')}\n`;
};

/** Environment variables of all secrets in the steps. */
const listSecretVariables = (steps: readonly RecordedStep[]): string[] => [
  ...new Set(
    steps.flatMap((step) =>
      step.kind === 'fill' && step.secret ? [formatSecretVariable(step)] : [],
    ),
  ),
];

/**
 * Code that throws before the browser starts, because a missing secret would be entered as an
 * empty text.
 */
const requireSecrets = (names: readonly string[]): string[] =>
  listIf(
    names.length > 0,
    '',
    `const missing = ${renderLiteral(names)}.filter((name) => !process.env[name]);`,
    'if (missing.length > 0) throw new Error(' +
      "`Set the environment variables of these secrets: ${missing.join(', ')}`);",
  );

const remarks = (steps: readonly RecordedStep[], { library }: Dialect): string[] => {
  const secrets = listSecretVariables(steps);
  return [
    `// Needs ${library} (or ${library}-core with CHROME_PATH=/path/to/chrome). ` +
      'HEADED=1 shows the browser.',
    ...listIf(
      secrets.length > 0,
      `// Secrets are read from the environment: ${secrets.join(', ')}.`,
    ),
    ...listIf(
      steps.some(({ kind }) => kind === 'upload'),
      '// Files to upload are read from FILES=/folder.',
    ),
    ...listIf(
      steps.some(({ kind }) => kind === 'popup'),
      '// A new tab was opened; the steps in it are not part of this script.',
    ),
  ];
};

const dialogAnswers = (answers: readonly unknown[]): string =>
  [
    `const answers = ${renderLiteral(answers)};`,
    "page.on('dialog', async (dialog) => {",
    '  const [accept, text] = answers.shift() ?? [true];',
    '  await (accept ? dialog.accept(text ?? undefined) : dialog.dismiss()).catch(() => {});',
    '});',
  ].join('\n');

/** The helpers that the statements call, directly or through other helpers. */
const usedHelpers = (helpers: Dialect['helpers'], statements: string): string[] => {
  const used = new Set<string>();
  const look = (text: string): void => {
    for (const [name, helper] of Object.entries(helpers)) {
      if (used.has(name) || !new RegExp(`\\b${name}\\(`).test(text)) continue;
      used.add(name);
      look(helper);
    }
  };
  look(statements);
  return Object.keys(helpers).flatMap((name) => listIf(used.has(name), helpers[name] ?? ''));
};

export const SHARED_HELPERS = {
  until: `/** Waits until the test returns a truthy value. */
const until = async (what, test) => {
  for (const end = Date.now() + 15_000; ; ) {
    const found = await test().catch(() => undefined);
    if (found) return found;
    if (Date.now() > end) throw new Error(\`timed out waiting for \${what}\`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};`,
  files: `const files = (...names) =>
  names.map((name) => \`\${process.env.FILES ?? '.'}/\${name}\`);`,
};
