// Text, keys and values: what handlers of every kind see of them, and that what is reported is what the field holds.
import type { Case } from '../case.ts';

const fill = (query: string, value: unknown, more: Record<string, unknown> = {}): Case['call'] => [
  'interact',
  { action: 'fill', query, value, waitForMs: 150, ...more },
];
const type = (query: string, value: string): Case['call'] => ['interact', { action: 'type', query, value }];
const press = (value: string, query?: string): Case['call'] => ['interact', { action: 'press', value, ...(query ? { query } : {}) }];

/** Notes the keys that the page sees. */
const KEYS = `<script>window.keys=[];for(const t of ['keydown','keyup'])addEventListener(t,(e)=>keys.push(t[3]+' '+e.code+' '+e.key+' '+e.keyCode+(e.ctrlKey?' ctrl':'')+(e.shiftKey?' shift':'')+(e.isTrusted?'':' fake')),true)</script>`;

export const typingCases: readonly Case[] = [
  {
    name: 'fills a field and reads it back',
    page: '<label>Name <input id=i value=old></label>',
    call: fill('Name', 'Ada'),
    says: 'filled e# textbox "Name"; value "Ada"',
    recorded: ['[i.value, log]', ['Ada', ['input i']]],
  },
  {
    name: 'makes beforeinput and input events that can be trusted',
    page: `<input id=i aria-label=Name><script>n=[];for(const t of ['focus','beforeinput','input'])i.addEventListener(t,(e)=>n.push(t+' '+(e.inputType??'')+' '+e.isTrusted))</script>`,
    call: fill('Name', 'Ada'),
    recorded: ['n', ['focus  true', 'beforeinput insertText true', 'input insertText true']],
  },
  {
    name: 'is seen by a framework that tracks the value through its own setter',
    page: `<input id=i aria-label=Name><script>
      let tracked = ''; const d = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');
      Object.defineProperty(i,'value',{get(){return d.get.call(this)},set(v){tracked=v;d.set.call(this,v)}});
      i.addEventListener('input',()=>{const now=d.get.call(i);if(now!==tracked){tracked=now;window.model=now}})</script>`,
    call: fill('Name', 'Ada'),
    recorded: ['model', 'Ada'],
  },
  {
    name: 'survives a field that draws itself anew with each input',
    page: `<div id=box></div><script>const draw=(v)=>{box.innerHTML='<input aria-label=Name>';box.firstChild.value=v;box.firstChild.oninput=(e)=>{window.model=e.target.value;draw(e.target.value)}};draw('')</script>`,
    call: fill('Name', 'Ada'),
    says: /^filled e# textbox "Name"/,
    recorded: ['model', 'Ada'],
  },
  {
    name: 'empties a field',
    page: '<label>Name <input id=i value=old></label>',
    call: ['interact', { action: 'clear', query: 'Name' }],
    says: 'cleared e# textbox "Name"; now empty',
    recorded: ['[i.value, log]', ['', ['input i']]],
  },
  {
    name: 'fills a text area with several lines',
    page: '<label>Bio <textarea id=t></textarea></label>',
    call: fill('Bio', 'one\ntwo'),
    recorded: ['t.value', 'one\ntwo'],
  },
  {
    name: 'fills a number',
    page: '<label>Age <input id=i type=number></label>',
    call: fill('Age', 36),
    says: 'filled e# spinbutton "Age"; value "36"',
    recorded: ['i.valueAsNumber', 36],
  },
  {
    name: 'refuses to call a number filled that took no letters',
    page: '<label>Age <input id=i type=number></label>',
    call: fill('Age', 'many'),
    fails: ['value_rejected', /holds \\"\\" instead of \\"many\\".*a number/],
  },
  {
    name: 'refuses to call a field filled that cuts the text',
    page: '<label>Code <input id=i maxlength=4></label>',
    call: fill('Code', '123456'),
    fails: ['value_rejected', /holds \\"1234\\" instead of \\"123456\\"/],
    recorded: ['i.value', '1234'],
  },
  {
    name: 'accepts a field that formats what is typed, and shows it',
    page: `<label>Phone <input id=i oninput="this.value=this.value.replace(/(\\d{3})(\\d+)/,'($1) $2')"></label>`,
    call: fill('Phone', '0207946'),
    says: 'filled e# textbox "Phone"; value "(020) 7946"',
    recorded: ['i.value', '(020) 7946'],
  },
  {
    name: 'refuses to call a field filled that the page empties again',
    page: `<label>Name <input id=i oninput="this.value=''"></label>`,
    call: fill('Name', 'Ada'),
    fails: ['value_rejected', /holds \\"\\" instead of \\"Ada\\"/],
  },
  {
    name: 'never shows a password',
    page: '<label>Password <input id=i type=password></label>',
    call: fill('Password', 'Tr0ub4dor&3'),
    says: 'filled e# textbox "Password"; value "•••••••••••"',
    recorded: ["i.value === 'Tr0ub' + '4dor&3'", true], // what was typed is hidden from here on, in every reply
  },
  {
    name: 'never shows a password that did not take',
    page: `<label>Password <input id=i type=password maxlength=3></label>`,
    call: fill('Password', 'Tr0ub4dor&3'),
    fails: ['value_rejected', /^(?!.*(Tr0|dor)).*something else/],
  },
  {
    name: 'refuses a field that is read only',
    page: '<label>Id <input readonly value=7></label>',
    call: fill('Id', '8'),
    fails: ['not_editable', /readonly/],
  },
  {
    name: 'refuses a field that is disabled',
    page: '<label>Id <input disabled value=7></label>',
    call: fill('Id', '8'),
    fails: ['target_disabled'],
  },
  {
    name: 'refuses something that is no field',
    page: '<h1 id=h>Title</h1>',
    call: ['interact', { action: 'fill', selector: '#h', value: 'x', waitForMs: 100 }],
    fails: ['not_editable'],
  },
  {
    name: 'fills an editor made of contenteditable',
    page: '<div id=e contenteditable role=textbox aria-label=Notes><p>old</p></div>',
    call: fill('Notes', 'new text'),
    says: /^filled e# textbox "Notes"; value "new text"/,
    recorded: ['e.innerText.trim()', 'new text'],
  },
  {
    name: 'makes paragraphs in an editor',
    page: '<div id=e contenteditable role=textbox aria-label=Notes></div>',
    call: fill('Notes', 'one\ntwo'),
    recorded: ['e.innerText.split(/\\n+/).filter(Boolean)', ['one', 'two']],
  },
  {
    name: 'is seen by an editor that handles beforeinput itself',
    page: `<div id=e contenteditable role=textbox aria-label=Notes></div><script>window.model='';e.addEventListener('beforeinput',(ev)=>{ev.preventDefault();if(ev.inputType==='insertText'){model=ev.data;e.textContent=model}})</script>`,
    call: fill('Notes', 'hello'),
    recorded: ['[model, e.textContent]', ['hello', 'hello']],
  },
  {
    name: 'types in a frame whose body is the editor',
    page: `<iframe srcdoc="<body contenteditable>start</body>"></iframe>`,
    first: [['interact', { action: 'click', selector: 'body[contenteditable]' }]],
    call: ['interact', { action: 'type', value: ' more' }],
    recorded: ['frames[0].document.body.innerText.includes("more")', true],
  },
  {
    name: 'fills a field in a frame of another site',
    page: `<iframe src="{other}/field"></iframe><script>addEventListener('message',(e)=>window.got=e.data)</script>`,
    site: { '/field': `<label>Card <input oninput="parent.postMessage(this.value+event.isTrusted,'*')"></label>` },
    call: fill('Card', '4242', { waitForMs: 2000 }),
    says: 'filled e# textbox "Card"; value "4242"',
    recorded: ['got', '4242true'],
  },
  {
    name: 'fills a field in a closed shadow root',
    page: `<x-f id=h></x-f><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<label>Pin <input></label>';r.querySelector('input').oninput=(e)=>window.got=e.target.value</script>`,
    call: fill('Pin', '1234', { waitForMs: 1000 }),
    recorded: ['got', '1234'],
  },
  {
    name: 'fills the field inside a custom element',
    page: `<x-input id=x></x-input><script>customElements.define('x-input',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<input>'}})</script>`,
    call: ['interact', { action: 'fill', selector: '#x', value: 'inner' }],
    recorded: ['x.shadowRoot.querySelector("input").value', 'inner'],
  },
  {
    name: 'sets a date and tells the page',
    page: '<label>Day <input id=i type=date></label>',
    call: fill('Day', '2031-05-07'),
    says: /^filled e# Date "Day"; value "2031-05-07"/,
    recorded: ['[i.value, log]', ['2031-05-07', ['input i (untrusted)', 'change i (untrusted)']]],
  },
  {
    name: 'says how a date is written',
    page: '<label>Day <input id=i type=date></label>',
    call: fill('Day', '7 May 2031'),
    fails: ['value_rejected', /YYYY-MM-DD/],
  },
  {
    name: 'sets a slider',
    page: '<label>Volume <input id=i type=range min=0 max=100 step=5 value=50></label>',
    call: fill('Volume', '70'),
    says: /^filled e# slider "Volume"; value "70"/,
    recorded: ['i.value', '70'],
  },
  {
    name: 'refuses to call a slider set that has no such step',
    page: '<label>Volume <input id=i type=range min=0 max=100 step=5></label>',
    call: fill('Volume', '71'),
    fails: ['value_rejected', /holds \\"70\\" instead of \\"71\\"/],
  },
  {
    name: 'moves a slider made of other elements by its keys',
    page: `<div id=s role=slider tabindex=0 aria-label=Level aria-valuenow=3 aria-valuemin=0 aria-valuemax=10 style="height:20px" onkeydown="const d={ArrowRight:1,ArrowLeft:-1}[event.key];if(d)this.setAttribute('aria-valuenow',+this.getAttribute('aria-valuenow')+d)"></div>`,
    call: fill('Level', '6'),
    recorded: ['s.getAttribute("aria-valuenow")', '6'],
  },
  {
    name: 'sets a colour',
    page: '<label>Ink <input id=i type=color></label>',
    call: fill('Ink', '#336699'),
    recorded: ['i.value', '#336699'],
  },
  {
    name: 'checks a box by its value',
    page: '<label><input id=i type=checkbox>Terms</label>',
    call: fill('Terms', true),
    recorded: ['[i.checked, log]', [true, ['click i', 'input i', 'change i']]],
  },
  {
    name: 'types key by key, with every code',
    page: `${KEYS}<input id=i aria-label=Name>`,
    call: type('Name', 'aB1'),
    says: 'typed into e# textbox "Name"; value "aB1"',
    recorded: ['keys', ['d KeyA a 65', 'u KeyA a 65', 'd KeyB B 66 shift', 'u KeyB B 66 shift', 'd Digit1 1 49', 'u Digit1 1 49']],
  },
  {
    name: 'types after what is there',
    page: '<input id=i aria-label=Name value=Ada>',
    call: type('Name', '!'),
    recorded: ['i.value', 'Ada!'],
  },
  {
    name: 'composes what no key types, as an IME does',
    page: `<input id=i aria-label=Name><script>n=[];for(const t of ['compositionstart','compositionend'])i.addEventListener(t,(e)=>n.push(t+e.data))</script>`,
    call: type('Name', 'x日本'),
    says: 'typed into e# textbox "Name"; value "x日本"',
    recorded: ['[i.value, n]', ['x日本', ['compositionstart', 'compositionend日本']]],
  },
  {
    name: 'types an emoji',
    page: '<input id=i aria-label=Name>',
    call: type('Name', 'a👍🏽b'),
    recorded: ['i.value', 'a👍🏽b'],
  },
  {
    name: 'sends the form with a line break at the end',
    page: '<form action="/found"><input name=q aria-label=Search></form>',
    site: { '/found': '<h1>Found</h1>' },
    call: type('Search', 'ada\n'),
    says: 'typed into e# textbox "Search"; url -> /found?q=ada; 1 request',
    recorded: ['location.search', '?q=ada'],
  },
  {
    name: 'types where the focus is when no target is named',
    page: '<input id=i autofocus>',
    first: [['interact', { action: 'focus', selector: '#i' }]],
    call: ['interact', { action: 'type', value: 'free' }],
    recorded: ['i.value', 'free'],
  },
  {
    name: 'presses a key with its code',
    page: `${KEYS}<input id=i aria-label=Name>`,
    call: press('Enter', 'Name'),
    recorded: ['keys', ['d Enter Enter 13', 'u Enter Enter 13']],
  },
  {
    name: 'holds modifiers around a key',
    page: `${KEYS}<input id=i aria-label=Name>`,
    call: press('Control+Shift+K', 'Name'),
    recorded: ['keys.filter((k) => k.includes("KeyK"))', ['d KeyK K 75 ctrl shift', 'u KeyK K 75 ctrl shift']],
  },
  {
    name: 'selects all and deletes with the keys for it',
    page: '<input id=i aria-label=Name value="something">',
    call: press('ControlOrMeta+A Backspace', 'Name'),
    recorded: ['i.value', ''],
  },
  {
    name: 'copies and pastes with the keys for it',
    page: '<input id=a aria-label=From value=copied><input id=b aria-label=To>',
    first: [press('ControlOrMeta+A ControlOrMeta+C', 'From')],
    call: press('ControlOrMeta+V', 'To'),
    recorded: ['b.value', 'copied'],
  },
  {
    name: 'moves the focus with Tab and says where to',
    page: '<input id=a aria-label=One><input id=b aria-label=Two>',
    first: [['interact', { action: 'focus', selector: '#a' }]],
    call: press('Tab'),
    says: 'pressed Tab; focus e# textbox "Two"',
    recorded: ['document.activeElement.id', 'b'],
  },
  {
    name: 'moves through a menu with several keys',
    page: `<div id=m role=menu tabindex=0 aria-label=Menu style="height:20px" onkeydown="window.k=(window.k??'')+event.key+' '"></div>`,
    call: ['interact', { action: 'press', selector: '#m', value: 'ArrowDown ArrowDown Enter' }],
    recorded: ['k', 'ArrowDown ArrowDown Enter '],
  },
  {
    name: 'closes a dialog with Escape',
    page: `<dialog id=d aria-label=Box><button>x</button></dialog><script>d.showModal()</script>`,
    call: press('Escape'),
    says: /^pressed Escape; /,
    recorded: ['d.open', false],
  },
  {
    name: 'names the key that was meant',
    page: '<p>',
    call: press('Entre'),
    fails: ['invalid_argument', /did you mean Enter/],
  },
  {
    name: 'focuses a field',
    page: '<label>Name <input id=i></label>',
    call: ['interact', { action: 'focus', query: 'Name' }],
    says: 'focused e# textbox "Name"',
    recorded: ['document.activeElement.id', 'i'],
  },
  {
    name: 'refuses to call something focused that takes no focus',
    page: '<p id=p>Text</p>',
    call: ['interact', { action: 'focus', selector: '#p' }],
    fails: ['not_editable', /does not take the focus/],
  },
];
