// Pages full of controls, named in every way that HTML and ARIA know: what Chrome's own names and
// roles are compared with.

/** One page of the corpus; every element under test carries `data-n`. */
export interface CorpusPage {
  readonly name: string;
  readonly html: string;
  readonly count: number;
}

/** A reproducible source of numbers in [0, 1). */
const numbers = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

/**
 * Makes the markup of one control: `attributes` go into its tag, `content` between its tags where
 * it has any.
 */
type Control = (attributes: string, content: string) => string;

const element =
  (tag: string, own = ''): Control =>
  (attributes, content) =>
    `<${tag} ${own} ${attributes}>${content}</${tag}>`;
const input =
  (type: string, own = ''): Control =>
  (attributes) =>
    `<input type=${type} ${own} ${attributes}>`;

const INPUT_TYPES = [
  'text',
  'email',
  'password',
  'search',
  'tel',
  'url',
  'number',
  'range',
  'checkbox',
  'radio',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
  'color',
  'submit',
  'reset',
  'button',
];
const ARIA_ROLES = [
  'button',
  'link',
  'checkbox',
  'radio',
  'switch',
  'textbox',
  'searchbox',
  'combobox',
  'listbox',
  'slider',
  'spinbutton',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'tab',
  'treeitem',
];

const CONTROLS: Readonly<Record<string, Control>> = {
  link: element('a', 'href="#x"'),
  button: element('button'),
  textarea: element('textarea'),
  select: (attributes) => `<select ${attributes}><option>One<option selected>Two</select>`,
  listbox: (attributes) =>
    `<select multiple ${attributes}><option>One<option selected>Two</select>`,
  summary: (attributes, content) =>
    `<details><summary ${attributes}>${content}</summary>Inside</details>`,
  toggle: element('button', 'aria-pressed=true'),
  popup: element('button', 'aria-haspopup=menu'),
  suggestions: (attributes) => `<input list=suggested ${attributes}>`,
  image: input('image'),
  file: input('file'),
  checkSwitch: input('checkbox', 'role=switch'),
  linkAsButton: element('a', 'href="#x" role=button'),
  buttonAsTab: element('button', 'role=tab'),
  presentational: element('button', 'role=presentation'),
  badRole: element('button', 'role="nonsense link"'),
  ...Object.fromEntries(INPUT_TYPES.map((type) => [`input-${type}`, input(type)])),
  ...Object.fromEntries(
    ARIA_ROLES.map((role) => [`div-${role}`, element('div', `role=${role} tabindex=0`)]),
  ),
  ...Object.fromEntries(
    ARIA_ROLES.slice(0, 6).map((role) => [`span-${role}`, element('span', `role=${role}`)]),
  ),
};

/** A way to name a control: markup around it, given the control and an id that no other uses. */
type Naming = (control: Control, id: string, attributes: string) => string;

const NAMINGS: Readonly<Record<string, Naming>> = {
  nothing: (c, _id, a) => c(a, ''),
  content: (c, _id, a) => c(a, 'Plain words'),
  ariaLabel: (c, _id, a) => c(`${a} aria-label="Said by aria"`, 'Content'),
  emptyAriaLabel: (c, _id, a) => c(`${a} aria-label="  "`, 'Content'),
  title: (c, _id, a) => c(`${a} title="A title"`, ''),
  titleAndContent: (c, _id, a) => c(`${a} title="A title"`, 'Content'),
  placeholder: (c, _id, a) => c(`${a} placeholder="Type here"`, ''),
  titleAndPlaceholder: (c, _id, a) => c(`${a} title="A title" placeholder="Type here"`, ''),
  ariaPlaceholder: (c, _id, a) => c(`${a} aria-placeholder="Type here"`, ''),
  value: (c, _id, a) => c(`${a} value="12"`, ''),
  alt: (c, _id, a) => c(`${a} alt="Alternative"`, ''),
  labelFor: (c, id, a) => `<label for=${id}>Label text</label> ${c(`${a} id=${id}`, 'Content')}`,
  labelAround: (c, _id, a) => `<label>Before ${c(a, 'Content')} after</label>`,
  labelAroundBlocks: (c, _id, a) =>
    `<label><div>First</div><div>Second ${c(a, 'Content')}</div></label>`,
  twoLabels: (c, id, a) =>
    `<label for=${id}>One label</label><label for=${id}>Another</label>${c(`${a} id=${id}`, '')}`,
  hiddenLabel: (c, id, a) =>
    `<label for=${id} hidden>Hidden label</label>${c(`${a} id=${id}`, 'Content')}`,
  labelWithHidden: (c, id, a) =>
    `<label for=${id}>VisibilityCache <span hidden>not shown</span><i aria-hidden=true>decor</i></label>${c(`${a} id=${id}`, '')}`,
  labelWithControl: (c, id, a) =>
    `<label for=${id}>Every <input value=5 aria-label=count> minutes</label>${c(`${a} id=${id}`, '')}`,
  labelWithSelect: (c, id, a) =>
    `<label for=${id}>Every <select><option>hour<option selected>day</select></label>${c(`${a} id=${id}`, '')}`,
  labelWithImage: (c, id, a) =>
    `<label for=${id}><img alt="Picture"> of you</label>${c(`${a} id=${id}`, '')}`,
  labelWithTitle: (c, id, a) =>
    `<label for=${id} title="Title of label"></label>${c(`${a} id=${id}`, '')}`,
  labelWithAria: (c, id, a) =>
    `<label for=${id} aria-label="Aria of label">Text of label</label>${c(`${a} id=${id}`, '')}`,
  labelAndTitle: (c, id, a) =>
    `<label for=${id}>Label text</label>${c(`${a} id=${id} title="A title"`, '')}`,
  labelAndValue: (c, id, a) =>
    `<label for=${id}>Label text</label>${c(`${a} id=${id} value="7"`, '')}`,
  labelAndAria: (c, id, a) =>
    `<label for=${id}>Label text</label>${c(`${a} id=${id} aria-label="Said by aria"`, '')}`,
  emptyLabel: (c, id, a) =>
    `<label for=${id}> </label>${c(`${a} id=${id} title="A title"`, 'Content')}`,
  labelled: (c, id, a) =>
    `<span id=${id}>Labelled by me</span>${c(`${a} aria-labelledby=${id}`, 'Content')}`,
  labelledByTwo: (c, id, a) =>
    `<b id=${id}>Late</b><i id=${id}b>Early</i>${c(`${a} aria-labelledby="${id}b ${id}"`, '')}`,
  labelledByHidden: (c, id, a) =>
    `<span id=${id} hidden>Hidden <b>name</b></span>${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByHiddenPart: (c, id, a) =>
    `<span id=${id}>VisibilityCache <b hidden>hidden</b></span>${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByMissing: (c, id, a) =>
    c(`${a} aria-labelledby="${id}-missing" title="A title"`, 'Content'),
  labelledBySelf: (c, id, a) =>
    `<span id=${id}b>Group</span>${c(`${a} id=${id} aria-label=Me aria-labelledby="${id}b ${id}"`, 'Content')}`,
  labelledByInput: (c, id, a) =>
    `<input id=${id} value="typed value">${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByAria: (c, id, a) =>
    `<span id=${id} aria-label="Aria name">Text</span>${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByImage: (c, id, a) =>
    `<img id=${id} alt="Picture">${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByChain: (c, id, a) =>
    `<span id=${id}c>End</span><span id=${id} aria-labelledby=${id}c>Middle</span>${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledByBlocks: (c, id, a) =>
    `<div id=${id}><p>One</p><p>Two</p></div>${c(`${a} aria-labelledby=${id}`, '')}`,
  labelledAndAria: (c, id, a) =>
    `<span id=${id}>Labelled</span>${c(`${a} aria-labelledby=${id} aria-label="Said by aria"`, '')}`,
  described: (c, id, a) =>
    `<span id=${id}>A description</span>${c(`${a} aria-describedby=${id}`, 'Content')}`,
  disabled: (c, _id, a) => c(`${a} disabled aria-disabled=true aria-label="Not now"`, 'Content'),
};

/** Every control, named in every way. */
const namedControls = (): CorpusPage[] =>
  Object.entries(NAMINGS).map(([name, naming], page) => {
    const controls = Object.values(CONTROLS);
    const rows = controls.map(
      (control, i) => `<div>${naming(control, `p${page}c${i}`, `data-n=${i}`)}</div>`,
    );
    return {
      name: `named by ${name}`,
      count: controls.length,
      html: `${rows.join('\n')}<datalist id=suggested><option value=a></datalist>`,
    };
  });

/** Surroundings that must not change what a control is called. */
const SURROUNDINGS: Readonly<Record<string, (inner: string) => string>> = {
  cell: (inner) => `<table><tr><th>Head<th>Other<tr><td>Text<td>${inner}</table>`,
  list: (inner) => `<ul><li>Item ${inner}</ul>`,
  fieldset: (inner) => `<fieldset><legend>Legend</legend>${inner}</fieldset>`,
  paragraph: (inner) => `<p>Words ${inner} words</p>`,
  heading: (inner) => `<h2>Title ${inner}</h2>`,
  dialog: (inner) => `<dialog open aria-label=Dialog>${inner}</dialog>`,
  details: (inner) => `<details open><summary>More</summary>${inner}</details>`,
  contents: (inner) =>
    `<div style="display:contents"><span style="display:contents">${inner}</span></div>`,
  flex: (inner) => `<div style="display:flex"><span>a</span>${inner}</div>`,
  rightToLeft: (inner) => `<div dir=rtl lang=ar>مرحبا ${inner}</div>`,
  transparent: (inner) => `<div style="opacity:0">${inner}</div>`,
  offscreen: (inner) =>
    `<div style="position:absolute;left:-9999px;width:1px;height:1px;overflow:hidden">${inner}</div>`,
  transformed: (inner) => `<div style="transform:scale(.5);text-transform:none">${inner}</div>`,
  menu: (inner) => `<div role=menu aria-label=Menu>${inner}</div>`,
  toolbar: (inner) => `<div role=toolbar aria-label=Tools>${inner}</div>`,
  presentation: (inner) => `<table role=presentation><tr><td>${inner}</table>`,
};

const surrounded = (): CorpusPage[] =>
  Object.entries(SURROUNDINGS).map(([name, around], page) => {
    const controls = Object.values(CONTROLS);
    const namings = [NAMINGS['content'], NAMINGS['labelFor'], NAMINGS['labelled']] as Naming[];
    const rows = controls.map((control, i) =>
      around((namings[i % namings.length] as Naming)(control, `s${page}c${i}`, `data-n=${i}`)),
    );
    return { name: `inside ${name}`, count: controls.length, html: rows.join('\n') };
  });

/** Pieces that the inside of a link or a button may be made of. */
const PIECES: readonly ((inner: string) => string)[] = [
  (inner) => `<span>${inner}</span>`,
  (inner) => `<span> ${inner} </span>`,
  (inner) => `<div>${inner}</div>`,
  (inner) => `<b>${inner}</b><i>${inner}</i>`,
  (inner) => `<p>${inner}</p>`,
  (inner) => `<span style="display:inline-block">${inner}</span>`,
  (inner) => `<span style="display:block">${inner}</span>`,
  (inner) => `<span style="display:flex">${inner}</span>`,
  (inner) => `<span hidden>${inner}</span>`,
  (inner) => `<span style="visibility:hidden">${inner}</span>`,
  (inner) => `<span style="visibility:hidden">a<b style="visibility:visible">${inner}</b></span>`,
  (inner) => `<span aria-hidden=true>${inner}</span>`,
  (inner) => `<span aria-label="labelled ${inner.length}">${inner}</span>`,
  (inner) => `<span title="titled">${inner}</span>`,
  (inner) => `<span role=img aria-label="drawn">${inner}</span>`,
  (inner) => `<span role=presentation>${inner}</span>`,
  (inner) => `<span style="display:contents">${inner}</span>`,
  (inner) => `<strong>${inner}</strong>,`,
  (inner) => `${inner}<br>${inner}`,
  (inner) => `<sup>${inner}</sup>`,
  (inner) => `<h3>${inner}</h3>`,
  (inner) => `<ul><li>${inner}<li>${inner}</ul>`,
  (inner) => `<table><tr><td>${inner}<td>${inner}</table>`,
  (inner) => `<span style="position:absolute">${inner}</span>`,
  (inner) => `<span style="float:left">${inner}</span>`,
  (inner) => `<span class=before>${inner}</span>`,
  (inner) => `<span class=after>${inner}</span>`,
  (inner) => `<svg width=10 height=10><title>drawing</title><path d="M0 0"/></svg>${inner}`,
  (inner) => `<svg width=10 height=10><path d="M0 0"/></svg>${inner}`,
  (inner) => `<img alt="picture" width=10 height=10>${inner}`,
  (inner) => `<img alt="" width=10 height=10>${inner}`,
  (inner) => `<img width=10 height=10>${inner}`,
  (inner) => `<em>${inner}</em>&nbsp;${inner}`,
  (inner) => `<time>${inner}</time>`,
  (inner) => `<template>${inner}</template>`,
  (inner) => `<script>/* ${inner.length} */</script>${inner}`,
  (inner) => `<label>${inner}</label>`,
  (inner) => `<abbr title="abbreviation">${inner}</abbr>`,
  (inner) => `<q>${inner}</q>`,
  (inner) => `<details><summary>${inner}</summary>closed</details>`,
];
const WORDS = [
  'alpha',
  'Beta',
  'γάμμα',
  '四',
  'five!',
  '6',
  'сім',
  'ثمانية',
  'nine-ten',
  '“eleven”',
];

/** Links, buttons and the like with contents of every shape, at random but always the same. */
const shaped = (): CorpusPage[] => {
  const next = numbers(42);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const inside = (depth: number): string => {
    const parts = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
      depth > 0 && next() < 0.6 ? pick(PIECES)(inside(depth - 1)) : pick(WORDS),
    );
    return parts.join(pick(['', ' ', '\n']));
  };
  const holders = [
    element('a', 'href="#y"'),
    element('button', 'type=button'),
    element('div', 'role=button tabindex=0'),
    element('div', 'role=checkbox tabindex=0'),
    element('span', 'role=link tabindex=0'),
    element('div', 'role=menuitem'),
    element('div', 'role=tab'),
    element('div', 'role=option'),
  ];
  const style = '<style>.before::before{content:"pre "}.after::after{content:"post"}</style>';
  return Array.from({ length: 12 }, (_, page) => {
    const rows = Array.from(
      { length: 100 },
      (_, i) => `<div>${pick(holders)(`data-n=${i}`, inside(1 + Math.floor(next() * 2)))}</div>`,
    );
    return { name: `shapes ${page}`, count: rows.length, html: style + rows.join('\n') };
  });
};

/** Controls in shadow trees, with slots, and labels in the same tree. */
const shadowed = (): CorpusPage => {
  const hosts = Object.values(CONTROLS).map((control, i) => {
    const inner =
      i % 2
        ? `<label for=x>In the shadow</label>${control(`data-n=${i} id=x`, 'Content')}`
        : control(`data-n=${i}`, '<slot>fallback</slot>');
    return `<x-host${i}><template shadowrootmode=open><section>${inner}</section></template>Slotted <b>words</b></x-host${i}>`;
  });
  return { name: 'in shadow trees', count: hosts.length, html: hosts.join('\n') };
};

/**
 * Links in drawings and image maps, rows, trees and menus: controls with a structure around them.
 */
const structured = (): CorpusPage => {
  const parts = [
    '<svg width=99 height=20><a href="#s" data-n=0><title>Drawn link</title><text y=9>text</text></a><a href="#s" data-n=1><text y=9>Only text</text></a></svg>',
    '<svg width=99 height=20 role=button tabindex=0 data-n=2><title>Drawn button</title></svg>',
    '<svg width=99 height=20 aria-label="By aria" role=link data-n=3><title>Title</title></svg>',
    '<ul role=tree><li role=treeitem data-n=4 aria-expanded=true>Branch<ul role=group><li role=treeitem data-n=5>Leaf</ul></ul>',
    '<div role=tree><div role=treeitem data-n=6><span>Root</span><div role=group><div role=treeitem data-n=7>Inner</div></div></div></div>',
    '<ul role=menu><li role=none><a role=menuitem href="#" data-n=8>Open</a><li role=menuitem data-n=9>Save<ul role=menu><li role=menuitem data-n=10>As</ul></ul>',
    '<div role=radiogroup aria-label=Size><div role=radio data-n=11 aria-checked=true>Small</div><div role=radio data-n=12>Large</div></div>',
    '<div role=tablist><button role=tab data-n=13 aria-selected=true>First</button><button role=tab data-n=14><img alt="" width=1 height=1>Second</button></div>',
    '<div role=listbox aria-label=Fruit data-n=15><div role=option data-n=16>Apple</div><div role=option data-n=17 aria-selected=true><b>Pear</b> <i>ripe</i></div></div>',
    '<table><tr><td><button data-n=18>In a cell</button><td><a href="#" data-n=19><img alt="Pictured" width=1 height=1></a></table>',
    '<table role=grid><tr><td><input data-n=20 aria-label=Cell><td><a href="#" data-n=21 title="Titled"></a></table>',
    '<fieldset><legend>Group</legend><input type=radio data-n=22 id=r1><label for=r1>Choice</label></fieldset>',
    '<label>Amount <input data-n=23 value=5> of <select data-n=24><option>kilos<option>pounds</select></label>',
    '<div role=combobox data-n=25 aria-label=City tabindex=0 aria-expanded=false>Oslo</div>',
    '<div role=slider data-n=26 tabindex=0 aria-label=Volume aria-valuenow=3 aria-valuetext="three"></div>',
    '<button data-n=27><span aria-hidden=true>×</span></button><button data-n=28 aria-label=Close><span>×</span></button>',
    '<a href="#" data-n=29><svg width=9 height=9><title>Home</title></svg></a><a href="#" data-n=30><svg width=9 height=9 aria-hidden=true></svg>Start</a>',
    '<a href="#" data-n=31><figure><img alt="Photo" width=9 height=9><figcaption>Caption</figcaption></figure></a>',
    '<a href="#" data-n=32><h2>Headline</h2><p>Teaser text.</p></a><h3><a href="#" data-n=33>Inside a heading</a></h3>',
    '<div role=button data-n=34 tabindex=0 aria-owns=owned>Owner</div><span id=owned>Owned</span>',
    '<button data-n=35 dir=rtl>שלום עולם</button><button data-n=36 lang=ja>送信する</button><button data-n=37>emoji 👩‍👩‍👧 family</button>',
    '<button data-n=38>line<br>break</button><button data-n=39>  many   spaces \n\t here  </button><button data-n=40>soft&shy;hyphen</button>',
    '<details open><summary data-n=41>Opened</summary>text</details><details><summary data-n=42><b>Bold</b> closed</summary>text</details>',
    '<input type=submit data-n=43><input type=submit value="Go on" data-n=44><input type=reset data-n=45><input type=image alt="Send it" data-n=46>',
    '<input type=checkbox data-n=47 id=k1 checked><label for=k1>I accept the <a href="#" data-n=48>terms</a> and more</label>',
    '<div style="display:none"><button data-n=49>Hidden</button></div><button data-n=50 style="visibility:hidden">Invisible</button>',
    '<button data-n=51><slot>Not a shadow tree</slot></button><button data-n=52><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></button>',
    '<a href="#" data-n=53><picture><source><img alt="From a picture" width=9 height=9></picture></a>',
    '<a href="#" data-n=54><video width=9 height=9 title="A film"></video></a><a href="#" data-n=55><canvas width=9 height=9>Drawn</canvas></a>',
    '<a href="#" data-n=56><input type=checkbox aria-label="Tick">Beside</a><button data-n=57><progress value=3 max=10></progress> done</button>',
    '<a href="#" data-n=58><iframe title="A frame" width=9 height=9></iframe></a><button data-n=59><object width=9 height=9>Object text</object></button>',
  ];
  return { name: 'structures', count: 60, html: parts.join('\n') };
};

export const corpusPages = (): CorpusPage[] => [
  ...namedControls(),
  ...surrounded(),
  ...shaped(),
  shadowed(),
  structured(),
];
