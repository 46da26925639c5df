// Recordings of a tab: what is done there comes out as a replay and as scripts that do it again.
import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import {
  everythingIn,
  inReplay,
  openReplay,
  readJson,
  recordTask,
  runScript,
  seek,
} from './recordings.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
);
let pictures = 0;
const sent: string[] = [];

const site = useSite({
  '/': `<!doctype html><title>Sign up</title><link rel="icon" href="data:,"><link rel="preconnect" href="http://127.0.0.1:9">
    <style>h1 { color: rgb(1, 2, 3) } .logo { width: 20px; height: 20px; background: url(/pixel.png?bg) }</style>
    <h1>Sign up</h1><img id="pic" src="/pixel.png" alt="logo"><div class="logo"></div>
    <form action="/done" method="post">
      <label>Name <input name="name"></label>
      <label>Password <input type="password" name="pw"></label>
      <label>Country <select name="country"><option value="de">Germany</option><option value="no">Norway</option></select></label>
      <label><input type="checkbox" name="agree" value="yes"> I agree</label>
      <label>Born <input type="date" name="born"></label>
      <button>Send</button>
    </form>`,
  '/done': (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      sent.push(body);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        '<!doctype html><title>Done</title><link rel="icon" href="data:,"><h1>Thank you</h1><script>console.error("oh dear")</script>',
      );
    });
  },
  '/pixel.png': (_, response) => {
    pictures++;
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(PNG);
  },
});

const engine = useEngine();

const PASSWORD = 'correct-horse-9';

const signUp = (): Promise<string> =>
  engine.text('fill_form', {
    fields: [
      { label: 'Name', value: 'Ada' },
      { label: 'Password', value: PASSWORD },
      { label: 'Country', value: 'Norway' },
      { label: 'I agree', value: true },
      { label: 'Born', value: '1815-12-10' },
    ],
    submit: true,
  });

const recordSignUp = async (
  args: object = {},
): Promise<{ folder: string; steps: readonly string[] }> => {
  await engine.json('navigate', { url: `${site.origin}/` });
  const recording = await recordTask(engine, args);
  await signUp();
  return (await recording.cancel()).result;
};

describe('a recording', () => {
  it('as a task stores steps, document, console, network and pictures, and writes all exports when it is cancelled', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const recording = await recordTask(engine);
    await signUp();
    const { meta, result } = await recording.cancel();
    expect(meta.status).toBe('CANCELLED');
    expect(result.steps.map((step) => step.replaceAll(site.origin, ''))).toEqual([
      'open /',
      'fill textbox "Name" with "Ada"',
      'fill textbox "Password" with a secret',
      'select "no" in combobox "Country"',
      'check checkbox "I agree"',
      'fill input[name="born"] with "1815-12-10"',
      'click button "Send"',
      'at /done',
    ]);
    expect(result.summary).toMatchObject({
      stop_reason: 'cancelled',
      title: 'Done',
      final_url: `${site.origin}/done`,
      calls: 1,
    });
    expect(result.files.map(({ export: name }) => name)).toEqual([
      'json',
      'html',
      'playwright',
      'puppeteer',
    ]);
    for (const { path, bytes } of result.files) expect((await readFile(path)).length).toBe(bytes);
    const json = await readJson(result.folder);
    expect(json.console).toEqual([expect.objectContaining({ level: 'error', text: 'oh dear' })]);
    expect(json.network).toContainEqual(
      expect.objectContaining({ method: 'POST', url: `${site.origin}/done`, status: 200 }),
    );
    expect(json.calls[0]).toMatchObject({
      tool: 'fill_form',
      did: [expect.stringContaining('clicked')],
    });
    expect(json.steps.filter(({ by }) => by === 'fill_form').length).toBeGreaterThan(5);
    expect(json.screenshots.map(({ why }) => why)).toEqual(
      expect.arrayContaining(['start', 'end']),
    );
    for (const { file } of json.screenshots)
      expect((await readFile(join(result.folder, file))).subarray(0, 2).toString('hex')).toBe(
        'ffd8',
      );
  });

  it('never writes a password down, in no file of the task and in no export', async () => {
    const { folder } = await recordSignUp();
    const written = (await everythingIn(folder)) + (await everythingIn(join(engine.home, 'tasks')));
    expect(written).toContain('Ada');
    expect(written).not.toContain(PASSWORD);
  });

  it('is replayed offline: the document as it was, with its pictures, and without requests', async () => {
    const { folder } = await recordSignUp();
    const before = pictures;
    await openReplay(engine, site, folder);
    expect(await inReplay(engine, 'page.querySelector("h1").textContent')).toBe('Thank you');
    await seek(engine, 1);
    expect(await inReplay(engine, 'page.querySelector("h1").textContent')).toBe('Sign up');
    expect(await inReplay(engine, 'getComputedStyle(page.querySelector("h1")).color')).toBe(
      'rgb(1, 2, 3)',
    );
    expect(await inReplay(engine, 'page.querySelector("#pic").naturalWidth')).toBe('2');
    expect(
      await inReplay(
        engine,
        'getComputedStyle(page.querySelector(".logo")).backgroundImage.slice(0, 20)',
      ),
    ).toContain('data:image/png');
    expect(pictures).toBe(before);
    // Right before the form was sent it was filled; what was secret is masked.
    const { steps, dom } = await readJson(folder);
    const click = steps.find((step) => step.kind === 'click' && step.target.tag === 'button')!;
    await seek(engine, click.at - (dom[0] as unknown as { timestamp: number }).timestamp);
    expect(await inReplay(engine, 'page.querySelector("[name=name]").value')).toBe('Ada');
    expect(await inReplay(engine, 'page.querySelector("[name=pw]").value')).toBe('••••••••');
    expect(await inReplay(engine, 'page.querySelector("[name=country]").value')).toBe('no');
    expect(await inReplay(engine, 'page.querySelector("[name=agree]").checked')).toBe('true');
  });

  it('shows changes by scripts: style rules, shadow trees, frames of the same origin, later additions', async () => {
    site.page(
      '/made',
      `<!doctype html><title>Made</title><style></style><h1>Made</h1><my-card></my-card><iframe srcdoc="<p>inner</p>"></iframe>
      <button onclick="document.querySelector('style').sheet.insertRule('h1 { color: rgb(9, 8, 7) }'); document.body.append(Object.assign(document.createElement('p'), { id: 'late', textContent: 'late' }))">Change</button>
      <script>customElements.define('my-card', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<b>card</b>'; } });</script>`,
    );
    await engine.json('navigate', { url: `${site.origin}/made` });
    const recording = await recordTask(engine, { exports: ['html', 'json'] });
    await engine.text('interact', { action: 'click', query: 'Change' });
    const task = (): Promise<string> =>
      readFile(join(engine.home, 'tasks', recording.id, 'dom.jsonl'), 'utf8');
    await expect.poll(task, { timeout: 10_000 }).toMatch(/_cssText[^}]*rgb\(9, 8, 7\)/);
    const { result } = await recording.cancel();
    await openReplay(engine, site, result.folder);
    expect(await inReplay(engine, 'page.querySelector("#late").textContent')).toBe('late');
    expect(await inReplay(engine, 'getComputedStyle(page.querySelector("h1")).color')).toBe(
      'rgb(9, 8, 7)',
    );
    expect(
      await inReplay(
        engine,
        'page.querySelector("my-card").shadowRoot.querySelector("b").textContent',
      ),
    ).toBe('card');
    expect(
      await inReplay(
        engine,
        'page.querySelector("iframe").contentDocument.querySelector("p").textContent',
      ),
    ).toBe('inner');
  });

  it('plays by itself to its end', async () => {
    const { folder } = await recordSignUp({ exports: ['html', 'json'] });
    await openReplay(engine, site, folder);
    await seek(engine, 0);
    await engine.text('javascript_tool', { code: `document.getElementById('play').click()` });
    expect(await inReplay(engine, 'page.querySelector("h1").textContent')).toBe('Sign up');
    await expect
      .poll(() => inReplay(engine, 'page.querySelector("h1").textContent'), { timeout: 20_000 })
      .toBe('Thank you');
    await expect
      .poll(
        () =>
          engine.text('javascript_tool', { code: `document.getElementById('play').textContent` }),
        { timeout: 20_000 },
      )
      .toBe('Play');
  });

  it.each(['playwright', 'puppeteer'] as const)(
    'as a %s script does it again, to the same end',
    async (library) => {
      const { folder } = await recordSignUp({ exports: [library] });
      const [recorded] = sent.splice(0);
      expect(await runScript(folder, library, { PASSWORD })).toEqual({
        url: `${site.origin}/done`,
        title: 'Done',
      });
      expect(sent.splice(0)).toEqual([recorded]);
    },
  );

  it('called directly ends after its time, and does not block other calls', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const path = join(engine.home, 'mine');
    const direct = engine.json<{
      summary: { stop_reason: string; duration_ms: number };
      folder: string;
      files: object[];
    }>('recording', {
      duration_ms: 2500,
      exports: ['json'],
      path,
    });
    expect(await engine.text('read_page')).toContain('Sign up');
    const { summary, folder, files } = await direct;
    expect(summary.stop_reason).toBe('duration');
    expect(summary.duration_ms).toBeGreaterThanOrEqual(2400);
    expect(folder).toBe(path);
    expect(files).toHaveLength(1);
    expect((await readdir(path)).sort()).toEqual(['recording.json', 'screenshots']);
  });

  it('called directly without a time ends in time for its answer', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const { summary, files } = await engine.json<{ summary: object; files: object[] }>(
      'recording',
      { timeout_ms: 8000 },
    );
    expect(summary).toMatchObject({ stop_reason: 'timeout', steps: 1 });
    expect(files).toHaveLength(4);
  });

  it('whose client disconnects still writes its exports', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const path = join(engine.home, 'left');
    const client = new AbortController();
    const call = engine.engine.call({
      name: 'recording',
      arguments: { path, exports: ['json'] },
      signal: client.signal,
    });
    await expect
      .poll(
        async () => engine.engine.tools.length > 0 && (await engine.text('tabs_context')).length,
      )
      .toBeGreaterThan(0);
    await engine.text('interact', { action: 'fill', query: 'Name', value: 'Bob' });
    client.abort();
    expect((await call).failure?.code).toBe('cancelled');
    await expect
      .poll(
        () =>
          access(join(path, 'recording.json')).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true);
  });

  it('ends with its tab', async () => {
    const { tabId } = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${site.origin}/`,
    });
    const recording = await recordTask(engine, { tabId, exports: ['json'] });
    await engine.text('tabs', { action: 'close', tabId });
    const { meta, result } = await recording.wait();
    expect(meta.status).toBe('COMPLETED');
    expect(result.summary.stop_reason).toBe('tab_closed');
  });

  it.each([
    [{ exports: ['gif'] }, 'invalid_argument'],
    [{ duration_ms: 0 }, 'invalid_argument'],
    [{ duration: 5 }, 'invalid_argument'],
    [{ path: '/etc/recordings' }, 'file_not_allowed'],
    [{ tabId: 'nope' }, 'tab_not_found'],
  ])('with wrong arguments %j is refused', async (args, code) => {
    expect(await engine.failure('recording', args)).toMatchObject({ code });
  });
});
