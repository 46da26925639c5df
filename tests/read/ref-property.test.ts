// Properties of refs: every ref of an unchanged document is accepted, and no ref leads to another
// entry after a change. OPENCHROME_REF_RUNS sets the number of generated documents,
// OPENCHROME_REF_SEED repeats a run.
import { setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyNode } from '../../src/browser/read/decode.ts';
import { findElements } from '../../src/browser/read/find-elements.ts';
import { inspect } from '../../src/browser/read/inspect-page.ts';
import { requestHandle, resolveRef } from '../../src/browser/read/resolve-ref.ts';
import type { Snapshot } from '../../src/browser/read/snapshot.ts';
import { Failure } from '../../src/core/failure.ts';
import { useReader } from './reader.ts';

const RUNS = Number(process.env['OPENCHROME_REF_RUNS'] ?? 20);
const SEED = Number(process.env['OPENCHROME_REF_SEED'] ?? 20_261_116);
const PAGES = new URL('../../bench/pages/', import.meta.url);
const MAX_REFS = 150;

const reader = useReader();
const { goto, open, run, signal, site, snapshot } = reader;
setMaxListeners(0, signal); // many refs are checked at once

const listRefs = (reading: Snapshot): string[] =>
  everyNode(reading.nodes)
    .filter(({ kind, id }) => kind === 'control' && id !== 0)
    .map(reading.refOf);

/** At most `count` of them, spread over the whole list. */
const sample = <T>(all: readonly T[], count: number): T[] => {
  const step = Math.max(1, all.length / count);
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, i) => all[Math.floor(i * step)] as T,
  );
};

/** The messages of the refs that are rejected. */
const listRejections = async (refs: readonly string[]): Promise<string[]> => {
  const outcomes = await Promise.allSettled(refs.map((ref) => resolveRef(reader.tab, ref, signal)));
  return outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  );
};

/** Uses the refs in every way that describes their elements again, and checks them after each. */
const checkEveryWay = async (refs: readonly string[]): Promise<void> => {
  expect(await listRejections(refs)).toEqual([]);
  for (const ref of sample(refs, 4)) {
    await snapshot({ ref });
    await inspect(reader.tab, { ref }, ['focus'], signal);
  }
  const found = await findElements(reader.tab, { role: 'link', limit: 20, waitForMs: 0 }, signal);
  expect(await listRejections([...refs, ...found.hits.map(({ ref }) => ref)])).toEqual([]);
};

describe('A ref on an unchanged document is accepted', () => {
  it(
    'on every page of the benchmark, after a read, a read of a part, a search and an inspection',
    { timeout: 120_000 },
    async () => {
      for (const file of readdirSync(PAGES).filter((name) => name.endsWith('.html'))) {
        await goto(site.page('/saved', readFileSync(new URL(file, PAGES), 'utf8')));
        const refs = listRefs(await snapshot());
        expect.soft(refs.length, file).toBeGreaterThan(0);
        await checkEveryWay(sample(refs, MAX_REFS));
      }
    },
  );
});

const NAMES = [
  'Ada',
  'Ben',
  'Cleo',
  'Dov',
  'Eve',
  'Finn',
  'Gia',
  'Hal',
  'Ida',
  'Jon',
  'Kim',
  'Lea',
];
const STATES = ['open', 'closed', 'paid'];

/** Row `i` of a list shows the entry `entry`: its words depend on the entry only. */
interface GeneratedEntry {
  readonly name: string;
  readonly state: string;
  readonly children: readonly GeneratedEntry[];
}

const { tree: entryTree } = fc.letrec<{
  tree: GeneratedEntry;
  leaf: GeneratedEntry;
  branch: GeneratedEntry;
}>((tie) => {
  const build = (children: fc.Arbitrary<GeneratedEntry[]>): fc.Arbitrary<GeneratedEntry> =>
    fc.record({ name: fc.constantFrom(...NAMES), state: fc.constantFrom(...STATES), children });
  return {
    tree: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('branch')),
    leaf: build(fc.constant([])),
    branch: build(fc.array(tie('tree'), { minLength: 1, maxLength: 3 })),
  };
});

const SHAPES = [
  'tree',
  'table',
  'cells',
  'menu',
  'cards',
  'spans',
  'calendar',
  'areas',
  'links',
  'open shadow',
  'closed shadow',
] as const;
type Shape = (typeof SHAPES)[number];

const flatten = (entries: readonly GeneratedEntry[]): GeneratedEntry[] =>
  entries.flatMap((entry) => [entry, ...flatten(entry.children)]);

/**
 * Builds the page. Each control has `data-n`, the number of its element; `data-w` marks the
 * elements that have an entry's words.
 */
const buildPage = (shape: Shape, entries: readonly GeneratedEntry[]): string => {
  let number = 0;
  const control = (tag: string, words: string, more = ''): string =>
    `<${tag} data-n=${number++} ${more}>${words}</${tag}>`;
  const word = (text: string): string => `<b data-w>${text}</b>`;
  const all = flatten(entries);
  const nest = (list: readonly GeneratedEntry[]): string =>
    list
      .map(
        ({ name, children }) =>
          `<li>${control('a', name, 'href=#x data-w')}${children.length > 0 ? `<ul>${nest(children)}</ul>` : ''}</li>`,
      )
      .join('');
  const items = (): string =>
    all
      .map(
        ({ name, state }) =>
          `<li>${word(name)} ${control('button', 'Delete')} <i>${state}</i></li>`,
      )
      .join('');
  const inShadow = (mode: string): string =>
    `<div id=host></div><script>host.attachShadow({mode:'${mode}'}).innerHTML=${JSON.stringify(`<ul>${items()}</ul>`)}</script>`;
  switch (shape) {
    case 'tree':
      return `<ul>${nest(entries)}</ul>`;
    case 'table':
      return `<table>${all.map(({ name, state }) => `<tr><td>${state}<td>${word(name)}<td>${control('button', 'Edit')}${control('button', 'Delete')}</tr>`).join('')}</table>`;
    case 'cells':
      return all
        .map(
          ({ name, state }) =>
            `<div class=row><div class=cell>${state}</div><div class=cell>${control('a', name, 'href=#x data-w')}</div></div>`,
        )
        .join('');
    case 'menu':
      return `<ul role=menu>${all.map(({ name }) => `<li role=none>${control('a', name, 'role=menuitem href=#x data-w')}</li>`).join('')}</ul>`;
    case 'cards':
      return all
        .map(
          ({ name, state }) =>
            `<div class=card><h3>${word(name)}</h3><p>${state}</p><div><span>Pay</span> ${control('button', 'Pay')}</div></div>`,
        )
        .join('');
    case 'spans':
      return `<ul>${all.map(({ name }) => `<li><span class=t>${word(name)}</span> <span class=t>${control('button', 'Delete')}</span></li>`).join('')}</ul>`;
    case 'calendar':
      return `<table><tr>${Array.from({ length: 35 }, (_, i) => `${i % 7 === 0 ? '</tr><tr>' : ''}<td class=c>${control('a', String(((i + all.length) % 31) + 1), 'href=#x data-w')}</td>`).join('')}</tr></table>`;
    case 'areas':
      return all
        .map(
          ({ name }) =>
            `<div class=tile style="cursor:pointer" data-n=${number++}>${word(name)}</div>`,
        )
        .join('');
    case 'links':
      return all.map(({ name }) => control('a', name, 'href=#x data-w')).join(' ');
    case 'open shadow':
      return inShadow('open');
    case 'closed shadow':
      return inShadow('closed')
        .replace('host.attachShadow', 'window.root=host.attachShadow')
        .replace('.innerHTML', ';root.innerHTML');
    default:
      return shape satisfies never;
  }
};

/**
 * Changes of the page. Each sets `window.entries`: by the number of a control the words of the
 * entry that it belongs to now.
 */
const CHANGES = {
  'nothing changes': '',
  'the rows are moved':
    'for (const list of lists()) [...list.children].reverse().forEach((row) => list.append(row))',
  'the rows are filled with the next entry in place': `
    const words = all('[data-w]');
    const texts = words.map((word) => word.textContent);
    words.forEach((word, i) => (word.firstChild.data = texts[(i + 1) % texts.length]))`,
  'the rows are filled in reverse order in place': `
    const words = all('[data-w]');
    const texts = words.map((word) => word.textContent).reverse();
    words.forEach((word, i) => (word.firstChild.data = texts[i]))`,
  'the rows are rendered again with the same words':
    'for (const list of lists()) list.innerHTML = list.innerHTML',
  'the first row is removed': 'for (const list of lists()) list.firstElementChild?.remove()',
  'one row is filled with a new entry in place': `const word = all('[data-w]').at(1); if (word) word.firstChild.data = 'Zoe'`,
} as const;

const HELPERS = `
  var scope = () => window.root ?? document.getElementById('host')?.shadowRoot ?? document;
  var all = (selector) => [...scope().querySelectorAll(selector)];
  var lists = () => { const found = all('ul,tbody'); return found.length ? found : [document.body]; };
  var rowOf = (control) => control.closest('li,tr,.row,.card,.tile') ?? control;
  var entryOf = (control) => {
    if (control.matches('[data-w]')) return control.textContent;
    return rowOf(control).querySelector('[data-w]')?.textContent ?? control.textContent;
  };
  var readEntries = () => Object.fromEntries(all('[data-n]').map((control) => [control.dataset.n, entryOf(control)]));`;

/** The number of a ref's element, and its ref. */
const readNumber = async (ref: string): Promise<string> => {
  const place = await resolveRef(reader.tab, ref, signal);
  const objectId = (await requestHandle(place, signal)) ?? '';
  const { result } = await place.frame.session.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function () { return this.dataset.n }',
    returnByValue: true,
  });
  return String(result.value);
};

const isAccepted = async (ref: string): Promise<boolean> => {
  try {
    await resolveRef(reader.tab, ref, signal);
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === 'stale_ref') return false;
    throw error;
  }
};

describe('A ref on a generated document', () => {
  it(
    'is accepted while nothing changes, and is never accepted for another entry',
    { timeout: 600_000 },
    async () => {
      const documents = fc.record({
        shape: fc.constantFrom(...SHAPES),
        entries: fc.array(entryTree, { minLength: 2, maxLength: 5 }),
        change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
      });
      const property = fc.asyncProperty(documents, async ({ shape, entries, change }) => {
        await open(`${buildPage(shape, entries)}<script>${HELPERS}</script>`);
        const refs = listRefs(await snapshot());
        expect(refs.length).toBeGreaterThan(0);
        await checkEveryWay(refs);
        const numbers = await Promise.all(refs.map(readNumber));
        const before = await run<Record<string, string>>('readEntries()');
        await run(`(() => {${CHANGES[change]}})()`);
        const after = await run<Record<string, string>>('readEntries()');
        const accepted = await Promise.all(refs.map(isAccepted));
        const wrong = numbers.filter(
          (number, i) => accepted[i] && before[number] !== after[number],
        );
        expect(wrong).toEqual([]);
        if (change === 'nothing changes') expect(accepted).not.toContain(false);
      });
      await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: RUNS > 100 });
    },
  );
});
