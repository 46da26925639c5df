// Words that every JavaScript object knows ("constructor", "__proto__") are words like any, in
// pages and in arguments.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PAGE = `<!doctype html><title>Words</title><main><h1>Words</h1><constructor>One</constructor><constructor role=constructor>Two</constructor>
  <input type=constructor aria-label=Three><div role=__proto__ tabindex=0>Four</div>
  <div role=constructor tabindex=0 aria-haspopup=constructor aria-live=constructor>Five</div><p role=status aria-live=__proto__>Live</p>
  <table><caption>Six</caption><tr><th aria-sort=constructor>Seven</th><th aria-sort=__proto__>Eight</th></tr><tr><td role=constructor>9</td><td>10</td></tr></table>
  <meta name=constructor content=x><meta property=__proto__ content=y>
  <script type="application/ld+json">{"@type":"constructor","__proto__":{"a":1},"constructor":"x"}</script></main>`;
const site = useSite({ '/': PAGE });
const server = useEngine();

it.each<[string, Record<string, unknown>]>([
  ['read_page', {}],
  ['read_page', { mode: 'dom' }],
  ['read_page', { mode: 'css' }],
  ['read_page', { mode: 'markdown' }],
  ['find', { role: 'constructor' }],
  ['find', { role: '__proto__' }],
  ['find', { query: 'constructor __proto__' }],
  ['inspect', { selector: 'constructor' }],
  ['validate_page', {}],
  ['extract_data', {}],
  ['interact', { action: 'press', key: 'constructor' }],
  ['interact', { action: 'click', query: 'Five' }],
  ['fill_form', { fields: [{ label: 'Three', value: '__proto__' }] }],
  ['storage', { action: 'get', key: '__proto__' }],
  ['network', { detail: 'constructor' }],
  ['crawl', { render: 'fetch', max_pages: 1 }],
  ['crawl', { render: 'browser', max_pages: 1 }],
  ['oc_output_fetch', { output_handle: '__proto__' }],
  ['javascript_tool', { code: 'JSON.parse(\'{"__proto__":1,"constructor":2}\')' }],
])('are words like any in %s %j', async (name, args) => {
  await server.json('navigate', { url: `${site.origin}/` });
  const { failure, text } = await server.reply(
    name,
    name === 'crawl' ? { ...args, url: `${site.origin}/` } : args,
  );
  expect(failure?.code).not.toBe('internal');
  expect(text ?? failure?.message).not.toMatch(/native code|\[object|undefined/);
});
