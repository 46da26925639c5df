// Chrome's command-line flags, and the decision whether it runs with a window. Pure.
import { valueIf } from '../../core/defined.ts';
import { listIf } from '../../core/collections.ts';
import type { Config } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import type { Product } from './chrome-locations.ts';

export interface LaunchFacts {
  readonly config: Pick<Config, 'chromeArg' | 'viewport' | 'sandbox' | 'extension'>;
  readonly product: Product;
  readonly headless: boolean;
  readonly userDataDir: string;
  /** The user's own profile keeps the system keychain: its saved logins are encrypted with it. */
  readonly foreignProfile: boolean;
  readonly ownerMark: string;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** The shared memory is too small for Chrome, as in containers. */
  readonly smallSharedMemory: boolean;
  /** The environment sets a language (not the C locale). */
  readonly hasLocale: boolean;
  /** Flags of other components, such as the guard's proxy. */
  readonly further?: readonly string[];
}

/** For every Chrome that we start. */
const LEAN = [
  '--remote-debugging-pipe',
  // Without a first window, Chrome answers the first command in half the time and leaves no stray
  // tab.
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-service-autorun',
  '--hide-crash-restore-bubble',
  // Only pages send network requests.
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
  // Background tabs run at full speed, because several are used at once.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // Chrome must not show its own dialogs over the page.
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--disable-popup-blocking',
  '--allow-pre-commit-input',
];

const HEADLESS = ['--headless', '--hide-scrollbars', '--mute-audio', '--force-color-profile=srgb'];

/** Features of Chrome's own UI, which pages cannot see; disabling them halves the memory. */
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
 * Both make Chrome build a new frame for a page of the same site, which takes a quarter of the
 * processor time of a navigation. Disabled also because a page from the back/forward cache sends no
 * request that the guard could check.
 */
const NEW_FRAMES_FOR_PAGES = ['BackForwardCache', 'RenderDocument'];

/**
 * Makes Chrome prefetch pages that speculation rules prerender. Interception does not see these
 * requests, and Chrome never prerenders under CDP.
 */
const PREFETCH_OF_PRERENDERS = 'Prerender2FallbackPrefetchSpecRules';

/**
 * Flags with list values: ours and the user's are merged, because Chrome uses only the last one.
 */
const LISTS = [
  '--disable-features',
  '--enable-features',
  '--disable-blink-features',
  '--enable-blink-features',
] as const;
type ListFlag = (typeof LISTS)[number];

/** Flags that we need ourselves, and the option to use instead. */
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
    ...listIf(!facts.foreignProfile, '--password-store=basic', '--use-mock-keychain'),
    ...listIf(headless, ...HEADLESS, ...sizeFlags(config.viewport)),
    ...listIf(withoutSandbox(facts), '--no-sandbox'),
    ...listIf(facts.smallSharedMemory, '--disable-dev-shm-usage'),
    // The headless shell runs several sites in one process by default: a page that hangs would
    // block the others.
    ...listIf(product === 'headless-shell', '--site-per-process'),
    // With the C locale the headless shell reports the invalid language "en-US@posix" to pages,
    // which breaks Intl.
    ...listIf(product === 'headless-shell' && !facts.hasLocale, '--accept-lang=en-US,en'),
    // Lets the server load the extensions of --extension over its pipe.
    ...listIf(config.extension.length, '--enable-unsafe-extension-debugging'),
    ...(facts.further ?? []),
    `--disable-features=${[
      ...WITHOUT_FEATURES,
      ...NEW_FRAMES_FOR_PAGES,
      PREFETCH_OF_PRERENDERS,
    ].join(',')}`,
  ];
  return mergeLists(mine, checkFlags(config.chromeArg));
};

/** Chrome's sandbox does not work as root on Linux. */
export const withoutSandbox = ({
  config,
  platform,
  isRoot,
}: Pick<LaunchFacts, 'config' | 'platform' | 'isRoot'>): boolean =>
  config.sandbox === false || (platform === 'linux' && isRoot);

/** Sets the window and a screen of the same size, because pages can compare the two. */
const sizeFlags = (viewport: string): string[] => {
  const [width, height] = viewport.split('x');
  return [`--window-size=${width},${height}`, `--screen-info={${width}x${height}}`];
};

const parseFlagName = (flag: string): string => flag.split('=', 1)[0] ?? flag;

const checkFlags = (given: readonly string[]): readonly string[] => {
  for (const flag of given) {
    if (!flag.startsWith('-'))
      throw fail(
        'invalid_argument',
        `--chrome-arg expects a Chrome flag, such as --lang=de, not "${flag}".`,
        { argument: 'chromeArg' },
      );
    const instead = RESERVED[parseFlagName(flag)];
    if (instead)
      throw fail(
        'invalid_argument',
        `--chrome-arg cannot set ${parseFlagName(flag)}; use ${instead}.`,
        {
          argument: 'chromeArg',
        },
      );
  }
  return given;
};

const isList = (flag: string): boolean =>
  (LISTS as readonly string[]).includes(parseFlagName(flag));

const listValues = (flags: readonly string[], name: ListFlag): string[] =>
  flags
    .filter((flag) => parseFlagName(flag) === name)
    .flatMap((flag) =>
      flag
        .slice(name.length + 1)
        .split(',')
        .filter(Boolean),
    );

/** A feature's name without its trial and parameters: `Name<Trial:key/value`. */
const parseFeatureName = (value: string): string => value.split(/[<:]/, 1)[0] ?? value;

/**
 * The user's flags win: features that they enable are not disabled, and their other flags come
 * last.
 */
const mergeLists = (mine: readonly string[], theirs: readonly string[]): string[] => {
  const enabled = new Set(
    [
      ...listValues(theirs, '--enable-features'),
      ...listValues(theirs, '--enable-blink-features'),
    ].map(parseFeatureName),
  );
  const lists = LISTS.flatMap((name) => {
    const own = listValues(mine, name).filter((value) => !enabled.has(parseFeatureName(value)));
    const all = [...new Set([...own, ...listValues(theirs, name)])];
    return listIf(all.length, `${name}=${all.join(',')}`);
  });
  return [
    ...mine.filter((flag) => !isList(flag)),
    ...lists,
    ...theirs.filter((flag) => !isList(flag)),
  ];
};

// Decides whether Chrome runs with a window, from the options and the display of the machine.

interface DisplayFacts {
  readonly config: Pick<Config, 'headless' | 'headed'>;
  readonly product: Product;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

export const isHeadless = ({ config, product, platform, env }: DisplayFacts): boolean => {
  const wanted = windowWanted(config);
  const display = platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  if (wanted !== true) return wanted === false || !display || product === 'headless-shell';
  if (!display)
    throw fail(
      'chrome_launch_failed',
      '--headed needs a display, and there is none ' +
        '(neither DISPLAY nor WAYLAND_DISPLAY is set).',
      {
        hint: 'Leave --headed out, or start a display (for example with xvfb-run).',
      },
    );
  if (product === 'headless-shell')
    throw fail(
      'chrome_launch_failed',
      '--headed needs a Chrome with a window, and the one found here can only run headless.',
      {
        hint: 'Leave --headed out, or set --chrome-path to another Chrome.',
      },
    );
  return false;
};

/** True with a window, false without, undefined if no option is set. */
const windowWanted = ({
  headless,
  headed,
}: Pick<Config, 'headless' | 'headed'>): boolean | undefined => {
  if (headless !== undefined && headed !== undefined && headless === headed)
    throw fail(
      'invalid_argument',
      '--headless and --headed contradict each other: use one of them.',
      { argument: 'headed' },
    );
  return headed ?? valueIf(headless !== undefined, !headless);
};
