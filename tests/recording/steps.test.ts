// Every kind of step: what was done in a page with tools is done again by both scripts, to the very
// same state.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { readJson, recordTask, runScript } from './recordings.ts';

/**
 * Pages report here what happened to them. Beacons may overtake each other, so each has the time at
 * which it was sent.
 */
const told: { readonly at: number; readonly text: string }[] = [];

const TELL = `<script>
  const tell = (text) => navigator.sendBeacon('/tell', JSON.stringify({ at: performance.timeOrigin + performance.now(), text }));
</script>`;
const page = (title: string, body: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">${TELL}${body}`;

const site = useSite({
  '/tell': (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      told.push(JSON.parse(body) as (typeof told)[number]);
      response.end();
    });
  },
  '/widgets': page(
    'Widgets',
    `<button id="dbl" ondblclick="tell('double')">Twice</button>
     <button id="ctx" oncontextmenu="tell('context'); return false">Menu</button>
     <div contenteditable="true" aria-label="Notes" role="textbox" onblur="tell('notes ' + this.innerText)"></div>
     <input type="range" aria-label="Volume" min="0" max="10" value="1" onchange="tell('volume ' + this.value)">
     <input type="file" aria-label="Upload" onchange="tell('file ' + this.files[0].name)">
     <input aria-label="Search" onkeydown="if (event.key === 'Enter') tell('search ' + this.value)">
     <div id="menu" onmouseover="this.className = 'open'">Products <span hidden></span></div>
     <style>#item { display: none } #menu.open #item { display: block }</style>
     <div onmouseover="document.getElementById('item').hidden = false" id="hover" role="button" tabindex="0" aria-label="More">More</div>
     <button id="item2" onclick="tell('asked ' + confirm('Sure?') + ' ' + prompt('Name?', 'x'))">Ask</button>
     <label><input type="radio" name="r" value="a"> First</label><label><input type="radio" name="r" value="b" onchange="tell('radio b')"> Second</label>
     <my-box></my-box>
     <canvas id="c" width="200" height="100" style="border: 1px solid" onclick="tell('canvas ' + Math.round(event.offsetX) + ',' + Math.round(event.offsetY))"></canvas>
     <div style="height: 3000px"></div><button onclick="tell('bottom')">Bottom</button>
     <script>
       customElements.define('my-box', class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<button>In the shadow</button>'; this.shadowRoot.querySelector('button').onclick = () => tell('shadow'); } });
       addEventListener('keydown', (event) => event.ctrlKey && event.key === 'k' && (event.preventDefault(), tell('shortcut')));
     </script>`,
  ),
  '/drag': page(
    'Drag',
    `<div id="a" draggable="true" ondragstart="event.dataTransfer.setData('text', 'a')" style="width:80px;height:40px;background:#ccc">Card</div>
     <div id="b" ondragover="event.preventDefault()" ondrop="event.preventDefault(); tell('dropped ' + event.dataTransfer.getData('text')); document.title = 'Dropped'" style="width:200px;height:100px;margin-top:60px;background:#eee">Box</div>`,
  ),
  '/one': page('One', `<a href="/two">Go on</a>`),
  '/two': page(
    'Two',
    `<h1>Two</h1><button onclick="history.pushState({}, '', '/two/part'); document.title = 'Part'; tell('part')">Part</button>`,
  ),
});

const engine = useEngine();
let file = '';
beforeAll(async () => {
  file = join(engine.home, 'letter.txt');
  await writeFile(file, 'Dear Ada');
});

const settled = async (count: number): Promise<string[]> => {
  await expect.poll(() => told.length, { timeout: 15_000 }).toBe(count);
  return told
    .splice(0)
    .toSorted((a, b) => a.at - b.at)
    .map(({ text }) => text);
};

/** Records what `act` does on a page, and lets both scripts do it too. */
const recordedAndRepeated = async (
  path: string,
  act: () => Promise<unknown>,
  count: number,
): Promise<readonly string[]> => {
  await engine.json('navigate', { url: `${site.origin}${path}` });
  const recording = await recordTask(engine, { exports: ['json', 'playwright', 'puppeteer'] });
  told.length = 0;
  await act();
  const expected = await settled(count);
  const { result } = await recording.cancel();
  for (const library of ['playwright', 'puppeteer'] as const) {
    const end = await runScript(result.folder, library, { FILES: engine.home });
    expect({ library, told: await settled(count), ...end }).toEqual({
      library,
      told: expected,
      url: result.summary.final_url,
      title: result.summary.title,
    });
  }
  return result.steps.map((step) => step.replaceAll(site.origin, ''));
};

const interact = (action: string, target: object, value?: unknown): Promise<string> =>
  engine.text('interact', { action, ...target, ...(value === undefined ? {} : { value }) });

describe('steps are repeated', () => {
  /** One recording, because each library starts a Chrome for each script. */
  it('at a point of a canvas, with the answers to dialogs, and of widgets of every kind', async () => {
    const steps = await recordedAndRepeated(
      '/widgets',
      async () => {
        const { x, y } = JSON.parse(
          await engine.text('javascript_tool', {
            code: 'const r = document.getElementById("c").getBoundingClientRect(); return { x: r.x, y: r.y }',
          }),
        ) as { x: number; y: number };
        await engine.text('computer', {
          action: 'left_click',
          coordinate: [Math.round(x) + 50, Math.round(y) + 30],
        });
        await interact('click', { query: 'Ask' });
        await engine.text('handle_dialog', { accept: true });
        await expect
          .poll(() => engine.reply('tabs_context').then(({ text }) => text))
          .toContain('prompt');
        await engine.text('handle_dialog', { accept: true, text: 'Grace' });
        await interact('double_click', { query: 'Twice' });
        await interact('right_click', { query: 'Menu' });
        await interact('fill', { query: 'Notes' }, 'Hello "you" \\ `there`');
        await engine.text('fill_form', { fields: [{ label: 'Volume', value: 7 }] });
        await interact('upload', { selector: 'input[type=file]' }, file);
        await interact('fill', { query: 'Search' }, 'engine');
        await interact('press', { query: 'Search' }, 'Enter');
        await interact('press', {}, 'Control+k');
        await interact('check', { query: 'Second' });
        await interact('click', { query: 'In the shadow' });
        await engine.text('act', { instruction: 'click Bottom' });
      },
      12,
    );
    expect(steps.slice(0, 2)).toEqual(['open /widgets', 'click #c']);
    expect(steps.slice(2, -11)).toEqual(
      expect.arrayContaining([
        'click button "Ask"',
        'accept confirm "Sure?"',
        'accept prompt "Name?" with "Grace"',
      ]),
    );
    expect(steps.slice(-11)).toEqual([
      'double-click button "Twice"',
      'right-click button "Menu"',
      String.raw`fill textbox "Notes" with "Hello \"you\" \\ ` + '`there`"',
      'fill slider "Volume" with "7"',
      expect.stringMatching(/^upload "letter.txt" to /),
      'fill textbox "Search" with "engine"',
      'press Enter in textbox "Search"',
      expect.stringMatching(/^press Control\+k/),
      expect.stringMatching(/Second|radio/),
      'click button "In the shadow"',
      'click button "Bottom"',
    ]);
  });

  it('of dragging one thing onto another', async () => {
    const steps = await recordedAndRepeated(
      '/drag',
      () => interact('drag', { selector: '#a' }, 'Box'),
      1,
    );
    expect(steps).toContain('drag #a to #b');
  });

  it('across pages, back and forward, and within one', async () => {
    const steps = await recordedAndRepeated(
      '/one',
      async () => {
        await interact('click', { query: 'Go on' });
        await engine.json('navigate', { action: 'back' });
        await engine.json('navigate', { action: 'forward' });
        await engine.json('navigate', { url: `${site.origin}/one` });
        await engine.json('navigate', { url: `${site.origin}/two` });
        await interact('click', { query: 'Part' });
      },
      1,
    );
    expect(steps).toEqual([
      'open /one',
      'click link "Go on"',
      'at /two',
      'back: /one',
      'forward: /two',
      'open /one',
      'open /two',
      'click button "Part"',
      'at /two/part',
    ]);
  });

  it('inside frames, also of another origin, which the replay reports as missing', async () => {
    site.page(
      '/inner',
      page(
        'Inner',
        `<input aria-label="Code"><button onclick="tell('inner ' + document.querySelector('input').value)">Inside</button>`,
      ),
    );
    site.page(
      '/outer',
      page(
        'Outer',
        `<iframe src="http://localhost:${site.port}/inner" width="400" height="200"></iframe>`,
      ),
    );
    await engine.json('navigate', { url: `${site.origin}/outer` });
    await engine.text('wait_for', { text: 'Inside' }).catch(() => '');
    const recording = await recordTask(engine);
    told.length = 0;
    await interact('fill', { query: 'Code' }, '42');
    await interact('click', { query: 'Inside' });
    expect(await settled(1)).toEqual(['inner 42']);
    const { result } = await recording.cancel();
    expect(result.summary.notes.join()).toContain(
      `a frame of http://localhost:${site.port} is empty in the replay`,
    );
    const { steps } = await readJson(result.folder);
    expect(
      steps.filter((step) => 'frame' in step && step.frame?.url.includes('/inner')).length,
    ).toBeGreaterThanOrEqual(2);
    for (const library of ['playwright', 'puppeteer'] as const) {
      await runScript(result.folder, library);
      expect(await settled(1)).toEqual(['inner 42']);
    }
  });

  it('but not what scripts of the page do by themselves', async () => {
    site.page(
      '/busy',
      page(
        'Busy',
        `<input id="i"><button id="x">x</button><script>setInterval(() => { i.value = Math.random(); i.dispatchEvent(new Event('input', { bubbles: true })); i.dispatchEvent(new Event('change', { bubbles: true })); x.click(); scrollTo(0, 1); }, 20)</script><div style="height:3000px">`,
      ),
    );
    await engine.json('navigate', { url: `${site.origin}/busy` });
    const recording = await recordTask(engine, { exports: ['json'], duration_ms: 1500 });
    const { result } = await recording.wait();
    expect(result.summary.stop_reason).toBe('duration');
    expect(result.steps).toEqual([`open ${site.origin}/busy`]);
  });

  it('but not the scrolling by which a tool only reaches its target, even right after a key', async () => {
    site.page(
      '/far',
      `<!doctype html><title>Far</title><input aria-label="Near"><div style="height:4000px"></div>
       <button onclick="setTimeout(() => document.body.append('at rest'), 700)">Far away</button>`,
    );
    await engine.json('navigate', { url: `${site.origin}/far` });
    const recording = await recordTask(engine, { exports: ['json'] });
    await interact('press', { query: 'Near' }, 'a');
    await interact('click', { query: 'Far away' });
    await engine.text('wait_for', { text: 'at rest' });
    const { result } = await recording.cancel();
    expect(result.steps.filter((step) => step.startsWith('scroll'))).toEqual([]);
    expect(result.steps).toContain('click button "Far away"');
  });
});
