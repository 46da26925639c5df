// The Chrome that everybody here runs, with the same flags, so that no server is helped or hurt by
// its defaults.
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'];

export const CHROME = process.env.CHROME_PATH ?? PLACES.find(existsSync);
export const CHROME_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

if (!CHROME) throw new Error('no Chrome found: set CHROME_PATH');
