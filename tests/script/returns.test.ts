// The text "returns" of each tool, which scripts rely on, compared with what its calls return.
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/tools/index.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { findMismatches, parseReturns } from './returns-notation.ts';

const site = useSite({
  '/': `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
    <h1>Shop</h1><a href="/two">Two</a><form><label>Email <input></label></form>
    <article><h2>Pen</h2><span>2 EUR</span></article>
    <button onclick="document.querySelector('h1').textContent = 'Paid'">Pay</button>
    <script>console.log('ready'); fetch('/api/items')</script></html>`,
  '/two': '<!doctype html><link rel="icon" href="data:,"><title>Second</title><h1>Two</h1>',
  '/api/items': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items": [1]}'),
  '/sitemap.xml': (request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<urlset><url><loc>http://${request.headers.host}/two</loc></url></urlset>`),
});
const engine = useEngine();

/** A task that ends only when it is finished or cancelled. */
const TASK = 'const task = await oc_task_start({objective: "Buy a pen"});';
const SAVED = 'await oc_session_snapshot({objective: "Buy", current_step: "Start"});';
/** Scripts that return the value of a call; the keys are a tool and the variant of its text. */
const CALLS: Readonly<Record<string, string>> = {
  navigate: 'navigate({url: args.origin})',
  tabs_context: 'tabs_context()',
  tabs: 'tabs({action: "new", url: args.origin})',
  'tabs close': 'tabs({action: "close"})',
  read_page: 'read_page()',
  page_content: 'page_content()',
  'page_content no match': 'page_content({selector: "#none"})',
  inspect: 'inspect({query: "forms"})',
  validate_page: 'validate_page()',
  find: 'find({query: "Two"})',
  page_screenshot: 'page_screenshot()',
  interact: 'interact({action: "click", query: "Pay"})',
  fill_form: 'fill_form({fields: [{label: "Email", value: "ada@example.com"}]})',
  act: 'act({instruction: "click Pay"})',
  computer: 'computer({action: "left_click", coordinate: [1, 1]})',
  javascript_tool: 'javascript_tool({code: "1 + 1"})',
  wait_for: 'wait_for({text: "Shop"})',
  expect: 'expect({text: "Shop"})',
  handle_dialog: 'handle_dialog({policy: "dismiss"})',
  network: 'network()',
  extract_data: 'extract_data({schema: {type: "object", properties: {title: {type: "string"}}}})',
  crawl: 'crawl({url: args.origin, max_depth: 0})',
  crawl_sitemap: 'crawl_sitemap({url: args.origin, max_pages: 1})',
  'recording start': 'recording({action: "start"})',
  'recording stop and record': 'recording({action: "stop"})',
  oc_task_start: `{ ${TASK} return task }`,
  oc_task_list: 'oc_task_list()',
  oc_task_get: `{ ${TASK} return await oc_task_get({task_id: task.task_id}) }`,
  oc_task_update: `{ ${TASK} return await oc_task_update({task_id: task.task_id, phase: "act"}) }`,
  oc_task_finish: `{ ${TASK} return await oc_task_finish({task_id: task.task_id, outcome: "completed"}) }`,
  oc_task_cancel: `{ ${TASK} return await oc_task_cancel({task_id: task.task_id}) }`,
  oc_task_wait: `{ ${TASK} await oc_task_cancel({task_id: task.task_id}); return await oc_task_wait({task_id: task.task_id}) }`,
  oc_journal: 'oc_journal({action: "recent", count: 2})',
  console: 'console()',
  downloads: 'downloads()',
  'cookies list': 'cookies()',
  'cookies set': 'cookies({action: "set", name: "theme", value: "dark"})',
  'cookies delete': 'cookies({action: "delete", name: "theme"})',
  'storage list': 'storage()',
  'storage set': 'storage({action: "set", key: "theme", value: "dark"})',
  'storage get': 'storage({action: "get", key: "theme"})',
  'storage remove': 'storage({action: "remove", key: "theme"})',
  'sessions list': 'sessions({action: "list"})',
  'sessions open': 'sessions({action: "open", name: "buyer"})',
  passkeys: 'passkeys()',
  page_pdf: 'page_pdf()',
  request_intercept: 'request_intercept({action: "block", url: "*.png"})',
  'request_intercept list': 'request_intercept({action: "list"})',
  'request_intercept remove and clear': 'request_intercept({action: "clear"})',
  http_auth: 'http_auth({action: "list"})',
  performance: 'performance()',
  oc_session_resume: `{ ${SAVED} return await oc_session_resume() }`,
  oc_connection_health: 'oc_connection_health()',
};

/** Tools whose text is no notation of fields, or that cannot be called here. */
const WITHOUT_CALL: Readonly<Record<string, string>> = {
  emulate: 'returns the settings of the tab',
  oc_output_fetch: 'needs a handle: see the last test',
  oc_handoff: 'waits for a user',
  oc_stop: 'ends the browser of this file',
};

const toolOf = (key: string): string => key.split(' ')[0] ?? key;

describe('the documented fields are returned by', () => {
  it.each(Object.entries(CALLS))('%s', async (key, call) => {
    const tool = TOOLS.find(({ name }) => name === toolOf(key));
    const code = call.startsWith('{') ? call.slice(1, -1) : `return await ${call}`;
    await engine.text('navigate', { url: site.origin });
    const value = await engine.json('script', { code, args: { origin: site.origin } });
    const variant = key.slice(toolOf(key).length + 1);
    expect(findMismatches(parseReturns(tool?.returns ?? '', variant), value)).toEqual([]);
  });

  it('oc_output_fetch', async () => {
    const { output_handle } = await engine.json('javascript_tool', {
      code: '"line of text\\n".repeat(50000)',
      max_chars: 1_000_000,
    });
    const code = 'return await oc_output_fetch({output_handle: args.handle, limit: 16})';
    const value = await engine.json('script', { code, args: { handle: output_handle } });
    const returns = TOOLS.find(({ name }) => name === 'oc_output_fetch')?.returns ?? '';
    expect(findMismatches(parseReturns(returns, ''), value)).toEqual([]);
  });
});

it('a tool that documents its fields has a call above', () => {
  const documented = TOOLS.flatMap(({ name, returns }) => (returns ? [name] : []));
  const covered = new Set([...Object.keys(CALLS).map(toolOf), ...Object.keys(WITHOUT_CALL)]);
  expect(documented.filter((name) => !covered.has(name))).toEqual([]);
});
