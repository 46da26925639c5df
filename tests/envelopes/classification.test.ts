// Every tool is an observation or an action: one table of all tools with their arguments.
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/tools/index.ts';

type Kind = 'observes' | 'acts' | 'is not recorded';

/**
 * The class of a call with these arguments. A tool without a line here is not classified yet.
 */
const TABLE: Readonly<
  Record<string, readonly (readonly [args: Readonly<Record<string, unknown>>, kind: Kind])[]>
> = {
  navigate: [
    [{ url: 'https://example.com' }, 'acts'],
    [{ action: 'back' }, 'acts'],
  ],
  tabs_context: [[{}, 'observes']],
  tabs: [
    [{ action: 'new' }, 'acts'],
    [{ action: 'select' }, 'acts'],
    [{ action: 'close' }, 'acts'],
  ],
  read_page: [
    [{}, 'observes'],
    [{ mode: 'markdown' }, 'observes'],
  ],
  page_content: [[{}, 'observes']],
  inspect: [[{}, 'observes']],
  validate_page: [
    [{}, 'observes'],
    [{ url: 'https://example.com' }, 'observes'],
  ],
  find: [[{ query: 'Send' }, 'observes']],
  page_screenshot: [[{}, 'observes']],
  interact: [[{ action: 'click', ref: 'e1' }, 'acts']],
  fill_form: [[{ fields: [] }, 'acts']],
  act: [[{ instruction: 'click Send' }, 'acts']],
  computer: [
    [{ action: 'screenshot' }, 'observes'],
    [{ action: 'left_click' }, 'acts'],
    [{ action: 'scroll' }, 'acts'],
    [{ action: 'key' }, 'acts'],
  ],
  javascript_tool: [[{ code: '1' }, 'acts']],
  script: [[{ code: '1' }, 'acts']],
  wait_for: [[{ text: 'x' }, 'acts']],
  expect: [[{ text: 'x' }, 'observes']],
  oc_recipe: [
    [{}, 'observes'],
    [{ show: 'order' }, 'observes'],
    [{ run: 'order' }, 'acts'],
  ],
  handle_dialog: [[{}, 'acts']],
  network: [
    [{}, 'observes'],
    [{ detail: 'k' }, 'observes'],
    [{ replay: 'k' }, 'acts'],
  ],
  extract_data: [[{}, 'acts']],
  crawl: [[{ url: 'https://example.com' }, 'acts']],
  crawl_sitemap: [[{ url: 'https://example.com' }, 'acts']],
  recording: [[{}, 'acts']],
  oc_evidence_bundle: [[{}, 'acts']],
  oc_session_snapshot: [[{}, 'acts']],
  oc_session_resume: [[{}, 'acts']],
  oc_output_fetch: [[{}, 'acts']],
  oc_task_start: [[{}, 'is not recorded']],
  oc_task_list: [[{}, 'is not recorded']],
  oc_task_get: [[{}, 'is not recorded']],
  oc_task_update: [[{}, 'is not recorded']],
  oc_task_finish: [[{}, 'is not recorded']],
  oc_task_cancel: [[{}, 'is not recorded']],
  oc_task_wait: [[{}, 'is not recorded']],
  oc_journal: [[{}, 'observes']],
  expand_tools: [[{}, 'observes']],
  console: [[{}, 'observes']],
  downloads: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'cancel' }, 'acts'],
  ],
  cookies: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'set' }, 'acts'],
    [{ action: 'delete' }, 'acts'],
  ],
  storage: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'get' }, 'observes'],
    [{ action: 'set' }, 'acts'],
    [{ action: 'save' }, 'acts'],
  ],
  emulate: [[{ action: 'set' }, 'acts']],
  sessions: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'open', name: 'x' }, 'acts'],
    [{ action: 'close', name: 'x' }, 'acts'],
  ],
  page_pdf: [[{}, 'acts']],
  request_intercept: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'block' }, 'acts'],
  ],
  http_auth: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'set' }, 'acts'],
  ],
  performance: [
    [{ action: 'vitals' }, 'acts'],
    [{ action: 'trace' }, 'acts'],
  ],
  oc_connection_health: [[{}, 'acts']],
  oc_stop: [[{}, 'acts']],
  passkeys: [
    [{ action: 'list' }, 'observes'],
    [{ action: 'on' }, 'acts'],
  ],
  oc_handoff: [[{ reason: 'Enter the code' }, 'acts']],
  oc_reap_orphans: [[{}, 'acts']],
};

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (name, { traits }) => {
  it('is in the table', () => {
    expect(Object.keys(TABLE)).toContain(name);
  });

  it.each(TABLE[name] ?? [])('with %j %s', (args, kind) => {
    const observes =
      typeof traits.observation === 'function'
        ? traits.observation(args as never)
        : traits.observation;
    expect(traits.ledger ? 'is not recorded' : observes ? 'observes' : 'acts').toBe(kind);
  });
});

it('reports the URL that a call loads, if it loads one', () => {
  const opened = (name: string, args: object): string | undefined =>
    TOOLS.find((tool) => tool.name === name)?.traits.opens?.(
      args as never,
      'https://here.example/',
    );
  expect(opened('navigate', { url: 'https://a.example/' })).toBe('https://a.example/');
  expect(opened('navigate', { action: 'reload' })).toBe('https://here.example/');
  expect(opened('navigate', { action: 'back' })).toBeUndefined();
  expect(opened('tabs', { action: 'new', url: 'https://a.example/' })).toBe('https://a.example/');
  expect(opened('tabs', { action: 'close' })).toBeUndefined();
  expect(opened('validate_page', { url: 'https://a.example/' })).toBe('https://a.example/');
  expect(opened('performance', { action: 'trace' })).toBe('https://here.example/');
  expect(opened('performance', { action: 'vitals' })).toBeUndefined();
});
