// Secrets of the server in a recording: by their names in the scripts, by no means in any file.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { everythingIn, recordTask, runScript } from './recordings.ts';

const SECRET = 'zq8-Vault-7731';
const file = join(mkdtempSync(join(tmpdir(), 'openchrome-secrets-')), 'secrets.env');
writeFileSync(file, `DOOR_CODE@127.0.0.1=${SECRET}\n`);

const site = useSite({
  '/': `<!doctype html><title>Door</title><link rel="icon" href="data:,"><input aria-label="Code" oninput="document.title = this.value === '${SECRET}' ? 'open' : 'shut'">
    <p id="p"></p><script>document.querySelector('input').onchange = (event) => { document.getElementById('p').textContent = 'code ' + event.target.value; console.log(event.target.value); fetch('/?code=' + event.target.value); }</script>`,
});
const engine = useEngine(['--secrets', file]);

describe('a secret of the server', () => {
  it('is read from the environment by the scripts, and written nowhere', async () => {
    await engine.json('navigate', { url: `${site.origin}/` });
    const recording = await recordTask(engine);
    await engine.text('interact', { action: 'fill', query: 'Code', value: '${SECRET:DOOR_CODE}' });
    await engine.text('interact', { action: 'press', value: 'Tab' });
    await engine.text('wait_for', { text: 'code' });
    const { result } = await recording.cancel();
    expect(result.steps[1]).toBe('fill textbox "Code" with a secret');
    const written =
      (await everythingIn(result.folder)) + (await everythingIn(join(engine.home, 'tasks')));
    // The script of the page contains it; scripts are not part of a recording.
    expect(written).not.toContain(SECRET);
    expect(written).toContain('process.env[\\"DOOR_CODE\\"]'.replaceAll('\\', ''));
    for (const library of ['playwright', 'puppeteer'] as const)
      expect(await runScript(result.folder, library, { DOOR_CODE: SECRET })).toMatchObject({
        title: 'open',
      });
  });
});
