// Whole forms: every kind of field in one call, each read back, and what happens when one of them
// fails.
import type { Case } from '../case.ts';

const fill = (
  fields: readonly Record<string, unknown>[],
  more: Record<string, unknown> = {},
): Case['call'] => ['fill_form', { fields, waitForMs: 150, ...more }];

const PERSON = `<form id=f onsubmit="event.preventDefault();window.sent=Object.fromEntries(new FormData(this));out.textContent='Thanks'">
  <label>First <input name=first></label><label>Last <input name=last required></label>
  <label>Born <input name=born type=date></label><label>Country <select name=country><option>Norway<option>Sweden</select></label>
  <fieldset><legend>Shipping</legend><label><input type=radio name=ship value=std>Standard</label><label><input type=radio name=ship value=exp>Express</label></fieldset>
  <label><input type=checkbox name=news>Newsletter</label><button>Send</button></form><p id=out role=status></p>`;

export const formCases: readonly Case[] = [
  {
    name: 'fails if no field was filled, with the problem of each',
    page: PERSON,
    call: fill([
      { label: 'Nickname', value: 'A' },
      { label: 'Country', value: 'Atlantis' },
    ]),
    fails: [
      'element_not_found',
      /None of the 2 fields was filled.*"failed":\[{"field":"Nickname".*"field":"Country"/,
    ],
  },
  {
    name: 'fills fields of several kinds by their labels',
    page: PERSON,
    call: fill([
      { label: 'First', value: 'Ada' },
      { label: 'Last', value: 'Lovelace' },
      { label: 'Born', value: '1815-12-10' },
      { label: 'Country', value: 'Sweden' },
      { label: 'Shipping', value: 'Express' },
      { label: 'Newsletter', value: true },
    ]),
    says: 'filled 6 fields',
    recorded: [
      'Object.fromEntries(new FormData(f))',
      {
        first: 'Ada',
        last: 'Lovelace',
        born: '1815-12-10',
        country: 'Sweden',
        ship: 'exp',
        news: 'on',
      },
    ],
  },
  {
    name: 'fills the other fields if the page blocks the input of one',
    page: `<form id=f><label>First <input name=first></label><label>Code <input name=code></label>
      <label><input type=checkbox name=news>Newsletter</label><label>Last <input name=last></label></form>
      <script>f.code.onbeforeinput = (event) => event.preventDefault();
      f.news.onclick = (event) => event.preventDefault();</script>`,
    call: fill([
      { label: 'First', value: 'Ada' },
      { label: 'Code', value: 'X1' },
      { label: 'Newsletter', value: true },
      { label: 'Last', value: 'L' },
    ]),
    says: /^filled 2 of 4 fields\n.*"field":"Code","code":"value_rejected".*\n.*"field":"Newsletter"/,
    recorded: ['[f.first.value, f.code.value, f.last.value]', ['Ada', '', 'L']],
  },
  {
    name: 'lets all handlers of a field finish before it goes on to the next field',
    page: `<form id=f><label>First <input name=first></label><label>Last <input name=last></label></form>
      <script>window.seen = [];
      for (const type of ['focus', 'input', 'change', 'blur'])
        for (const field of [f.first, f.last])
          field.addEventListener(type, () => seen.push(field.name + ' ' + type));
      f.addEventListener('input', (event) => seen.push(event.target.name + ' form'));</script>`,
    call: fill([
      { label: 'First', value: 'Ada' },
      { label: 'Last', value: 'L' },
    ]),
    says: 'filled 2 fields',
    recorded: [
      'seen.join(", ")',
      'first focus, first input, first form, first change, first blur, ' +
        'last focus, last input, last form, last change, last blur',
    ],
  },
  {
    name: 'enters each text into its own field if the page is busy at each focus',
    page: `<form id=f></form><script>
      for (const name of ['a', 'b', 'c', 'd', 'e', 'g', 'h', 'i'])
        f.insertAdjacentHTML('beforeend', '<label>' + name + ' <input name=' + name + '></label>');
      f.addEventListener('focusin', () => {
        for (const end = performance.now() + 75; performance.now() < end;);
      });</script>`,
    call: fill([...'abcdeghi'].map((name) => ({ label: name, value: `text of ${name}` }))),
    says: 'filled 8 fields',
    recorded: [
      '[...new FormData(f)].map(([name, value]) => value.slice(8) === name).join()',
      'true,true,true,true,true,true,true,true',
    ],
  },
  {
    name: 'enters each text into its own field if the page moves the focus between two texts',
    page: `<form id=f><label>A <input name=a></label><label>B <input name=b></label><label>C <input name=c></label><label>D <input name=d></label></form>
      <script>got=[];f.c.oninput=()=>got.push(f.c.value);
      f.b.onfocus=()=>{f.b.onfocus=null;Promise.resolve().then(()=>f.c.focus())}</script>`,
    call: fill([...'ABCD'].map((label) => ({ label, value: `text of ${label}` }))),
    says: 'filled 4 fields',
    recorded: [
      '[[f.a.value, f.b.value, f.c.value, f.d.value].join(), got.join()]',
      ['text of A,text of B,text of C,text of D', 'text of C'],
    ],
  },
  {
    name: 'fills the fields after one whose text the page rejects or whose events it stops',
    page: `<label>A <input id=a></label><label>B <input id=b></label><label>C <input id=c></label><label>D <input id=d></label>
      <script>b.onbeforeinput=(e)=>e.preventDefault();c.oninput=(e)=>e.stopPropagation()</script>`,
    call: fill([...'ABCD'].map((label) => ({ label, value: `text of ${label}` }))),
    says: /^filled 3 of 4 fields\n\{"field":"B","code":"value_rejected"/,
    recorded: ['[a.value, b.value, c.value, d.value].join()', 'text of A,,text of C,text of D'],
  },
  {
    name: 'waits for a field between others that the page enables later',
    page: `<label>A <input id=a></label><label>B <input id=b disabled></label><label>C <input id=c></label>
      <script>a.oninput=()=>setTimeout(()=>{b.disabled=false},80)</script>`,
    call: fill(
      [...'ABC'].map((label) => ({ label, value: `text of ${label}` })),
      { waitForMs: 2000 },
    ),
    says: 'filled 3 fields',
    recorded: ['[a.value, b.value, c.value].join()', 'text of A,text of B,text of C'],
  },
  {
    name: 'sends every text with its trusted events, which the page may change',
    page: `<label>A <input id=a></label><label>B <input id=b></label><label>C <input id=c></label>
      <script>n=[];for(const t of ['beforeinput','input','change'])addEventListener(t,(e)=>n.push(t+' '+e.target.id+' '+e.isTrusted));
      b.oninput=()=>{b.value=b.value.toUpperCase()}</script>`,
    call: fill([
      { label: 'A', value: 'x' },
      { label: 'B', value: 'Y' },
      { label: 'C', value: 'x' },
    ]),
    says: 'filled 3 fields',
    recorded: [
      'n.join()',
      [...'abc']
        .flatMap((id) => ['beforeinput', 'input', 'change'].map((type) => `${type} ${id} true`))
        .join(),
    ],
  },
  {
    name: 'never enters text into the field that the page focuses instead',
    page: `<form id=f><label>First <input name=first onfocus="f.other.focus()"></label><label>Other <input name=other></label></form>`,
    call: fill([{ label: 'First', value: 'Ada' }]),
    fails: ['not_editable', /the page moves the focus to another element/],
    recorded: ['f.other.value', ''],
  },
  {
    name: 'submits and reports the effects',
    page: PERSON,
    call: fill(
      [
        { name: 'first', value: 'Ada' },
        { name: 'last', value: 'L' },
      ],
      { submit: true },
    ),
    says: 'filled 2 fields\nclicked e# button "Send"; status "Thanks"; 1 DOM change',
    recorded: ['[sent.first, sent.last]', ['Ada', 'L']],
  },
  {
    name: 'lists only what failed, fills the rest and does not submit',
    page: PERSON,
    call: fill(
      [
        { label: 'First', value: 'Ada' },
        { label: 'Nickname', value: 'x' },
        { label: 'Country', value: 'Mars' },
      ],
      { submit: true },
    ),
    says: /^filled 1 of 3 fields; not submitted\n\{"field":"Nickname","code":"element_not_found".*\n\{"field":"Country","code":"option_not_found".*"options":\["Norway","Sweden"\]\}$/,
    recorded: ['[f.first.value, window.sent === undefined]', ['Ada', true]],
  },
  {
    name: 'moves the focus from field to field, so that each change is final',
    page: `<input id=a aria-label=A><input id=b aria-label=B><script>n=[];for(const t of ['focusin','focusout','change'])addEventListener(t,(e)=>n.push(t+' '+e.target.id+' '+e.isTrusted),true)</script>`,
    call: fill([
      { label: 'A', value: '1' },
      { label: 'B', value: '2' },
    ]),
    recorded: ['n.filter((x) => x.startsWith("change"))', ['change a true', 'change b true']],
  },
  {
    name: 'fills a field that appears after another one is filled',
    page: `<label>Kind <select onchange="box.innerHTML='<label>Detail <input id=d></label>'"><option>A<option>B</select></label><div id=box></div>`,
    call: fill(
      [
        { label: 'Kind', value: 'B' },
        { label: 'Detail', value: 'yes' },
      ],
      { waitForMs: 1000 },
    ),
    says: /^filled 2 fields/,
    recorded: ['d.value', 'yes'],
  },
  {
    name: 'chooses a radio button of a group by name and value',
    page: PERSON,
    call: fill([{ name: 'ship', value: 'std' }]),
    recorded: ['f.ship.value', 'std'],
  },
  {
    name: 'sets a group of boxes as a whole',
    page: `<fieldset><legend>Days</legend><label><input type=checkbox checked>Mon</label><label><input type=checkbox>Tue</label><label><input type=checkbox>Wed</label></fieldset>`,
    call: fill([{ label: 'Days', value: ['Tue', 'Wed'] }]),
    recorded: [
      '[...document.querySelectorAll("input")].map((i) => i.checked)',
      [false, true, true],
    ],
  },
  {
    name: 'does not change a checkbox that is already right',
    page: `<label><input type=checkbox id=c checked onclick="window.touched=1">On</label>`,
    call: fill([{ label: 'On', value: true }]),
    recorded: ['[c.checked, window.touched === undefined]', [true, true]],
  },
  {
    name: 'names a box that springs back',
    page: `<label><input type=checkbox id=c onclick="event.preventDefault()">Odd</label><label>Name <input></label>`,
    call: fill([
      { label: 'Odd', value: true },
      { label: 'Name', value: 'x' },
    ]),
    says: /^filled 1 of 2 fields\n\{"field":"Odd","code":"value_rejected"/,
  },
  {
    name: 'notices a field that a later one changed',
    page: `<label>A <input id=a></label><label>B <input oninput="a.value='gone'"></label>`,
    call: fill([
      { label: 'A', value: 'one' },
      { label: 'B', value: 'two' },
    ]),
    says: /"field":"A","code":"value_rejected","message":"e# textbox \\"A\\" contains \\"gone\\" instead of \\"one\\"/,
  },
  {
    name: 'is not confused by two fields of one label',
    page: '<label>Email <input id=a></label><label>Email <input id=b></label><label>Name <input></label>',
    call: fill([
      { label: 'Email', value: 'x' },
      { label: 'Name', value: 'y' },
    ]),
    says: /"field":"Email","code":"ambiguous_target".*"total":2/,
    recorded: ['a.value + b.value', ''],
  },
  {
    name: 'accepts colour names, and reports an unknown one',
    page: '<label>Ink <input id=a type=color></label><label>Paper <input id=b type=color value="#336699"></label><label>Name <input></label>',
    call: fill([
      { label: 'Ink', value: 'tomato' },
      { label: 'Paper', value: 'tomatoe' },
      { label: 'Name', value: 'x' },
    ]),
    says: /^filled 2 of 3 fields\n\{"field":"Paper","code":"value_rejected".*\\"#336699\\" instead of \\"tomatoe\\".*#rgb or a colour name/,
    recorded: ['[a.value, b.value]', ['#ff6347', '#336699']],
  },
  {
    name: 'notices a colour that the page puts back',
    page: '<label>Ink <input id=a type=color onchange="this.value=\'#000000\'"></label>',
    call: fill([{ label: 'Ink', value: 'red' }]),
    fails: ['value_rejected', /#000000/],
  },
  {
    name: 'fills a switch, a combobox and an editor that pages make themselves',
    page: `<button id=s role=switch aria-checked=false onclick="this.setAttribute('aria-checked','true')">Dark</button>
      <button id=c role=combobox aria-expanded=false aria-controls=l aria-label=Fruit>Pick</button><ul id=l role=listbox hidden><li role=option>Apple<li role=option>Pear</ul>
      <div id=e contenteditable role=textbox aria-label=Notes style="min-height:20px"></div>
      <script>c.onclick=()=>{l.hidden=false};l.onclick=(ev)=>{c.textContent=ev.target.textContent;l.hidden=true}</script>`,
    call: fill(
      [
        { label: 'Dark', value: true },
        { label: 'Fruit', value: 'Pear' },
        { label: 'Notes', value: 'care' },
      ],
      { waitForMs: 1000 },
    ),
    says: /^filled 3 fields/,
    recorded: [
      '[s.ariaChecked, c.textContent.trim(), e.innerText.trim()]',
      ['true', 'Pear', 'care'],
    ],
  },
  {
    name: 'reports the field that the browser rejected',
    page: PERSON,
    call: fill([{ label: 'First', value: 'Ada' }], { submit: true }),
    says: /rejected: ".+"; focus e# textbox "Last"$/,
    recorded: ['window.sent === undefined', true],
  },
  {
    name: 'presses the button that is named',
    page: '<label>Q <input></label><button onclick="window.hit=1">Find</button><button>Lucky</button>',
    call: fill([{ label: 'Q', value: 'x' }], { submit: 'Find' }),
    recorded: ['hit', 1],
  },
  {
    name: 'reports that there is no submit button',
    page: '<label>Q <input></label>',
    call: fill([{ label: 'Q', value: 'x' }], { submit: true }),
    fails: ['element_not_found', /no submit button/],
  },
  {
    name: 'needs each field named in one way',
    page: '<p>',
    call: fill([{ label: 'A', name: 'b', value: 'x' }]),
    fails: ['invalid_argument', /exactly one of/],
  },
  {
    name: 'returns the new state in the same reply',
    page: '<label>Q <input></label>',
    call: fill([{ label: 'Q', value: 'hello' }], { returnAfterState: 'ax' }),
    says: /^filled 1 field\n- Page URL: [\s\S]*- Page Mode: ax\n[\s\S]*e# textbox "Q" .*hello/,
  },
];
