// javascript_tool: the value of the code, complete or cut at a reported limit, and its errors.
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const site = useSite({
  '/': `<title>Page</title><p id=p>text</p><script>var mine = 41; function boom() { throw new TypeError("no such thing"); }</script><iframe src="/inner"></iframe>`,
  '/inner': '<title>Inner</title><b>inside</b>',
});

const evaluate = (code: string, more: object = {}): Promise<string> =>
  browser.text('javascript_tool', { code, ...more });

describe('javascript_tool', () => {
  test.each([
    ['1 + 1', '2'],
    ['"text"', 'text'],
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['NaN', 'NaN'],
    ['10n ** 20n', '100000000000000000000n'],
    ['({a: [1, {b: "c"}], d: undefined})', '{"a":[1,{"b":"c"}]}'],
    ['new Map([["k", new Set([1, 2])]])', '{"k":[1,2]}'],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['document.getElementById("p")', '[<p id="p">]'],
    ['document.querySelectorAll("p")', '["[<p id=\\"p\\">]"]'],
    ['const loop = {}; loop.self = loop; loop', '{"self":"[circular]"}'],
    ['({get bad() { throw new Error("x") }, ok: 1})', '{"bad":"[getter threw: Error: x]","ok":1}'],
    ['() => 1', '[function ]'],
    ['Promise.resolve(7)', '7'],
    ['await Promise.resolve(8)', '8'],
    ['(async () => ({done: true}))()', '{"done":true}'],
    ['const x = 3; x * 2', '6'],
    ['const x = 4; x * 2', '8'],
    ['return mine + 1', '42'],
    ['const r = await Promise.resolve(5); return r', '5'],
    ['mine', '41'],
  ])('%s returns %s', async (code, text) => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await evaluate(code)).toBe(text);
  });

  test('an error of the code has its message and its position', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await browser.failure('javascript_tool', { code: 'boom()' })).toMatchObject({
      code: 'script_error',
      message: 'The code threw "TypeError: no such thing".',
      stack: expect.stringContaining('boom'),
    });
    expect(await browser.failure('javascript_tool', { code: 'let = ' })).toMatchObject({
      code: 'script_error',
      message: expect.stringContaining('SyntaxError'),
    });
    expect(
      await browser.failure('javascript_tool', { code: 'Promise.reject(new Error("later"))' }),
    ).toMatchObject({
      code: 'script_error',
      message: 'The code threw "Error: later".',
    });
    expect(await browser.failure('javascript_tool', { code: 'throw "a string"' })).toMatchObject({
      code: 'script_error',
      message: expect.stringContaining('a string'),
    });
  });

  test('the isolated world does not see the variables of the page', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await evaluate('typeof mine + " " + document.title', { world: 'isolated' })).toBe(
      'undefined Page',
    );
  });

  test('a frame is named by its id, and an unknown one lists the frames', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    const { frames } = (await browser.failure('javascript_tool', {
      code: '1',
      frameId: 'nope',
    })) as unknown as {
      frames: { frameId: string; url: string }[];
    };
    const inner = frames.find(({ url }) => url.endsWith('/inner'));
    expect(
      await evaluate('document.querySelector("b").textContent', { frameId: inner?.frameId }),
    ).toBe('inside');
  });

  test('an empty string is shown as one, never as an empty reply', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await evaluate('""')).toBe('""');
  });

  test('a long value is cut, and both lengths are reported', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await evaluate('"x".repeat(1000)', { max_chars: 10 })).toBe(
      'xxxxxxxxxx\n… cut at 10 of 1000 characters; raise max_chars or return less data',
    );
    expect(await evaluate('Array(1000).fill(1)', { max_chars: 9 })).toBe(
      '[1,1,1,1,\n… cut at 9 of 2001 characters; raise max_chars or return less data',
    );
  });

  test('a page that redefines built-in functions is answered nevertheless', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    await evaluate('Object.keys = () => { throw 1 }; 1');
    expect(await browser.reply('javascript_tool', { code: '({a: 1})' })).toMatchObject({
      notes: [],
    });
    expect(await evaluate('2')).toBe('2');
  });
});
