// page_content: raw HTML, and its reply if no element matches.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { payload } from './payload.ts';

const site = useSite();
const { text, json, failure } = useEngine();

const PAGE =
  '<!DOCTYPE html><html lang="en"><head><title>Raw</title></head><body><ul id="list"><li>one</li></ul></body></html>';

const open = async (html: string): Promise<void> => {
  await json('navigate', { url: site.page('/raw', html) });
};

it('shows the current page, with its doctype', async () => {
  await open(PAGE);
  await text('javascript_tool', { code: 'document.querySelector("li").textContent = "changed"' });
  expect(payload(await text('page_content'))).toBe(
    '<!DOCTYPE html>\n<html lang="en"><head><title>Raw</title></head><body><ul id="list"><li>changed</li></ul></body></html>',
  );
});

it('shows one element, with its tag or without', async () => {
  await open(PAGE);
  expect(payload(await text('page_content', { selector: '#list' }))).toBe(
    '<ul id="list"><li>one</li></ul>',
  );
  expect(payload(await text('page_content', { selector: '#list', outerHTML: false }))).toBe(
    '<li>one</li>',
  );
});

it('looks into open shadow roots and frames of the same site', async () => {
  await open(
    '<div><template shadowrootmode="open"><b id="deep">deep</b></template></div><iframe srcdoc="<i id=framed>framed</i>"></iframe>',
  );
  expect(payload(await text('page_content', { selector: '#deep' }))).toBe('<b id="deep">deep</b>');
  expect(payload(await text('page_content', { selector: '#framed' }))).toBe(
    '<i id="framed">framed</i>',
  );
});

it('returns JSON if no element matches, which is not an error', async () => {
  await open(PAGE);
  const answer = await json('page_content', { selector: '#missing' });
  expect(Object.keys(answer)).toEqual(['state', 'selector', 'content', 'message']);
  expect(answer).toMatchObject({
    state: {
      url: `${site.origin}/raw`,
      title: 'Raw',
      mode: 'html',
      capturedAt: expect.any(Number),
      tabId: expect.any(String),
    },
    selector: '#missing',
    content: null,
    message: 'No element matches #missing.',
  });
});

it('rejects an invalid selector', async () => {
  await open(PAGE);
  expect(await failure('page_content', { selector: 'ul[' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'selector',
  });
});

it('is not misled by elements that are named like properties of the document', async () => {
  await open(
    '<title>Real</title><form name="childNodes"></form><img name="querySelector"><img name="title"><img name="documentElement"><p>text</p>',
  );
  expect(payload(await text('page_content', { selector: 'p' }))).toBe('<p>text</p>');
  expect(await text('page_content')).toContain('- Page Title: Real\n');
});
