// The profile folders of the user's own Chrome, Chromium, Edge and Brave. Pure.
import { posix, win32 } from 'node:path';
import type { Machine } from './chrome-locations.ts';

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
