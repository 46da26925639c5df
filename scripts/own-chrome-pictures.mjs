// Takes the pictures of docs/own-chrome.md from a real Chromium with windows:
// `npm run build && xvfb-run -s '-screen 0 1280x720x24' node scripts/own-chrome-pictures.mjs`.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnChrome } from '../bench/lib/own-chrome.mjs';
import { ROOT } from './bundle.mjs';
import { BOOKS } from './demo-site/books.mjs';
import { startSite } from './demo-site/server.mjs';

const DOCS = path.join(ROOT, 'docs');
/** Chrome's windows and popups have no event for the end of their animations. */
const DRAWN_MS = 1_500;
const TOP_OF_WINDOW = '1280x300+0+0';

const attach = async ({ send }, type, isWanted) => {
  const { targetInfos } = await send('Target.getTargets', { filter: [{ type }] });
  const { targetId } = targetInfos.find(({ url }) => isWanted(url));
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  return (method, params) => send(method, params, sessionId);
};

const site = await startSite();
const own = await startOwnChrome({ isHeadless: false });
const { chrome } = own;
const second = await own.startServer();
try {
  const [first, other, third] = BOOKS.map(({ id }) => `${site.origin}/books/${id}`);
  await own.call('navigate', { url: first });
  await own.call('tabs', { action: 'new', url: other });
  await own.call('read_page');
  await second.call('navigate', { url: third });
  await second.call('read_page');
  await chrome.send('Target.createTarget', { url: `${site.origin}/` });
  await sleep(DRAWN_MS);
  execFileSync('import', [
    ...['-window', 'root', '-crop', TOP_OF_WINDOW],
    path.join(DOCS, 'own-chrome-groups.png'),
  ]);
  const worker = await attach(chrome, 'service_worker', (url) => url.includes('service-worker.js'));
  await worker('Runtime.evaluate', { expression: 'chrome.action.openPopup()', awaitPromise: true });
  await sleep(DRAWN_MS);
  const popup = await attach(chrome, 'page', (url) => url.endsWith('/popup.html'));
  const { data } = await popup('Page.captureScreenshot', { format: 'png' });
  await writeFile(path.join(DOCS, 'own-chrome-popup.png'), Buffer.from(data, 'base64'));
} finally {
  await own.end();
  await site.close?.();
}
