// Pages that are written by rule, the same each time: one for each thing that makes reading or
// acting hard.
import { formPage } from './form.mjs';

const words =
  'metal river lantern harbour quiet signal copper meadow winter engine paper garden'.split(' ');
const sentence = (n) =>
  Array.from({ length: 14 }, (_, i) => words[(n * 7 + i * 5) % words.length]).join(' ');
const many = (count, write) => Array.from({ length: count }, (_, i) => write(i)).join('\n');
const page = (title, body, style = '') =>
  `<!doctype html><html lang=en><meta charset=utf-8><title>${title}</title><style>body{font:16px sans-serif}${style}</style>${body}</html>`;

const small = () =>
  '<!doctype html><html lang=en><title>Small</title><h1>Small</h1><p>One paragraph.</p><a href="/article">Article</a></html>';

const article =
  () => `<!doctype html><html lang=en><title>On metal</title><style>body{font:16px sans-serif;max-width:40em;margin:auto}</style>
<nav>${words.map((w) => `<a href="/${w}">${w}</a> `).join('')}</nav><main><h1>On metal</h1>
${many(60, (i) => `${i % 10 ? '' : `<h2>Part ${i / 10 + 1}</h2>`}<p>${sentence(i)}. ${sentence(i + 3)}.</p>`)}</main></html>`;

const FIRST = ['Ada', 'Bela', 'Cora', 'Dina', 'Emil', 'Fanny', 'Gil', 'Hedy'];
const TOWNS = ['Bergen', 'Cusco', 'Nara', 'Accra', 'Quito', 'Turin'];
/** Whose row it is; every name stands once. */
export const personOfRow = (i) =>
  `${FIRST[(i * 5) % 8]} ${String.fromCharCode(65 + ((i * 11) % 26))}${i}`;
const row = (i) =>
  `<tr><td>${5000 + i}</td><td>${personOfRow(i)}</td><td>${TOWNS[(i * 7) % 6]}</td><td>${((i * 7919) % 100_000) / 100}</td><td>${i % 3 ? 'open' : 'closed'}</td><td><button data-id="${5000 + i}">Approve ${5000 + i}</button></td></tr>`;

/** 2,000 rows: 16,000 elements. The server is told what was approved, and whether by real input. */
const table = () =>
  page(
    'Orders',
    `<h1>Orders</h1><p id=status role=status>Nothing approved</p><table><thead><tr>${['Id', 'Name', 'Town', 'Total', 'State', 'Action'].map((head) => `<th>${head}</th>`).join('')}</tr></thead>
<tbody>${many(2000, row)}</tbody></table><script>
document.querySelector('tbody').onclick = async ({ target, isTrusted }) => {
  const { id } = target.dataset;
  if (!id) return;
  await fetch('/table/approved', { method: 'POST', body: JSON.stringify({ id, isTrusted }) });
  document.getElementById('status').textContent = 'Approved ' + id;
}</script>`,
  );

/** 250 sections of 40 tiles of 5 elements: 50,500 elements and about as many pieces of text. */
const huge = () =>
  page(
    'Very large',
    `<h1>Very large</h1>${many(250, (s) => `<section><h2>Section ${s}</h2>${many(40, (t) => `<div><span>Tile ${s}-${t}</span><a href="#${s}-${t}">open</a><em>${(s * 37 + t * 11) % 97}</em><i></i></div>`)}</section>`)}`,
  );

/** Cards like those of a social feed: links in text, icon buttons, a menu, counts, hidden parts. */
const feed = () =>
  page(
    'Feed',
    `<header><a href="/">Home</a><input type=search placeholder="Search people" aria-label=Search><button aria-label=Notices>3</button></header><main role=feed>
${many(
  80,
  (
    i,
  ) => `<article aria-labelledby="who${i}"><header><img alt="" width=40 height=40><a id="who${i}" href="/u/${i}"><b>${personOfRow(i)}</b></a> <time>${i + 1} h</time><button aria-label="More on this" aria-haspopup=menu aria-expanded=false>⋯</button><ul role=menu hidden><li role=menuitem>Mute</li></ul></header>
<p>${sentence(i)} <a href="/t/${words[i % 12]}">#${words[i % 12]}</a> ${sentence(i + 5)}</p>${i % 4 ? '' : `<figure><img alt="A ${words[(i * 5) % 12]} at dusk" width=300 height=100></figure>`}
<footer><button aria-pressed=${i % 5 === 0}>Like <span>${(i * 13) % 90}</span></button><button>Answer <span>${(i * 7) % 30}</span></button><div class=share onclick="this.dataset.done=1">Share</div></footer></article>`,
)}</main>`,
    'article{border:1px solid #ccc;margin:8px;padding:8px}.share{cursor:pointer;display:inline-block}',
  );

/** Three frames inside one another, each of another site, and one of the page's own. */
const frames = ({ origins }) =>
  page(
    'Frames',
    `<h1>Frames</h1><p>Text of the page</p><iframe title=own src="/frames/own" width=500 height=120></iframe><iframe title=first src="${origins[1]}/frames/1" width=700 height=420></iframe><button>After the frames</button>`,
  );
const frame = (level, { origins }) =>
  page(
    `Level ${level}`,
    `<h2>Level ${level}</h2><label>Word of level ${level} <input></label><button onclick="this.textContent='Pressed ${level}'">Press ${level}</button>${level < 3 ? `<iframe title="level ${level + 1}" src="${origins[(level + 1) % 3]}/frames/${level + 1}" width=${640 - level * 60} height=${300 - level * 120}></iframe>` : '<p>Deepest word: amber</p>'}`,
  );
const ownFrame = () =>
  page('Own', '<p>Frame of the same site</p><a href="/small">A link in it</a>');

/** Open and closed roots, one in the other, with slots. */
const shadow = () =>
  page(
    'Shadow',
    `<h1>Shadow roots</h1><x-open><b slot=title>Slotted title</b>Slotted text</x-open><x-closed><a href="/small">Slotted link</a></x-closed><script>
const inside = (mode) => '<style>p{margin:0}</style><section><h2>The ' + mode + ' root</h2><slot name=title>No title</slot><p><slot></slot></p><label>Name in ' + mode + ' <input></label><button>Press ' + mode + '</button></section>';
for (const mode of ['open', 'closed']) customElements.define('x-' + mode, class extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode });
    root.innerHTML = inside(mode) + (mode === 'open' ? '<x-closed>Closed in open</x-closed>' : '');
    root.querySelector('button').onclick = ({ target }) => { target.textContent = 'Pressed ' + mode; };
  }
});
</script>`,
  );

/** What single clicks and fills are timed on. */
const actions = () =>
  page(
    'Actions',
    `<h1>Actions</h1><button id=count>Count</button> <output id=counted>0</output><label>Name <input id=name></label><script>
let counted = 0;
document.getElementById('count').onclick = ({ isTrusted }) => { if (isTrusted) document.getElementById('counted').textContent = ++counted; };
</script>`,
  );

/** Thirty pages that one page leads to. */
export const CHAPTERS = Array.from(
  { length: 30 },
  (_, i) => `Chapter ${i + 1}: ${sentence(i).split(' ').slice(0, 4).join(' ')}`,
);
const chapters = () =>
  page(
    'Chapters',
    `<h1>Chapters</h1><ol>${many(CHAPTERS.length, (i) => `<li><a href="/chapters/${i + 1}">Chapter ${i + 1}</a></li>`)}</ol>`,
  );
const chapter = (n) =>
  page(
    CHAPTERS[n - 1],
    `<h1>Chapter ${n}</h1>${many(6, (i) => `<p>${sentence(n + i)}.</p>`)}<a href="/chapters">All chapters</a>`,
  );

/** A thousand messages of five kinds, each with an object. */
const messages = () =>
  page(
    'Messages',
    `<h1>Messages</h1><script>
for (let i = 0; i < 1000; i++) console[['log', 'info', 'warn', 'error', 'debug'][i % 5]]('message ' + i, { i, nested: { list: [1, 2, 3], text: 'value ' + i } });
</script>`,
  );

const PAGES = {
  '/small': small,
  '/article': article,
  '/form': formPage,
  '/table': table,
  '/huge': huge,
  '/feed': feed,
  '/frames': frames,
  '/frames/own': ownFrame,
  '/shadow': shadow,
  '/actions': actions,
  '/chapters': chapters,
  '/messages': messages,
};

/**
 * The page of a path, or nothing. `origins` are three ways to reach the same server that Chrome
 * holds for three sites.
 */
export const generatedPage = (path, site) => {
  const level = /^\/frames\/(\d)$/.exec(path)?.[1];
  const number = Number(/^\/chapters\/(\d+)$/.exec(path)?.[1] ?? 0);
  if (number) return number <= CHAPTERS.length ? chapter(number) : undefined;
  return level ? frame(Number(level), site) : PAGES[path]?.(site);
};

/** Those that reading is measured on. */
export const GENERATED = ['small', 'article', 'form', 'table', 'feed', 'frames', 'shadow', 'huge'];
