// A recording has a size limit: it omits data above it and reports that.
import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { readJson, recordTask } from './recordings.ts';

vi.hoisted(() => (process.env['OPENCHROME_FAULTS'] = '1'));

const site = useSite();
const engine = useEngine();

describe('a recording', () => {
  it('that becomes too large stops recording the document, reports it, and keeps the steps', async () => {
    site.page(
      '/large',
      `<!doctype html><title>Large</title><button onclick="for (let i = 0; i < 400; i++) document.body.append('x'.repeat(500), document.createElement('p'))">Grow</button>`,
    );
    await engine.json('navigate', { url: `${site.origin}/large` });
    const recording = await recordTask(engine, { maxBytes: 50_000 });
    for (let i = 0; i < 3; i++) await engine.text('interact', { action: 'click', query: 'Grow' });
    const { result } = await recording.cancel();
    expect(result.summary.notes.join()).toMatch(/size limit of 0.05 MB was reached/);
    expect(result.steps.filter((step) => step === 'click button "Grow"')).toHaveLength(3);
    const sizes = await Promise.all(
      result.files.map(({ path }) => readFile(path).then(({ length }) => length)),
    );
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(JSON.stringify((await readJson(result.folder)).dom).length).toBeLessThan(50_000);
  });
});
