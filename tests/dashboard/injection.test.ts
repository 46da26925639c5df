// Hostile texts in titles, addresses, arguments, sessions, dialogs and tasks cannot inject anything.
import { expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { CORPUS } from '../security/injection-corpus.ts';
import { useDashboard } from './dashboard-viewer.ts';

const site = useSite();
const board = useDashboard();
const { viewer, openView } = board;

const HOSTILE = [
  '<img src=x onerror="window.injected=1">',
  '"><script>window.injected=1</script>',
  '<svg onload=window.injected=1>',
  "javascript:window.injected=1//'",
  '{{constructor.constructor("window.injected=1")()}}',
  '</textarea><iframe srcdoc="<script>parent.injected=1</script>">',
  '\u202egnp.exe\u0000\u001b[31m',
];

const attackEverywhere = async (text: string): Promise<void> => {
  const title = JSON.stringify(text).replaceAll('<', '\\u003c');
  site.page(
    '/hostile',
    `<script>document.title = ${title}; setTimeout(() => confirm(${title}), 0);
       fetch('/?' + encodeURIComponent(${title})).catch(() => {})</script>`,
  );
  const query = encodeURIComponent(text);
  await board.server.call('navigate', { url: `${site.origin}/hostile?q=${query}#${query}` });
  await board.server.call('find', { query: text });
  await board.server.call(text.slice(0, 60), { [text]: text });
  await board.server.call('oc_task_start', { objective: text });
  await board.server.call('oc_task_start', { kind: 'oc_handoff', args: { reason: text } });
};

it('hostile texts appear as texts in every view and change nothing', async () => {
  for (const text of HOSTILE) await attackEverywhere(text);
  for (const { html } of CORPUS) await board.server.call('find', { query: html.slice(0, 500) });
  for (const view of ['live', 'timeline', 'tasks', 'network', 'health', 'waiting']) {
    await openView(view);
    await viewer.text('wait_for', { selector: 'main h1', timeout_ms: 20_000 });
    const rows = 'document.querySelectorAll("main [role=option]")';
    const found = JSON.parse(
      await viewer.text('javascript_tool', {
        code: `for (const row of [...${rows}].slice(0, 8)) {
                 row.click();
                 await new Promise((resolve) => requestAnimationFrame(resolve));
               }
               await fetch('/dashboard/state');
               const scripts = [...document.scripts].map(({ src }) => new URL(src).pathname);
               const other = document.querySelectorAll(
                 'main iframe, main svg[onload], main img[onerror], main [onclick], main script');
               return JSON.stringify({ injected: window.injected ?? 0, scripts,
                 other: other.length, text: document.querySelector('main').textContent.length > 0 })`,
      }),
    ) as object;
    expect(found, view).toEqual({
      injected: 0,
      scripts: ['/dashboard/app.js'],
      other: 0,
      text: true,
    });
  }
  const errors = await viewer.text('console', { level: 'error' });
  expect(errors).not.toContain('Content Security Policy');
});
