// Tests of the live view: its tables, bars and states.
import { expect, it } from 'vitest';
import type { DaemonOverview } from './daemon/status.ts';
import { renderTop } from './top-view.ts';

const NOW = 1_800_000_000_000;

/** Only the properties that the view uses. */
const parts: object = {
  status: { version: '1.2.3', pid: 7, uptime_seconds: 65, memory_mb: 90, sessions: ['a', 'b'] },
  tabs: [
    { tabId: 'T1', short: 't1', session: 'a', active: true, url: 'http://x/', title: 'Shop' },
    { tabId: 'T2', short: 't2', session: 'a', url: 'http://x/2', title: 'Two', busy: 'interact' },
    { tabId: 'AAAAAAAABBBB', url: 'http://y/', title: 'Other' },
  ],
  tasks: [
    { task_id: '1a1e03c2b7f40002', kind: 'crawl', status: 'COMPLETED', created_at: NOW },
    {
      task_id: '1a1e03c2b7f50001',
      kind: 'crawl',
      status: 'RUNNING',
      started_at: NOW - 12_000,
      args_summary: { url: 'http://x/docs', max_pages: 20 },
      progress: { done: 5, total: 20, message: 'x' },
    },
  ],
};
const OVERVIEW = parts as DaemonOverview;

it('shows sessions, tabs and tasks, with a bar for a running task', () => {
  const context = { columns: 100, now: NOW, paint: (_: unknown, text: string) => text };
  const selected = '1a1e03c2b7f50001';
  expect(renderTop(OVERVIEW, { ...context, selected }).join('\n')).toMatchInlineSnapshot(`
    "OpenChrome 1.2.3  pid 7  up 1 min 5 s  90 MB  2 sessions, 3 tabs, 1 task running

    SESSION  TAB       STATE     TITLE  URL
    a        t1*                 Shop   http://x/
    a        t2        interact  Two    http://x/2
    none     AAAAAAAA            Other  http://y/
    b        no tabs

       TASK          KIND   STATUS     PROGRESS                 TIME  WORK
    >  1a1e03c2b7f5  crawl  RUNNING    [####------------] 5/20  12 s  http://x/docs max_pages=20
       1a1e03c2b7f4  crawl  COMPLETED"
  `);
  expect(renderTop(OVERVIEW, { ...context, maxTabs: 1 })[4]).toBe(
    '... and 3 more: openchrome tabs --all',
  );
});
