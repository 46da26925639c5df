// Usual paths of Chrome, Chromium, Edge and Brave and of their profiles, per platform. Pure.
import { valueIf, ifDefined } from '../../core/defined.ts';
import { textAt } from '../../core/text.ts';
import { posix, win32 } from 'node:path';

export type Product = 'chrome' | 'chromium' | 'edge' | 'brave' | 'headless-shell';

export interface ChromeLocation {
  readonly path: string;
  readonly product: Product;
}

interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly homedir: string;
}

/**
 * Browsers of the distribution or vendor come before snap and flatpak ones, which have little disk
 * access.
 */
export const listChromeLocations = (machine: Machine): ChromeLocation[] => {
  if (machine.platform === 'darwin') return macPlaces(machine);
  if (machine.platform === 'win32') return windowsPlaces(machine);
  return linuxPlaces(machine);
};

const LINUX_NAMES: readonly (readonly [string, Product])[] = [
  ['google-chrome-stable', 'chrome'],
  ['google-chrome', 'chrome'],
  ['chromium', 'chromium'],
  ['chromium-browser', 'chromium'],
  ['microsoft-edge-stable', 'edge'],
  ['microsoft-edge', 'edge'],
  ['brave-browser-stable', 'brave'],
  ['brave-browser', 'brave'],
  ['brave', 'brave'],
  ['google-chrome-beta', 'chrome'],
  ['google-chrome-unstable', 'chrome'],
];

const LINUX_PLACES: readonly (readonly [string, Product])[] = [
  ['/opt/google/chrome/chrome', 'chrome'],
  ['/usr/lib/chromium/chromium', 'chromium'],
  ['/usr/lib64/chromium-browser/chromium-browser', 'chromium'],
  ['/opt/microsoft/msedge/msedge', 'edge'],
  ['/opt/brave.com/brave/brave', 'brave'],
];

const SNAPS: readonly (readonly [string, Product])[] = [
  ['/snap/bin/chromium', 'chromium'],
  ['/snap/bin/brave', 'brave'],
];

const FLATPAKS: readonly (readonly [string, Product])[] = [
  ['com.google.Chrome', 'chrome'],
  ['org.chromium.Chromium', 'chromium'],
  ['com.microsoft.Edge', 'edge'],
  ['com.brave.Browser', 'brave'],
];

const place = ([path, product]: readonly [string, Product]): ChromeLocation => ({ path, product });

const linuxPlaces = ({ env, homedir }: Machine): ChromeLocation[] => {
  const folders = (env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin')
    .split(':')
    .filter((folder) => folder.startsWith('/'));
  const open = folders.filter((folder) => detectConfinement(`${folder}/x`) === undefined);
  const onPath = LINUX_NAMES.flatMap(([name, product]) =>
    open.map((folder) => ({ path: posix.join(folder, name), product })),
  );
  const exports = [
    '/var/lib/flatpak/exports/bin',
    posix.join(homedir, '.local/share/flatpak/exports/bin'),
  ];
  const flatpaks = FLATPAKS.flatMap(([name, product]) =>
    exports.map((folder) => ({ path: posix.join(folder, name), product })),
  );
  return [...onPath, ...LINUX_PLACES.map(place), ...SNAPS.map(place), ...flatpaks];
};

const MAC_APPS: readonly (readonly [string, Product])[] = [
  ['Google Chrome.app/Contents/MacOS/Google Chrome', 'chrome'],
  ['Chromium.app/Contents/MacOS/Chromium', 'chromium'],
  ['Microsoft Edge.app/Contents/MacOS/Microsoft Edge', 'edge'],
  ['Brave Browser.app/Contents/MacOS/Brave Browser', 'brave'],
  ['Google Chrome Beta.app/Contents/MacOS/Google Chrome Beta', 'chrome'],
  ['Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary', 'chrome'],
];

const macPlaces = ({ homedir }: Machine): ChromeLocation[] => {
  const folders = ['/Applications', posix.join(homedir, 'Applications')];
  return MAC_APPS.flatMap(([app, product]) =>
    folders.map((folder) => ({ path: posix.join(folder, app), product })),
  );
};

const WINDOWS_APPS: readonly (readonly [string, Product])[] = [
  ['Google\\Chrome\\Application\\chrome.exe', 'chrome'],
  ['Chromium\\Application\\chrome.exe', 'chromium'],
  ['Microsoft\\Edge\\Application\\msedge.exe', 'edge'],
  ['BraveSoftware\\Brave-Browser\\Application\\brave.exe', 'brave'],
  ['Google\\Chrome Beta\\Application\\chrome.exe', 'chrome'],
  ['Google\\Chrome SxS\\Application\\chrome.exe', 'chrome'],
];

const windowsPlaces = ({ env, homedir }: Machine): ChromeLocation[] => {
  const local = env['LOCALAPPDATA'] ?? win32.join(homedir, 'AppData', 'Local');
  const named = [env['ProgramFiles'], env['ProgramW6432'], env['ProgramFiles(x86)'], local].filter(
    (folder) => folder !== undefined,
  );
  const folders = [...new Set(named)];
  return WINDOWS_APPS.flatMap(([app, product]) =>
    folders.map((folder) => ({ path: win32.join(folder, app), product })),
  );
};

interface Confinement {
  readonly by: 'snap' | 'flatpak';
  readonly name: string;
}

/** Snap and flatpak browsers cannot access most of the home folder. */
const detectConfinement = (path: string): Confinement | undefined => {
  const parts = path.split('/');
  const name = textAt(parts, -1);
  if (path.startsWith('/snap/') || path.startsWith('/var/lib/snapd/snap/'))
    return { by: 'snap', name };
  return valueIf(path.includes('/flatpak/exports/bin/'), { by: 'flatpak', name });
};

/** The folder for profiles of a confined browser; undefined if any folder is possible. */
export const confinedFolder = (path: string, homedir: string): string | undefined => {
  const confinement = detectConfinement(path);
  if (confinement?.by === 'snap')
    return posix.join(homedir, 'snap', confinement.name, 'common', 'openchrome');
  return ifDefined(confinement, (confinement) =>
    posix.join(homedir, '.var', 'app', confinement.name, 'data', 'openchrome'),
  );
};

const PRODUCT_NAMES: readonly (readonly [RegExp, Product])[] = [
  [/headless[-_]shell/i, 'headless-shell'],
  [/edge/i, 'edge'],
  [/brave/i, 'brave'],
  [/chromium/i, 'chromium'],
];

/** Guesses the product of a binary that the user named. */
export const detectProduct = (path: string): Product => {
  const name = textAt(path.split(/[\\/]/), -1);
  return PRODUCT_NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'chrome';
};

// The profile folders of the user's own Chrome, Chromium, Edge and Brave. Pure.

const LINUX = [
  'google-chrome',
  'google-chrome-beta',
  'google-chrome-unstable',
  'chromium',
  'microsoft-edge',
  'microsoft-edge-beta',
  'BraveSoftware/Brave-Browser',
];
const LINUX_CONFINED = [
  'snap/chromium/common/chromium',
  'snap/brave/current/.config/BraveSoftware/Brave-Browser',
  '.var/app/com.google.Chrome/config/google-chrome',
  '.var/app/org.chromium.Chromium/config/chromium',
  '.var/app/com.microsoft.Edge/config/microsoft-edge',
  '.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser',
];
const MAC = [
  'Google/Chrome',
  'Google/Chrome Beta',
  'Google/Chrome Canary',
  'Chromium',
  'Microsoft Edge',
  'BraveSoftware/Brave-Browser',
];
const WINDOWS = [
  'Google\\Chrome',
  'Google\\Chrome Beta',
  'Google\\Chrome SxS',
  'Chromium',
  'Microsoft\\Edge',
  'BraveSoftware\\Brave-Browser',
];

export const userDataDirs = ({ platform, env, homedir }: Machine): string[] => {
  if (platform === 'darwin')
    return MAC.map((name) => posix.join(homedir, 'Library', 'Application Support', name));
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? win32.join(homedir, 'AppData', 'Local');
    return WINDOWS.map((name) => win32.join(local, name, 'User Data'));
  }
  const config =
    env['CHROME_CONFIG_HOME'] || env['XDG_CONFIG_HOME'] || posix.join(homedir, '.config');
  return [
    ...LINUX.map((name) => posix.join(config, name)),
    ...LINUX_CONFINED.map((name) => posix.join(homedir, name)),
  ];
};
