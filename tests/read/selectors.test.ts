// Selectors of callers: CSS, XPath, and one of several matches.
import { beforeAll, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<title>List</title><ul><li>One <button>Buy</button></li><li>Two <button>Buy</button></li>
    <li>Three <button>Buy</button></li></ul><div id="host"></div><output></output><script>
    for (const [i, button] of document.querySelectorAll('button').entries())
      button.onclick = () => { document.querySelector('output').textContent = 'bought ' + i; };
    const root = host.attachShadow({ mode: 'open' });
    root.innerHTML = '<p class="deep">first deep</p><p class="deep">second deep</p>';
  </script>`,
});
const engine = useEngine();
beforeAll(async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
});
const readOutput = (): Promise<string> =>
  engine.text('javascript_tool', { code: 'document.querySelector("output").textContent' });

describe('a selector', () => {
  it.each([
    ['//li[2]/button', 'bought 1'],
    ['xpath=//li[contains(., "Three")]/button', 'bought 2'],
    ['(//button)[1]', 'bought 0'],
    ['button >> nth=1', 'bought 1'],
    ['//button >> nth=-1', 'bought 2'],
  ])('%s names one element to click', async (selector, expected) => {
    await engine.text('interact', { action: 'click', selector });
    expect(await readOutput()).toBe(expected);
  });

  it('works in reading, finding, waiting and pictures', async () => {
    expect(await engine.text('read_page', { selector: '//li[2]' })).toContain('Two');
    expect(await engine.text('read_page', { selector: '//li[2]' })).not.toContain('Three');
    expect(await engine.text('page_content', { selector: 'li >> nth=2' })).toContain('Three');
    expect(await engine.text('find', { selector: '//li[1]/button' })).toContain('"Buy"');
    expect(await engine.text('find', { selector: '//li/button', query: 'Buy' })).toContain('"Buy"');
    await engine.text('wait_for', { selector: '//li[3]' });
    expect((await engine.reply('page_screenshot', { selector: '//li[1]' })).failure).toBe(
      undefined,
    );
    expect(await engine.text('inspect', { selector: 'li >> nth=0' })).toContain('One');
  });

  it('counts the matches in shadow roots', async () => {
    expect(await engine.text('page_content', { selector: '.deep >> nth=1' })).toContain(
      'second deep',
    );
  });

  it('that matches several elements or is invalid is an error', async () => {
    expect(
      await engine.failure('interact', { action: 'click', selector: '//button' }),
    ).toMatchObject({ code: 'ambiguous_target' });
    for (const selector of ['//button[', 'button >> nth=x', 'li >>'])
      expect(await engine.failure('interact', { action: 'click', selector })).toMatchObject({
        code: 'invalid_argument',
        argument: 'selector',
      });
    expect(
      await engine.failure('interact', {
        action: 'click',
        selector: 'button >> nth=9',
        waitForMs: 0,
      }),
    ).toMatchObject({ code: 'element_not_found' });
  });
});
