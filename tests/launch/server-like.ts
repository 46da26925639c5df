// A replacement for a server in the tests: starts a Chrome, sets its state, prints its pid, and
// waits to be killed.
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { launchChrome } from '../../src/browser/launch/launch-chrome.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';

const [scenario = 'idle', ...flags] = process.argv.slice(2);
const config = resolveConfig({ flags: ['--headless', ...flags], env: process.env });

const chrome = await launchChrome({
  config,
  home: resolveHome(),
  log: createLog({ level: 'error' }),
});
const connection = new CdpConnection(chrome.transport);

const openPage = async (): Promise<ReturnType<CdpConnection['session']>> => {
  const { targetId } = await connection.root.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await connection.root.send('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const page = connection.session(sessionId);
  await page?.send('Page.enable');
  await page?.send('Runtime.enable');
  return page;
};

const started = 'console.log("started")';
const scenarios: Record<string, () => Promise<unknown>> = {
  idle: async () => {},
  page: openPage,
  'hung page': async () => {
    const page = await openPage();
    const says = page?.next('Runtime.consoleAPICalled', undefined);
    page?.send('Runtime.evaluate', { expression: `${started}; while (true) {}` }).catch(() => {});
    await says;
  },
  'open dialog': async () => {
    const page = await openPage();
    const opens = page?.next('Page.javascriptDialogOpening', undefined);
    page?.send('Runtime.evaluate', { expression: 'alert("stay")' }).catch(() => {});
    await opens;
  },
  'refusal to leave': async () => {
    const page = await openPage();
    const expression =
      'onbeforeunload = (event) => event.preventDefault(); addEventListener("pagehide", () => { while (true) {} })';
    await page?.send('Runtime.evaluate', { expression, userGesture: true });
  },
};

await scenarios[scenario]?.();
process.stdout.write(`${JSON.stringify({ pid: chrome.pid, profile: chrome.profile })}\n`);
