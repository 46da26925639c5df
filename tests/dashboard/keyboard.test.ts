// Every view of the dashboard can be used by keyboard alone.
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useDashboard } from './dashboard-viewer.ts';

const site = useSite({
  '/shop': '<title>Shop</title><script>fetch("/items")</script>',
  '/items': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"items":[{"id":7}]}');
  },
});
const board = useDashboard();
const { openView, waitFor, waitUntil, press, tabTo, run } = board;

const isFocusVisible = (): Promise<boolean> =>
  run(`const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
       return outlineStyle !== 'none' || boxShadow !== 'none'`);

const openTab = async (): Promise<string> => {
  const opened = await board.server.call('navigate', { url: `${site.origin}/shop` });
  return (JSON.parse(opened) as { tabId: string }).tabId;
};

it('the keys 1 to 6 open the views, and Tab reaches the navigation with a visible focus', async () => {
  await openView('live');
  await waitFor('Live');
  for (const [i, title] of [
    'Live',
    'Timeline',
    'Tasks',
    'Network',
    'Budgets and health',
    'Waiting for you',
  ].entries()) {
    await press(String(i + 1));
    await waitUntil(`document.querySelector('main h1')?.textContent === '${title}'`);
  }
  await tabTo((name) => name === 'Timeline');
  expect(await isFocusVisible()).toBe(true);
  await press('Enter');
  await waitUntil("document.querySelector('main h1')?.textContent === 'Timeline'");
});

it('Live: Tab and Enter open a tab, Escape closes it', async () => {
  await openTab();
  await openView('live');
  await waitFor('Shop');
  await tabTo((name) => name.includes('Shop') && name.includes('127.0.0.1'));
  expect(await isFocusVisible()).toBe(true);
  await press('Enter');
  await waitFor('Take over');
  await press('Escape');
  await waitUntil("document.querySelector('.cards') !== null");
});

it('Timeline: / searches, j and k select, Enter opens and Escape closes the details', async () => {
  await board.server.call('expand_tools', { query: 'unusual words' });
  await openView('timeline');
  await waitFor('unusual words');
  await press('/', 'u', 'n', 'u', 's', 'u', 'a', 'l');
  await waitFor('1 call');
  await press('Escape', 'Tab');
  await tabTo((name) => name.startsWith('Calls'));
  await press('j', 'Enter');
  await waitFor('Arguments');
  await press('Escape');
  await waitUntil("document.querySelector('.pane') === null");
});

it('Tasks: j selects, Enter opens, and Tab and Enter cancel a task', async () => {
  await openTab();
  const started = await board.server.call('oc_task_start', {
    kind: 'oc_handoff',
    args: { reason: 'Wait for the user' },
  });
  const { task_id } = JSON.parse(started) as { task_id: string };
  await openView('tasks');
  await waitUntil("document.querySelector('main [role=option]') !== null");
  await press('j', 'Enter');
  await waitFor('Cancel task');
  await tabTo((name) => name === 'Cancel task');
  await press('Enter');
  await waitFor('CANCELLED');
  const details = JSON.parse(await board.server.call('oc_task_get', { task_id })) as object;
  expect(details).toMatchObject({ meta: { status: 'CANCELLED' } });
});

it('Network: j selects a request, Enter opens it, and Tab reaches its buttons', async () => {
  await openTab();
  await openView('network');
  await waitFor('/items');
  await press('j', 'j', 'Enter');
  await waitFor('$.items[0].id');
  await tabTo((name) => name.includes('Copy as curl'));
  await press('Escape');
  await waitUntil("document.querySelector('.pane') === null");
});

it('Budgets and health: Tab reaches the view, and its plots have texts', async () => {
  await openView('health');
  await waitFor('Calls per second');
  await tabTo((name) => name === 'Budgets and health');
  const unnamed = await run<number>(
    `return [...document.querySelectorAll('.plot')].filter((plot) =>
       !plot.closest('[aria-label]') && !plot.querySelector('[aria-label]')).length`,
  );
  expect(unnamed).toBe(0);
});
