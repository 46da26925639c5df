// Clicks of every kind, on everything that people click.
import type { Case } from '../case.ts';

const click = (target: Record<string, unknown>): Case['call'] => [
  'interact',
  { action: 'click', ...target },
];

export const clickCases: readonly Case[] = [
  {
    name: 'is trusted and counts its DOM changes',
    page: `<button id=b onclick="out.textContent = 'done'">Save</button><p id=out></p>`,
    call: click({ selector: '#b' }),
    says: 'clicked e# button "Save"; 1 DOM change',
    recorded: 'click b',
  },
  {
    name: 'reports that no effect was seen',
    page: '<button id=b>Idle</button>',
    call: click({ query: 'Idle' }),
    says: /^clicked e# button "Idle"; no effect seen within \d{3} ms$/,
    recorded: 'click b',
  },
  {
    name: 'presses, releases and clicks like a mouse',
    page: `<button id=b>Go</button><script>
      for (const t of ['pointerdown','mousedown','pointerup','mouseup','click']) b.addEventListener(t, (e) => (window.seq ??= []).push(t + e.button + e.detail + e.isTrusted));
    </script>`,
    call: click({ query: 'Go' }),
    recorded: [
      'seq',
      ['pointerdown00true', 'mousedown01true', 'pointerup00true', 'mouseup01true', 'click01true'],
    ],
  },
  {
    name: 'twice is a double click',
    page: `<p id=p ondblclick="this.textContent += '!'" style="cursor:pointer">Row</p>`,
    call: ['interact', { action: 'double_click', query: 'Row' }],
    says: /^double-clicked e# \S+ "Row"; \d DOM changes?/,
    recorded: 'click p, click p, dblclick p',
  },
  {
    name: 'with the right button opens the context menu',
    page: `<div id=d tabindex=0 oncontextmenu="event.preventDefault(); menu.hidden = false">File</div><ul id=menu role=menu hidden><li role=menuitem>Open</li></ul>`,
    call: ['interact', { action: 'right_click', query: 'File' }],
    says: /^right-clicked e# div "File"; 1 DOM change/,
    recorded: ['log.join(", ")', 'contextmenu d, auxclick d'],
  },
  {
    name: 'on a label checks its box',
    page: '<label id=l for=c>I agree</label><input type=checkbox id=c>',
    call: click({ selector: '#l' }),
    recorded: ['[c.checked, log.join(", ")]', [true, 'click l, click c, input c, change c']],
  },
  {
    name: 'on a checkbox reports that it is checked now',
    page: '<label><input type=checkbox id=c>Newsletter</label>',
    call: click({ query: 'Newsletter' }),
    says: 'clicked e# checkbox "Newsletter"; now checked',
    recorded: ['c.checked', true],
  },
  {
    name: 'on a checkbox that is hidden by its label clicks the label',
    page: '<style>input{position:absolute;opacity:0;width:0;height:0}</style><input type=checkbox id=c><label for=c>Fancy</label>',
    call: click({ query: 'Fancy' }),
    says: 'clicked e# checkbox "Fancy"; now checked',
    recorded: ['c.checked', true],
  },
  {
    name: 'on a button with an icon in it hits the icon and means the button',
    page: `<button id=b onclick="out.textContent=1"><svg width=20 height=20><circle r=10 cx=10 cy=10 /></svg></button><p id=out></p><script>b.setAttribute('aria-label','Close')</script>`,
    call: click({ query: 'Close' }),
    says: 'clicked e# button "Close"; 1 DOM change',
    recorded: ['out.textContent', '1'],
  },
  {
    name: 'reaches two handlers once each',
    page: `<div id=d><button id=b>Twice</button></div><script>n=[];b.addEventListener('click',()=>n.push('own'));d.addEventListener('click',()=>n.push('outer'))</script>`,
    call: click({ query: 'Twice' }),
    recorded: ['n', ['own', 'outer']],
  },
  {
    name: 'whose default is prevented changes nothing by itself',
    page: `<a id=a href="/elsewhere" onclick="event.preventDefault()">Stay</a>`,
    call: click({ query: 'Stay' }),
    says: /no effect seen/,
    recorded: ['location.pathname.startsWith("/case-")', true],
  },
  {
    name: 'on a link that wraps lines hits its text',
    page: `<div style="width:120px">Some words before <a id=a href="#there">a link that wraps over several lines of text</a> after</div>`,
    call: click({ selector: '#a' }),
    says: /^clicked e# link "a link that wraps over several lines of text"; url -> \/case-\d+#there/,
    recorded: ['location.hash', '#there'],
  },
  {
    name: 'on a summary opens the details',
    page: `<details id=d><summary>More</summary><p>Inside</p></details>`,
    call: click({ query: 'More' }),
    says: /^clicked e# DisclosureTriangle "More"; now expanded; 1 DOM change/,
    recorded: ['d.open', true],
  },
  {
    name: 'on a toggle button reports its state',
    page: `<button id=b aria-pressed=false onclick="this.setAttribute('aria-pressed', this.getAttribute('aria-pressed') !== 'true')">Bold</button>`,
    call: click({ query: 'Bold' }),
    says: 'clicked e# button "Bold"; now pressed; 1 DOM change',
    recorded: ['b.ariaPressed', 'true'],
  },
  {
    name: 'on a disclosure button reports that it is collapsed again',
    page: `<button aria-expanded=true onclick="this.setAttribute('aria-expanded','false')">Menu</button>`,
    call: click({ query: 'Menu' }),
    says: 'clicked e# button "Menu"; now collapsed; 1 DOM change',
  },
  {
    name: 'into a text field focuses it',
    page: '<label>Name <input id=i></label>',
    call: click({ query: 'Name' }),
    says: 'clicked e# textbox "Name"; focused',
    recorded: ['document.activeElement.id', 'i'],
  },
  {
    name: 'reports the focused element',
    page: `<button onclick="i.focus()">Edit</button><label>Title <input id=i></label>`,
    call: click({ query: 'Edit' }),
    says: 'clicked e# button "Edit"; focus e# textbox "Title"',
    recorded: ['document.activeElement.id', 'i'],
  },
  {
    name: 'hits a tiny target',
    page: `<button id=b style="width:3px;height:3px;padding:0;border:0;position:absolute;left:40px;top:40px" aria-label=dot onclick="window.hit=1"></button>`,
    call: click({ query: 'dot' }),
    recorded: ['hit', 1],
  },
  {
    name: 'hits a rotated and scaled target',
    page: `<div style="transform-origin:0 0;transform:translate(200px,150px) rotate(37deg) scale(1.7)"><button id=b onclick="window.hit=event.target.id">Turned</button></div>`,
    call: click({ query: 'Turned' }),
    recorded: ['hit', 'b'],
  },
  {
    name: 'hits its target under CSS zoom',
    page: `<style>body{zoom:1.75}</style><p>some text</p><div style="margin:90px 0 0 200px"><button id=b onclick="window.hit=event.target.id">Zoomed</button></div>`,
    call: click({ query: 'Zoomed' }),
    recorded: ['hit', 'b'],
  },
  {
    name: 'by a clickable element without a role',
    page: `<div id=d onclick="this.textContent='Opened'" style="cursor:pointer;width:100px">Card</div>`,
    call: click({ query: 'Card' }),
    says: /^clicked e# div "Card"; 1 DOM change/,
    recorded: ['d.textContent', 'Opened'],
  },
  {
    name: 'on plain text that a listener further up handles',
    page: `<ul id=u><li>Ann</li><li>Bob</li></ul><script>u.addEventListener('click',(e)=>{window.who=e.target.textContent})</script>`,
    call: click({ query: 'Bob' }),
    recorded: ['who', 'Bob'],
  },
  {
    name: 'on an option of a listbox selects it',
    page: `<ul role=listbox aria-label=Fruit><li role=option aria-selected=false onclick="this.setAttribute('aria-selected','true')">Apple</li><li role=option aria-selected=false>Pear</li></ul>`,
    call: click({ query: 'Apple' }),
    says: 'clicked e# option "Apple"; now selected; 1 DOM change',
  },
  {
    name: 'by role words distinguishes similar names',
    page: `<input aria-label=Search><button onclick="window.hit='button'">Search</button>`,
    call: click({ query: 'Search button' }),
    recorded: ['hit', 'button'],
  },
  {
    name: 'with a test id as query',
    page: `<button data-testid=save-order onclick="window.hit=1">§</button>`,
    call: click({ query: 'save-order' }),
    recorded: ['hit', 1],
  },
];
