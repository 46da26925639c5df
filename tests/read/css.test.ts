// read_page {mode: "css"}: why things look as they do.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { payload, withCountedRefs } from './payload.ts';

const site = useSite();
const { text, json, failure } = useEngine();

const PAGE = `<!doctype html><html lang="en"><head><title>Styles</title><style>
  :root { --bg: #fff; --fg: #111; --gap: 8px } body { margin: 0; font: 16px/1.5 sans-serif; color: var(--fg); background: var(--bg) }
  header { position: sticky; top: 0; z-index: 10; background: #eee; height: 60px; display: flex; gap: var(--gap) }
  .wide { width: 1500px; height: 20px } .faint { color: #bbb }
  .cut { width: 80px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis }
  .modal { position: fixed; inset: 100px 200px; background: #fff; z-index: 1000 }
  .btn { padding: 4px 8px; border: 1px solid #ccc; border-radius: 4px; font: 14px/20px monospace } @media (min-width: 600px) { .btn { margin: var(--gap) } }
  .outer { .btn { top: 1px } } .clip { overflow: hidden; width: 50px; height: 10px } .clip b { display: block; width: 100px; height: 10px }
  </style></head><body><header id="top"><button class="btn">Menu</button></header><div class="wide"></div><p class="faint">Faint text</p>
  <p class="cut">A long text that is cut off here</p><div class="outer"><button id="under" class="btn" style="position: relative; top: 100px; left: 300px; width: 60px">Under</button></div>
  <div class="modal"><h2>Modal</h2></div><div style="display: none"><b id="gone">x</b></div><div class="clip"><b id="half">y</b></div>
  <i id="clear" style="opacity: 0">z</i><u id="below" style="position: absolute; top: 3000px">w</u></body></html>`;

const css = async (args: object = {}): Promise<string> => {
  await json('navigate', { url: site.page('/page', PAGE) });
  return payload(await text('read_page', { mode: 'css', ...args }));
};

it('diagnoses the page: problems first, then the variables in effect, stacking and boxes', async () => {
  expect(await css()).toMatchInlineSnapshot(`
    "viewport: 1280x720 at 1x, page 1500x3024, scrolled to 0,0, prefers light
    problems:
     page scrolls sideways: 1500 in 1280, because of div.wide to 1500
     text cut off: p.cut "A long text that is cut off here"
     covered control: button#under by div.modal
     low contrast: p.faint 1.9 "Faint text"
    sheets: inline sheet (12 rules)
    media in effect: (min-width: 600px)
    variables: --bg: #fff; --fg: #111; --gap: 8px
    text: 16px/24px sans-serif 400, #111 on #fff, contrast 18.9
    fonts: sans-serif (local), monospace (local)
    on top, highest first:
     1000 div.modal fixed 200,100 880x520
     10 header#top sticky 0,0 1280x60
    boxes:
     header#top 0,0 1280x60 flex sticky
     div.outer 0,176 1280x46
     div.modal 200,100 880x520 fixed"
  `);
});

it('explains one element: box, visibility, stacking, styles, variables, rules', async () => {
  expect(withCountedRefs(await css({ selector: '#under' }))).toMatchInlineSnapshot(`
    "e1 button#under.btn
    box: 308,284 60x30
    visibility: covered by div.modal
    styles: display: inline-block; position: relative; inset: 100px -300px -100px 300px; box-sizing: border-box; margin: 8px; padding: 4px 8px; border-radius: 4px; background-color: #efefef; border: 1px solid #ccc; color: #000; font-family: monospace; font-size: 14px; line-height: 20px; text-align: center; cursor: default
    text: 14px/20px monospace 400, #000 on #efefef, contrast 18.3
    variables: --gap: 8px (2 more in effect)
    rules, strongest last as written:
     .btn { padding: 4px 8px; border: 1px solid #ccc; border-radius: 4px; font: 14px / 20px monospace; } inline sheet
     .btn { margin: var(--gap); } inline sheet
     & .btn { top: 1px; } inline sheet
     style attribute { position: relative; top: 100px; left: 300px; width: 60px }"
  `);
});

it.each([
  ['#gone', 'not rendered: display: none on div'],
  ['#half', 'visible, 50 % of it clipped by div.clip'],
  ['#clear', 'invisible: opacity: 0'],
  ['#below', 'visible after scrolling down'],
  ['#under', 'covered by div.modal'],
  ['h2', 'visible'],
])('reports whether %s is visible', async (selector, expected) => {
  expect(/^visibility: (.*)$/m.exec(await css({ selector }))?.[1]).toBe(expected);
});

it('keeps to max_tokens', async () => {
  expect(encode(await css({ max_tokens: 100 })).length).toBeLessThanOrEqual(100);
});

it('names the missing element', async () => {
  await css();
  expect(await failure('read_page', { mode: 'css', selector: '.none' })).toMatchObject({
    code: 'element_not_found',
  });
});
