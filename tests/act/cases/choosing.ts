// Choices, boxes, scrolling, dragging and files.
import type { Case } from '../case.ts';

const select = (query: string, value: unknown): Case['call'] => [
  'interact',
  { action: 'select', query, value, waitForMs: 150 },
];
const act = (action: string, args: Record<string, unknown>): Case['call'] => [
  'interact',
  { action, waitForMs: 150, ...args },
];

const SELECT =
  '<label>Country <select id=s><option value="">Choose…</option><option value=no>Norway</option><option value=se>Sweden</option><option disabled>Atlantis</option></select></label>';

/** A combobox as pages make them: a button that opens a list. */
const COMBOBOX = `<button id=c role=combobox aria-expanded=false aria-controls=l aria-label=Fruit>Pick one</button><ul id=l role=listbox hidden>
  <li role=option>Apple</li><li role=option>Pear</li></ul><script>
  c.onclick=()=>{l.hidden=false;c.setAttribute('aria-expanded','true')};
  l.onclick=(e)=>{c.textContent=e.target.textContent;window.trusted=e.isTrusted;l.hidden=true;c.setAttribute('aria-expanded','false')}</script>`;

const LIST = (n: number): string =>
  Array.from({ length: n }, (_, i) => `<p>Line ${i}</p>`).join('');

export const choosingCases: readonly Case[] = [
  {
    name: 'selects an option by its label',
    page: SELECT,
    call: select('Country', 'Norway'),
    says: 'selected in e# combobox "Country"; value "Norway"',
    recorded: ['[s.value, log]', ['no', ['input s (untrusted)', 'change s (untrusted)']]],
  },
  {
    name: 'selects an option by its value',
    page: SELECT,
    call: select('Country', 'se'),
    recorded: ['s.value', 'se'],
  },
  {
    name: 'selects an option in any letter case',
    page: SELECT,
    call: select('Country', 'norway'),
    recorded: ['s.value', 'no'],
  },
  {
    name: 'lists the options if the option does not exist',
    page: SELECT,
    call: select('Country', 'Denmark'),
    fails: ['option_not_found', /"options":\["Choose…","Norway","Sweden","Atlantis"\]/],
    recorded: ['s.value', ''],
  },
  {
    name: 'does not select an option that is disabled',
    page: SELECT,
    call: select('Country', 'Atlantis'),
    fails: ['option_not_found'],
    recorded: ['s.value', ''],
  },
  {
    name: 'selects several options',
    page: '<label>Skills <select id=s multiple><option>Algebra<option>Logic<option>Music</select></label>',
    call: select('Skills', ['Algebra', 'Music']),
    recorded: ['[...s.selectedOptions].map((o) => o.text)', ['Algebra', 'Music']],
  },
  {
    name: 'selects in a list made of other elements with real presses',
    page: COMBOBOX,
    call: select('Fruit', 'Pear'),
    says: /^selected in e# combobox "Fruit"/,
    recorded: ['[c.textContent, trusted]', ['Pear', true]],
  },
  {
    name: 'lists the options of a list made of other elements',
    page: COMBOBOX,
    call: select('Fruit', 'Plum'),
    fails: ['option_not_found', /"options":\["Apple","Pear"\]/],
  },
  {
    name: 'selects in a combobox that filters as one types',
    page: `<input id=i role=combobox aria-expanded=false aria-controls=l aria-label=City><ul id=l role=listbox></ul><script>
      i.oninput=()=>{l.innerHTML='';i.setAttribute('aria-expanded','true');setTimeout(()=>{for(const c of ['Oslo','Osaka'])if(c.toLowerCase().startsWith(i.value.toLowerCase()))l.insertAdjacentHTML('beforeend','<li role=option>'+c+'</li>')},30)};
      l.onclick=(e)=>{i.value=e.target.textContent;l.innerHTML=''}</script>`,
    call: select('City', 'Osaka'),
    recorded: ['i.value', 'Osaka'],
  },
  {
    name: 'selects in a listbox that is always open',
    page: `<ul role=listbox aria-label=Size><li id=a role=option aria-selected=false>S</li><li id=b role=option aria-selected=false>L</li></ul><script>document.querySelector('ul').onclick=(e)=>{for(const o of [a,b])o.setAttribute('aria-selected',o===e.target)}</script>`,
    call: select('Size', 'L'),
    recorded: ['[a.ariaSelected, b.ariaSelected]', ['false', 'true']],
  },
  {
    name: 'checks a box',
    page: '<label><input id=c type=checkbox>News</label>',
    call: act('check', { query: 'News' }),
    says: 'checked e# checkbox "News"; now checked',
    recorded: ['c.checked', true],
  },
  {
    name: 'checks a box that only screen readers find by pressing its label',
    page: `<style>#c{position:absolute;width:1px;height:1px;margin:-1px;padding:0;overflow:hidden;clip:rect(0 0 0 0);border:0}</style>
      <fieldset><legend>Hotels</legend><label for=c>Two stars</label><input id=c type=checkbox></fieldset>`,
    call: act('check', { query: 'Two stars' }),
    says: 'checked e# checkbox "Two stars"; now checked',
    recorded: ['c.checked', true],
  },
  {
    name: 'does not change a checkbox that is already checked',
    page: '<label><input id=c type=checkbox checked>News</label>',
    call: act('check', { query: 'News' }),
    says: 'already checked e# checkbox "News"',
    recorded: '',
  },
  {
    name: 'unchecks a box',
    page: '<label><input id=c type=checkbox checked>News</label>',
    call: act('uncheck', { query: 'News' }),
    says: 'unchecked e# checkbox "News"; now not checked',
    recorded: ['c.checked', false],
  },
  {
    name: 'checks a switch made of a button',
    page: `<button id=b role=switch aria-checked=false onclick="this.setAttribute('aria-checked','true')">Dark</button>`,
    call: act('check', { query: 'Dark' }),
    says: 'checked e# switch "Dark"; now checked; 1 DOM change',
  },
  {
    name: 'refuses to call a box checked that springs back',
    page: `<label><input id=c type=checkbox onclick="event.preventDefault()">Stubborn</label>`,
    call: act('check', { query: 'Stubborn' }),
    fails: ['value_rejected', /is off instead of true/],
    recorded: ['c.checked', false],
  },
  {
    name: 'checks a radio button',
    page: '<label><input id=r type=radio name=x>One</label><label><input type=radio name=x checked>Two</label>',
    call: act('check', { query: 'One' }),
    recorded: ['r.checked', true],
  },
  {
    name: 'hovers with a real pointer',
    page: `<style>#m{display:none}#b:hover+#m{display:block}</style><button id=b onmouseenter="window.over=event.isTrusted">Menu</button><div id=m>Items</div>`,
    call: act('hover', { query: 'Menu' }),
    recorded: ['[over, getComputedStyle(m).display]', [true, 'block']],
  },
  {
    name: 'scrolls the page down and reports the distance',
    page: LIST(200),
    call: act('scroll', { value: 'down 300' }),
    says: /^scrolled down 300 px; y 300 of \d+$/,
    recorded: ['scrollY', 300],
  },
  {
    name: 'scrolls to the bottom',
    page: LIST(200),
    call: act('scroll', { value: 'bottom' }),
    says: /\(the end\)$/,
    recorded: ['Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) < 2', true],
  },
  {
    name: 'reports that it did not scroll',
    page: '<p>short</p>',
    call: act('scroll', { value: 'down' }),
    says: /^did not scroll; y 0 of 0 \(the end\)$/,
  },
  {
    name: 'scrolls a container and leaves the page',
    page: `<div id=d tabindex=0 aria-label=Box style="height:200px;overflow:auto">${LIST(100)}</div>${LIST(50)}`,
    call: act('scroll', { selector: '#d', value: 'down 150' }),
    says: /^scrolled down 150 px e# .*; y 150 of \d+$/,
    recorded: ['[d.scrollTop, scrollY]', [150, 0]],
  },
  {
    name: 'scrolls an element into view',
    page: `${LIST(200)}<button id=b>Last</button>`,
    call: act('scroll', { query: 'Last' }),
    says: 'scrolled to e# button "Last"',
    recorded: ['b.getBoundingClientRect().top < innerHeight', true],
  },
  {
    name: 'scrolls a list that grows until a text shows',
    page: `<div id=l>${LIST(60)}</div><script>let n=60;addEventListener('scroll',()=>{if(n<200&&scrollY+innerHeight>document.documentElement.scrollHeight-50)for(let i=0;i<40;i++)l.insertAdjacentHTML('beforeend','<p>Line '+n+++'</p>')})</script>`,
    call: act('scroll', { value: 'until Line 150' }),
    says: /^scrolled \d+ px until "Line 150" was visible$/,
  },
  {
    name: 'reports a text that never appears',
    page: LIST(60),
    call: act('scroll', { value: 'until Nowhere', settleMs: 50 }),
    fails: ['element_not_found', /was not found after scrolling/],
  },
  {
    name: 'drags natively between lists',
    page: `<ul id=from style="height:40px"><li id=x draggable=true ondragstart="event.dataTransfer.setData('text','x')">Apple</li></ul><ul id=to style="height:80px;width:200px;border:1px solid" ondragover="event.preventDefault()" ondrop="event.preventDefault();this.append(document.getElementById(event.dataTransfer.getData('text')))"></ul>`,
    call: act('drag', { selector: '#x', value: 'e999' }),
    fails: ['element_not_found'],
  },
  {
    name: 'drops an element that is dragged natively',
    page: `<ul style="height:40px"><li id=x draggable=true ondragstart="event.dataTransfer.setData('text','x')">Apple</li></ul><div id=to role=button tabindex=0 style="height:80px;width:200px;border:1px solid" ondragover="event.preventDefault()" ondrop="event.preventDefault();this.append(document.getElementById(event.dataTransfer.getData('text')));window.dropped=event.isTrusted">Basket</div>`,
    call: act('drag', { selector: '#x', value: 'Basket' }),
    says: /^dragged e# .*"Apple"; to e# button "Basket"; \d+ DOM changes?$/,
    recorded: ['[to.contains(x), dropped]', [true, true]],
  },
  {
    name: 'drags by the pointer',
    page: `<div id=x style="position:absolute;left:20px;top:20px;width:60px;height:40px;background:red">Card</div><div id=t style="position:absolute;left:300px;top:200px;width:150px;height:100px;background:#ddd">Here</div><script>
      let on=false;window.moves=0;x.onpointerdown=()=>on=true;addEventListener('pointermove',(e)=>{if(on){moves++;x.style.left=e.clientX-30+'px';x.style.top=e.clientY-20+'px';x.style.pointerEvents='none'}});addEventListener('pointerup',()=>on=false)</script>`,
    call: act('drag', { query: 'Card', value: 'Here' }),
    says: /^dragged e# div "Card"; to e# div "Here"; \d+ DOM changes$/,
    recorded: ['[moves > 3, x.getBoundingClientRect().left > 300, on]', [true, true, false]],
  },
  {
    name: 'uploads a file to a field',
    page: '<label>Attachment <input id=f type=file></label>',
    call: act('upload', { query: 'Attachment', value: 'package.json' }),
    says: /^uploaded a file to e# button "Attachment"; value "package.json"/,
    recorded: ['[f.files[0].name, log]', ['package.json', ['input f', 'change f']]],
  },
  {
    name: 'uploads a file to a hidden field',
    page: '<input id=f type=file hidden aria-label=Hidden>',
    call: act('upload', { selector: '#f', value: ['package.json'] }),
    recorded: ['f.files.length', 1],
  },
  {
    name: 'uploads a file through the chooser that a button opens',
    page: `<button onclick="const i=document.createElement('input');i.type='file';i.onchange=()=>window.got=i.files[0].name;i.click()">Browse</button>`,
    call: act('upload', { query: 'Browse', value: 'package.json' }),
    says: /^uploaded a file to e# button "Browse"/,
    recorded: ['got', 'package.json'],
  },
  {
    name: 'reports that a click on a file field opened a file chooser',
    page: '<label>Attachment <input id=f type=file></label>',
    call: act('click', { selector: '#f' }),
    says: 'clicked e# button "Attachment"; file chooser opened (set files with upload)',
    recorded: 'click f',
  },
  {
    name: 'reports that a click on a button opened a file chooser',
    page: `<button onclick="const i=document.createElement('input');i.type='file';i.multiple=true;i.click()">Browse</button>`,
    call: act('click', { query: 'Browse' }),
    says: /^clicked e# button "Browse"; file chooser opened \(set files with upload\)/,
  },
  {
    name: 'reports a file chooser in a frame of another site',
    page: '<iframe src="{other}/files"></iframe>',
    site: { '/files': '<label>Attachment <input type=file></label>' },
    call: act('click', { query: 'Attachment', waitForMs: 5000 }),
    says: /file chooser opened \(set files with upload\)/,
  },
  {
    name: 'uploads a file after a click that opened a file chooser',
    page: `<button onclick="const i=document.createElement('input');i.type='file';i.onchange=()=>window.got=i.files[0].name;i.click()">Browse</button>`,
    first: [act('click', { query: 'Browse' })],
    call: act('upload', { query: 'Browse', value: 'package.json' }),
    says: /^uploaded a file to e# button "Browse"/,
    recorded: ['got', 'package.json'],
  },
  {
    name: 'reports a button that does not open a chooser',
    page: `<button>Nothing</button>`,
    call: act('upload', { query: 'Nothing', value: 'package.json' }),
    fails: ['not_editable', /did not open a file chooser/],
  },
  {
    name: 'reports a missing file, also if the button opens no chooser',
    page: `<button>Nothing</button>`,
    call: act('upload', { query: 'Nothing', value: 'no-such-file.txt' }),
    fails: ['invalid_argument', /no-such-file\.txt does not exist/],
  },
  {
    name: 'does not upload a file from outside the allowed folders',
    page: '<input id=f type=file aria-label=File>',
    call: act('upload', { query: 'File', value: '/etc/hostname' }),
    fails: ['file_not_allowed'],
    recorded: ['f.files.length', 0],
  },
];
