// Recordings of pages that mean harm: nothing of them runs in the replay, and nothing of them
// breaks out of a script.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { inReplay, openReplay, recordTask, runScript } from './recordings.ts';

const NASTY = `</script><script>top.pwned=1</script><!--<script>"'\`\${alert(1)}\\u2028\\n*/ */ //`;

const hits: string[] = [];
const site = useSite({
  '/': `<!doctype html><meta charset="utf-8"><title>${NASTY.replaceAll('<', '&lt;')}</title>
    <meta http-equiv="refresh" content="3600;url=/leak?refresh">
    <link rel="prefetch" href="/leak?prefetch"><link rel="preconnect" href="http://127.0.0.1:9">
    <base target="_top">
    <body onload="window.ran = 1">
    <img src="/missing.png" onerror="top.pwned = 1">
    <a id="js" href="javascript:top.pwned=1">link</a>
    <iframe srcdoc="<script>top.pwned = 1</script>"></iframe>
    <svg><script>top.pwned=1</script><a href="javascript:top.pwned=1"><text y="20">svg</text></a></svg>
    <style>p { background: url("/leak?css") } @import "/leak?import";</style>
    <form action="javascript:top.pwned=1"><button id="b"></button></form>
    <p id="p"></p><output></output>
    <script>
      const nasty = ${JSON.stringify(NASTY).replaceAll('<', '\\u003c')} + '\\u2028\\u2029\\n\\0';
      document.getElementById('p').textContent = nasty;
      document.getElementById('b').textContent = nasty;
      document.getElementById('b').setAttribute('aria-label', nasty);
      document.getElementById('b').type = 'button';
      document.getElementById('b').onclick = () => { document.querySelector('output').textContent = 'pressed'; document.title = 'pressed'; console.log(nasty); history.pushState({}, '', '/?' + encodeURIComponent(nasty)); };
      const field = document.createElement('input'); field.name = nasty; field.placeholder = nasty; document.body.append(field);
      Object.defineProperty(Element.prototype, 'getAttribute', { value: () => { throw new Error('clobbered') } });
      JSON.stringify = () => { throw new Error('clobbered') };
      Date.now = () => NaN;
    </script>`,
  '/leak': (request, response) => {
    hits.push(request.url ?? '');
    response.end('');
  },
});

const engine = useEngine();

describe('a page that means harm', () => {
  it('is recorded, cannot run code or send requests in its replay, and stays a string in the scripts', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const recording = await recordTask(engine);
    await engine.text('interact', { action: 'click', selector: '#b' });
    await engine.text('interact', { action: 'fill', selector: 'body > input', value: NASTY });
    const { result } = await recording.cancel();
    for (const library of ['playwright', 'puppeteer'] as const) {
      await promisify(execFile)(process.execPath, [
        '--check',
        join(result.folder, `${library}.mjs`),
      ]);
      expect(await runScript(result.folder, library)).toMatchObject({ title: 'pressed' });
    }

    hits.length = 0;
    await openReplay(engine, site, result.folder);
    expect(await inReplay(engine, 'page.querySelector("output").textContent')).toBe('pressed');
    expect(await inReplay(engine, 'page.querySelector("#p").textContent')).toContain(
      '</script><script>top.pwned=1</script>',
    );
    expect(
      await inReplay(
        engine,
        'page.querySelectorAll("script[src],script:not([type]):not(:empty)").length',
      ),
    ).toBe('0');
    await engine.text('javascript_tool', {
      code: `document.querySelector('#player iframe').contentDocument.querySelector('#js').click()`,
    });
    await engine.text('javascript_tool', {
      code: `for (const item of document.querySelectorAll('li')) item.click(); document.getElementById('play').click(); await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));`,
    });
    expect(
      await engine.text('javascript_tool', {
        code: 'typeof window.pwned + document.querySelectorAll("body > script:not([type])").length',
      }),
    ).toBe('undefined1');
    expect(hits).toEqual([]);
    expect((await engine.reply('tabs_context')).text).toContain('/replay-');
  });
});
