// Where Chrome and its profiles are looked for, on machines that we are not on.
import { describe, expect, it } from 'vitest';
import {
  confinedFolder,
  detectProduct,
  listChromeLocations,
  userDataDirs,
} from './chrome-locations.ts';

const linux = {
  platform: 'linux',
  env: { PATH: '/usr/local/bin:/usr/bin:/snap/bin::relative' },
  homedir: '/home/ada',
} as const;
const mac = { platform: 'darwin', env: {}, homedir: '/Users/ada' } as const;
const windows = {
  platform: 'win32',
  env: {
    ProgramFiles: 'C:\\Program Files',
    'ProgramFiles(x86)': 'C:\\Program Files (x86)',
    LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
  },
  homedir: 'C:\\Users\\ada',
} as const;

describe('the places of Chrome', () => {
  it('on Linux are the path, the usual folders, then snaps and flatpaks', () => {
    const paths = listChromeLocations(linux).map(({ path }) => path);
    const order = [
      '/usr/bin/google-chrome-stable',
      '/usr/bin/chromium',
      '/usr/bin/microsoft-edge',
      '/opt/google/chrome/chrome',
      '/snap/bin/chromium',
      '/var/lib/flatpak/exports/bin/com.google.Chrome',
      '/home/ada/.local/share/flatpak/exports/bin/com.brave.Browser',
    ];
    expect(paths.filter((path) => order.includes(path))).toEqual(order);
    expect(paths.every((path) => path.startsWith('/'))).toBe(true);
  });

  it('on macOS are the applications of the machine and of the user', () => {
    const paths = listChromeLocations(mac).map(({ path }) => path);
    expect(paths[0]).toBe('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
    expect(paths).toContain(
      '/Users/ada/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    );
  });

  it('on Windows are the program folders', () => {
    const paths = listChromeLocations(windows).map(({ path }) => path);
    expect(paths[0]).toBe('C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe');
    expect(paths).toContain('C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe');
    expect(paths).toContain(
      'C:\\Users\\ada\\AppData\\Local\\BraveSoftware\\Brave-Browser\\Application\\brave.exe',
    );
  });
});

describe('a browser in a snap or flatpak', () => {
  it('keeps its profile in a folder that it can write', () => {
    expect(confinedFolder('/snap/bin/chromium', '/home/ada')).toBe(
      '/home/ada/snap/chromium/common/openchrome',
    );
    expect(confinedFolder('/var/lib/flatpak/exports/bin/com.google.Chrome', '/home/ada')).toBe(
      '/home/ada/.var/app/com.google.Chrome/data/openchrome',
    );
    expect(confinedFolder('/usr/bin/chromium', '/home/ada')).toBeUndefined();
  });
});

describe('the product', () => {
  it.each([
    ['/usr/bin/google-chrome', 'chrome'],
    ['/usr/bin/chromium-browser', 'chromium'],
    ['C:\\x\\msedge.exe', 'edge'],
    ['/opt/brave.com/brave/brave', 'brave'],
    ['/x/embedded-153.0.0/chrome-headless-shell', 'headless-shell'],
    ['/x/brave-folder/chrome', 'chrome'],
  ])('of %s is %s', (path, product) => {
    expect(detectProduct(path)).toBe(product);
  });
});

describe("the user's profiles", () => {
  it('are in the usual folders of each platform', () => {
    expect(userDataDirs(linux)).toEqual(
      expect.arrayContaining([
        '/home/ada/.config/google-chrome',
        '/home/ada/.config/chromium',
        '/home/ada/snap/chromium/common/chromium',
      ]),
    );
    expect(userDataDirs({ ...linux, env: { XDG_CONFIG_HOME: '/cfg' } })[0]).toBe(
      '/cfg/google-chrome',
    );
    expect(userDataDirs(mac)[0]).toBe('/Users/ada/Library/Application Support/Google/Chrome');
    expect(userDataDirs(windows)[0]).toBe(
      'C:\\Users\\ada\\AppData\\Local\\Google\\Chrome\\User Data',
    );
  });
});
