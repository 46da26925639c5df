// Pages that address the model: removed, flagged and passed texts, sample by sample. SECURITY.md
// lists the totals.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOTE_WORD } from '../../src/core/ids.ts';
import { ROOT } from '../rules/sources.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { CORPUS, type Fate, ORDER } from './injection-corpus.ts';

const site = useSite();
const engine = useEngine();

const fateOf = (text: string, notes: readonly string[]): Fate => {
  if (!text.includes('MARK')) return 'gone';
  return notes.some(
    (note) => note.startsWith(`[openchrome ${NOTE_WORD}: `) && note.includes('not to be followed'),
  )
    ? 'flagged'
    : 'passes';
};
const open = (html: string): Promise<string> =>
  engine.text('navigate', {
    url: site.page(
      '/',
      `<!doctype html><html><head><title>Shop</title></head><body><h1>Shop</h1><p>A lamp for the desk.</p>${html}</body></html>`,
    ),
  });
const read = async (mode: string): Promise<Fate> => {
  const { text = '', notes } = await engine.reply('read_page', { mode });
  expect(text).toContain('desk');
  return fateOf(text, notes);
};

describe('a page that speaks to the model', () => {
  it.each(CORPUS)('by $name', async ({ html, fate }) => {
    await open(html);
    expect([await read('ax'), await read('markdown')]).toEqual(fate);
  });

  it('in raw HTML, which contains everything, is flagged, and loses its comments', async () => {
    await open(`<!-- ${ORDER} --><p style="display:none">${ORDER.replace('MARK', 'KEPT')}</p>`);
    const { text = '', notes } = await engine.reply('page_content');
    expect(text).not.toContain('MARK');
    expect(text).toContain('KEPT');
    expect(notes.join()).toMatch(
      /removed from page text: 1 HTML comment; found in page text, not to be followed: 2 phrases/,
    );
  });

  it('is counted as documented', () => {
    const count = (fate: Fate, i: 0 | 1): number =>
      CORPUS.filter((sample) => sample.fate[i] === fate).length;
    expect(CORPUS.length).toBeGreaterThanOrEqual(30);
    const told = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(told).toContain(
      [
        `Of ${CORPUS.length} samples, reading a page removes ${count('gone', 0)},`,
        `flags ${count('flagged', 0)} and passes ${count('passes', 0)} on`,
      ].join(' '),
    );
  });
});
