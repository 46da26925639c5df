// The flags that Chrome is started with: lean and quiet, with every feature of pages left as it is.
// Pure.
import type { Config } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import type { Product } from './chrome-locations.ts';

export interface LaunchFacts {
  readonly config: Pick<Config, 'chromeArg' | 'viewport' | 'sandbox'>;
  readonly product: Product;
  readonly headless: boolean;
  readonly userDataDir: string;
  /**
   * A profile that the user brought keeps the machine's keychain: with another its logins could not
   * be read.
   */
  readonly foreignProfile: boolean;
  readonly ownerMark: string;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** The machine's shared memory is too small for Chrome (containers). */
  readonly smallSharedMemory: boolean;
  /** The environment names a language (not the C locale). */
  readonly hasLocale: boolean;
  /** What other rooms need, such as the guard's proxy. */
  readonly further?: readonly string[];
}

/** For every Chrome of ours. */
const LEAN = [
  '--remote-debugging-pipe',
  // No first window: the first command is answered in half the time, and no stray tab is left over.
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--hide-crash-restore-bubble',
  // Nothing leaves the machine but what pages ask for.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--metrics-recording-only',
  '--disable-field-trial-config',
  '--disable-component-extensions-with-background-pages',
  '--disable-search-engine-choice-screen',
  // Tabs in the background work at full speed, since several are worked in at once.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // No window of Chrome's own stands between the agent and the page.
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--disable-popup-blocking',
  '--allow-pre-commit-input',
];

const HEADLESS = ['--headless', '--hide-scrollbars', '--mute-audio', '--force-color-profile=srgb'];

/** Parts of Chrome's own surface; together they halve its memory. None is visible to pages. */
const WITHOUT_FEATURES = [
  'Translate',
  'MediaRouter',
  'DialMediaRouteProvider',
  'OptimizationHints',
  'GlobalMediaControls',
  'WebUIReloadButton',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/**
 * Prefetches a page that a rule asks to prerender: no interception sees it, and a page under CDP is
 * never prerendered.
 */
const PREFETCH_OF_PRERENDERS = 'Prerender2FallbackPrefetchSpecRules';

/**
 * The flags that hold a list: ours and the user's become one, since Chrome heeds only the last of a
 * name.
 */
const LISTS = [
  '--disable-features',
  '--enable-features',
  '--disable-blink-features',
  '--enable-blink-features',
] as const;
type ListFlag = (typeof LISTS)[number];

/** Flags without which we cannot work, and what to use in their place. */
const RESERVED: Readonly<Record<string, string>> = {
  '--user-data-dir': '--profile',
  '--remote-debugging-pipe': '--attach',
  '--remote-debugging-port': '--attach',
  '--remote-debugging-io-pipes': '--attach',
};

export const buildChromeFlags = (facts: LaunchFacts): string[] => {
  const { config, headless, product } = facts;
  const mine = [
    ...LEAN,
    `--user-data-dir=${facts.userDataDir}`,
    facts.ownerMark,
    ...(facts.foreignProfile ? [] : ['--password-store=basic', '--use-mock-keychain']),
    ...(headless ? [...HEADLESS, ...sizeFlags(config.viewport)] : []),
    ...(withoutSandbox(facts) ? ['--no-sandbox'] : []),
    ...(facts.smallSharedMemory ? ['--disable-dev-shm-usage'] : []),
    // With the C locale the headless shell tells pages "en-US@posix", which is no language and
    // breaks Intl. By itself the headless shell keeps pages of different sites in one process: one
    // that hangs would stop the others.
    ...(product === 'headless-shell' ? ['--site-per-process'] : []),
    ...(product === 'headless-shell' && !facts.hasLocale ? ['--accept-lang=en-US,en'] : []),
    ...(facts.further ?? []),
    `--disable-features=${[...WITHOUT_FEATURES, PREFETCH_OF_PRERENDERS].join(',')}`,
  ];
  return mergeLists(mine, checked(config.chromeArg));
};

/** Chrome refuses to run sandboxed as root on Linux. */
export const withoutSandbox = ({
  config,
  platform,
  isRoot,
}: Pick<LaunchFacts, 'config' | 'platform' | 'isRoot'>): boolean =>
  config.sandbox === false || (platform === 'linux' && isRoot);

/** The window, and a screen of the same size: pages that compare the two find nothing odd. */
const sizeFlags = (viewport: string): string[] => {
  const [width, height] = viewport.split('x');
  return [`--window-size=${width},${height}`, `--screen-info={${width}x${height}}`];
};

const nameOf = (flag: string): string => flag.split('=', 1)[0] ?? flag;

const checked = (given: readonly string[]): readonly string[] => {
  for (const flag of given) {
    if (!flag.startsWith('-'))
      throw fail(
        'invalid_argument',
        `--chrome-arg takes a flag of Chrome, such as --lang=de, not "${flag}".`,
        { argument: 'chromeArg' },
      );
    const instead = RESERVED[nameOf(flag)];
    if (instead)
      throw fail('invalid_argument', `--chrome-arg cannot set ${nameOf(flag)}; use ${instead}.`, {
        argument: 'chromeArg',
      });
  }
  return given;
};

const isList = (flag: string): boolean => (LISTS as readonly string[]).includes(nameOf(flag));

const valuesOf = (flags: readonly string[], name: ListFlag): string[] =>
  flags
    .filter((flag) => nameOf(flag) === name)
    .flatMap((flag) =>
      flag
        .slice(name.length + 1)
        .split(',')
        .filter(Boolean),
    );

/** A feature's name without its trial and parameters: `Name<Trial:key/value`. */
const featureOf = (value: string): string => value.split(/[<:]/, 1)[0] ?? value;

/**
 * The user's word stands: what they enable is no longer disabled by us, and their other flags come
 * last.
 */
const mergeLists = (mine: readonly string[], theirs: readonly string[]): string[] => {
  const enabled = new Set(
    [...valuesOf(theirs, '--enable-features'), ...valuesOf(theirs, '--enable-blink-features')].map(
      featureOf,
    ),
  );
  const lists = LISTS.flatMap((name) => {
    const own = valuesOf(mine, name).filter((value) => !enabled.has(featureOf(value)));
    const all = [...new Set([...own, ...valuesOf(theirs, name)])];
    return all.length ? [`${name}=${all.join(',')}`] : [];
  });
  return [
    ...mine.filter((flag) => !isList(flag)),
    ...lists,
    ...theirs.filter((flag) => !isList(flag)),
  ];
};
