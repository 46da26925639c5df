// Targets that are hard to reach: covered, moving, disabled, out of view, in shadow roots; and
// those that must be refused.
import type { Case } from '../case.ts';

const click = (target: Record<string, unknown>): Case['call'] => [
  'interact',
  { action: 'click', ...target },
];
const quick = { waitForMs: 150 };

export const reachCases: readonly Case[] = [
  {
    name: 'that is covered is refused, naming the cover with its ref',
    page: `<button id=b>Buy</button><div id=o style="position:fixed;inset:0;background:#0008" role=dialog aria-label="Cookie notice"></div>`,
    call: click({ query: 'Buy', ...quick }),
    fails: [
      'target_covered',
      /button \\"Buy\\" is covered by e# dialog \\"Cookie notice\\".*"cover":\{"ref":"e#","role":"dialog"/,
    ],
    recorded: '',
  },
  {
    name: 'that is covered by a plain element names it by its id',
    page: `<button id=b>Buy</button><div id=veil style="position:fixed;inset:0"></div>`,
    call: click({ query: 'Buy', ...quick }),
    fails: ['target_covered', /covered by e# div \\"#veil\\"/],
    recorded: '',
  },
  {
    name: 'whose cover disappears in time is clicked',
    page: `<button id=b>Buy</button><div id=o style="position:fixed;inset:0"></div><script>setTimeout(()=>o.remove(),80)</script>`,
    call: click({ query: 'Buy' }),
    says: /^clicked e# button "Buy"/,
    recorded: 'click b',
  },
  {
    name: 'that is half covered is clicked in its free part',
    page: `<button id=b style="width:200px;height:60px" onclick="window.hit=1">Wide</button><div style="position:absolute;left:60px;top:0;width:100px;height:100px;background:red"></div>`,
    call: click({ query: 'Wide' }),
    recorded: ['hit', 1],
  },
  {
    name: 'under a sticky header is scrolled out from under it',
    page: `<header style="position:sticky;top:0;height:100px;background:#ccc">Bar</header><div style="height:3000px;padding-top:1500px"><button id=b>Deep</button></div><script>scrollTo(0,1480)</script>`,
    call: click({ query: 'Deep' }),
    recorded: 'click b',
  },
  {
    name: 'far down the page is scrolled into view',
    page: `<div style="height:4000px"></div><button id=b>Bottom</button>`,
    call: click({ query: 'Bottom' }),
    recorded: 'click b',
  },
  {
    name: 'in a nested scroller is scrolled into view in both',
    page: `<div style="height:1500px"></div><div style="height:200px;overflow:auto;width:300px"><div style="height:900px"></div><div style="width:2000px;padding-left:1500px"><button id=b>Nested</button></div></div><div style="height:2000px"></div>`,
    call: click({ query: 'Nested' }),
    recorded: 'click b',
  },
  {
    name: 'that smooth scrolling would delay is reached at once',
    page: `<style>html{scroll-behavior:smooth}</style><div style="height:5000px"></div><button id=b>End</button><script>let scrolls=0;onscroll=()=>scrolls++</script>`,
    call: click({ query: 'End' }),
    recorded: ['[log, scrolls]', [['click b'], 1]],
  },
  {
    name: 'that is disabled is refused',
    page: '<button id=b disabled>Pay</button>',
    call: click({ query: 'Pay', ...quick }),
    fails: ['target_disabled', /button \\"Pay\\" is disabled/],
    recorded: '',
  },
  {
    name: 'in a disabled fieldset is refused',
    page: '<fieldset disabled><button id=b>Pay</button></fieldset>',
    call: click({ query: 'Pay', ...quick }),
    fails: ['target_disabled', /fieldset/],
  },
  {
    name: 'that is aria-disabled is refused',
    page: '<div role=button aria-disabled=true tabindex=0>Pay</div>',
    call: click({ query: 'Pay', ...quick }),
    fails: ['target_disabled', /aria-disabled/],
    recorded: '',
  },
  {
    name: 'that is inert is refused with the open dialog, which must be closed first',
    page: '<main inert><button>Pay</button></main><div role=dialog aria-label="Your cookies"><button>Accept</button></div>',
    call: ['interact', { action: 'click', query: 'Pay', waitForMs: 100 }],
    fails: [
      'target_disabled',
      /inert while e# dialog \\"Your cookies\\" is open.*"dialog":{"ref":"e#","role":"dialog"/,
    ],
  },
  {
    name: 'by words that an icon and a text of one link have is the link',
    page: '<a id=link href="#q"><svg role="img" aria-label="Orders" width="10" height="10"></svg> <span>Orders</span></a>',
    call: ['interact', { action: 'click', query: 'Orders' }],
    says: /^clicked e# link "Orders Orders"/,
    recorded: ['location.hash', '#q'],
  },
  {
    name: 'by words that a part of a button is called is the button',
    page: '<button id=b><img alt="Refresh" width=10 height=10 src="data:,"> <span>Refresh</span> <small>all</small></button>',
    call: ['interact', { action: 'click', query: 'Refresh' }],
    says: /^clicked e# button "Refresh Refresh all"/,
  },
  {
    name: 'by words is a control whose name begins so rather than a text that is only read',
    page: '<p>Or press <b>Save</b>.</p><button id=draft>Save draft</button>',
    call: ['interact', { action: 'click', query: 'Save' }],
    recorded: 'click draft',
  },
  {
    name: 'by words is a link with a hidden suffix rather than bold text with the same words',
    page:
      '<strong>Reports</strong><p><a id=link href="#r">Reports' +
      '<span style="position:absolute;clip-path:inset(50%)"> (opens a new page)</span></a></p>',
    call: ['interact', { action: 'click', query: 'Reports' }],
    recorded: ['location.hash', '#r'],
  },
  {
    name: 'by words is still a plain text if no control has them',
    page: '<p>Or press <b id=text>Save</b>.</p><button>Send</button>',
    call: ['interact', { action: 'click', query: 'Save' }],
    recorded: 'click text',
  },
  {
    name: 'to check by the words of a link is not found, because no checkbox has that name',
    page: '<a href="#">Home</a><label><input type=checkbox> Home delivery</label>',
    call: ['interact', { action: 'check', query: 'Home page', waitForMs: 50 }],
    fails: [
      'element_not_found',
      /No checkbox, radio button or switch matches \\"Home page\\".*"near":\[{"ref":"e#","role":"checkbox"/,
    ],
  },
  {
    name: 'to check by words of a link does not name the link',
    page: '<a href="#">Home</a>',
    call: ['interact', { action: 'check', query: 'Home', waitForMs: 50 }],
    fails: [
      'element_not_found',
      /^(?!.*"near").*No checkbox, radio button or switch matches \\"Home\\"/s,
    ],
  },
  {
    name: 'that is inert is refused',
    page: '<div inert><button>Pay</button></div>',
    call: click({ query: 'Pay', ...quick }),
    fails: ['target_disabled', /inert/],
  },
  {
    name: 'that becomes enabled in time is clicked',
    page: `<button id=b disabled>Pay</button><script>setTimeout(()=>b.disabled=false,80)</script>`,
    call: click({ query: 'Pay' }),
    recorded: 'click b',
  },
  {
    name: 'that is not displayed is rejected with the reason',
    page: '<div id=box style="display:none"><button id=b>Ghost</button></div>',
    call: click({ selector: '#b', ...quick }),
    fails: ['target_hidden', /display: none on <div id=\\"box\\"> around it/],
    recorded: '',
  },
  {
    name: 'that is invisible is refused',
    page: '<button id=b style="visibility:hidden">Ghost</button>',
    call: click({ selector: '#b', ...quick }),
    fails: ['target_hidden', /visibility: hidden/],
  },
  {
    name: 'without size is refused',
    page: '<span id=b></span>',
    call: click({ selector: '#b', ...quick }),
    fails: ['target_hidden', /no size/],
  },
  {
    name: 'inside closed details is refused',
    page: '<details><summary>More</summary><button id=b>Inner</button></details>',
    call: click({ selector: '#b', ...quick }),
    fails: ['target_hidden', /details/],
  },
  {
    name: 'outside of the page that cannot be scrolled into view is rejected',
    page: '<button id=b style="position:absolute;left:-500px">Off</button>',
    call: click({ selector: '#b', ...quick }),
    fails: ['target_hidden', /cannot be scrolled into view/],
  },
  {
    name: 'that ignores the pointer is refused',
    page: '<div id=d><button id=b style="pointer-events:none">Dead</button></div>',
    call: click({ selector: '#b', ...quick }),
    fails: [
      'target_disabled',
      /^(?!.*covered).*e# button \\"Dead\\" ignores clicks \(pointer-events: none\): e# div \\"Dead\\" would receive them\./,
    ],
    recorded: '',
  },
  {
    name: 'that ignores the pointer, with all the page, names the dialog that has it',
    page: `<style>body{pointer-events:none}#m{position:fixed;inset:0;pointer-events:auto}</style><button id=b>Buy</button><div id=m role=dialog aria-label=Cookies>We use cookies</div>`,
    call: click({ selector: '#b', ...quick }),
    fails: [
      'target_covered',
      /e# button \\"Buy\\" is covered by e# dialog \\"Cookies\\"; it ignores clicks too/,
    ],
    recorded: '',
  },
  {
    name: 'that ignores the pointer is clicked through a descendant that does not ignore it',
    page: '<a id=a style="pointer-events:none">Outer <b id=b style="pointer-events:auto">inner</b></a>',
    call: click({ selector: '#a', ...quick }),
    recorded: 'click b',
  },
  {
    name: 'that slides in is clicked when it has arrived',
    page: `<style>@keyframes in{from{transform:translateX(600px)}to{transform:none}}#b{animation:in .2s linear}</style><button id=b>Slide</button>`,
    call: click({ query: 'Slide' }),
    recorded: 'click b',
  },
  {
    name: 'that pulses forever is clicked nevertheless',
    page: `<style>@keyframes pulse{50%{transform:scale(1.05)}}#b{animation:pulse 1s infinite}</style><button id=b>Pulse</button>`,
    call: click({ query: 'Pulse', waitForMs: 0 }),
    recorded: 'click b',
  },
  {
    name: 'that a script moves under the pointer is never missed in silence',
    page: `<button id=b style="position:absolute;left:20px;top:50px">Run</button><button id=other style="position:absolute;left:20px;top:50px;z-index:-1;width:300px;height:100px">Trap</button><script>
      addEventListener('mousemove', () => { b.style.left = (parseInt(b.style.left) + 400) % 900 + 'px'; }, true)</script>`,
    call: click({ query: 'Run', ...quick }),
    fails: ['target_moving', /no button was pressed/],
    recorded: '',
  },
  {
    name: 'that moves for a while is clicked when it stops',
    page: `<button id=b style="position:absolute;left:0;top:50px">Glide</button><script>let x=0;const go=()=>{x+=40;b.style.left=x+'px';if(x<600)requestAnimationFrame(go)};go()</script>`,
    call: click({ query: 'Glide' }),
    recorded: 'click b',
  },
  {
    name: 'that does not exist is not found, with similar elements',
    page: '<button>Save changes</button><button>Cancel</button>',
    call: click({ query: 'Save draft', ...quick }),
    fails: ['element_not_found', /"near":\[\{"ref":"e#","role":"button","name":"Save changes"/],
    recorded: '',
  },
  {
    name: 'that appears a moment later is clicked',
    page: `<div id=box></div><script>setTimeout(()=>box.innerHTML='<button id=b>Late</button>',80)</script>`,
    call: click({ query: 'Late' }),
    recorded: 'click b',
  },
  {
    name: 'that matches two elements is rejected with both',
    page: '<button id=a>Delete</button><button id=b>Delete</button>',
    call: click({ query: 'Delete', ...quick }),
    fails: [
      'ambiguous_target',
      /"candidates":\[\{"ref":"e#","role":"button","name":"Delete"\},\{"ref":"e#","role":"button","name":"Delete"\}\],"total":2/,
    ],
    recorded: '',
  },
  {
    name: 'that matches one visible and one hidden element is the visible one',
    page: '<button id=a hidden>Delete</button><button id=b>Delete</button>',
    call: click({ query: 'Delete' }),
    recorded: 'click b',
  },
  {
    name: 'behind a modal dialog is not meant',
    page: '<button id=a>OK</button><dialog id=d><button id=b>OK</button></dialog><script>d.showModal()</script>',
    call: click({ query: 'OK' }),
    recorded: 'click b',
  },
  {
    name: 'that is only behind a modal dialog is refused with the dialog',
    page: '<button>Pay</button><dialog id=d aria-label=Terms><button>Agree</button></dialog><script>d.showModal()</script>',
    call: click({ query: 'Pay', ...quick }),
    fails: ['target_covered', /dialog \\"Terms\\"/],
    recorded: '',
  },
  {
    name: 'is the exact name before one that contains it',
    page: '<button id=a>Save as</button><button id=b>Save</button>',
    call: click({ query: 'Save' }),
    recorded: 'click b',
  },
  {
    name: 'that a selector matches twice is refused',
    page: '<button class=x>1</button><button class=x>2</button>',
    call: click({ selector: '.x', ...quick }),
    fails: ['ambiguous_target', /"total":2/],
  },
  {
    name: 'with an invalid selector is an invalid argument',
    page: '<p>',
    call: click({ selector: '##', ...quick }),
    fails: ['invalid_argument', /not a valid CSS selector or XPath/],
  },
  {
    name: 'named in two ways is a bad argument',
    page: '<button>A</button>',
    call: click({ query: 'A', selector: 'button' }),
    fails: ['invalid_argument', /only one of/],
  },
  {
    name: 'in an open shadow root is found by its words',
    page: `<x-a></x-a><script>customElements.define('x-a', class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<button id=b>Shade</button>'}})</script>`,
    call: click({ query: 'Shade' }),
    recorded: 'click b',
  },
  {
    name: 'in nested shadow roots is found by a selector',
    page: `<div id=h></div><script>const r=h.attachShadow({mode:'open'});r.innerHTML='<div id=i></div>';r.getElementById('i').attachShadow({mode:'open'}).innerHTML='<button class=deep onclick="window.hit=1">Deep</button>'</script>`,
    call: click({ selector: '.deep' }),
    recorded: ['hit', 1],
  },
  {
    name: 'in a closed shadow root is found and hit',
    page: `<div id=h style="width:200px;height:50px"></div><script>const r=h.attachShadow({mode:'closed'});r.innerHTML='<button>Secret</button>';r.querySelector('button').onclick=(e)=>{window.hit=e.isTrusted}</script>`,
    call: click({ query: 'Secret' }),
    recorded: ['hit', true],
  },
  {
    name: 'that is slotted into a shadow root is hit',
    page: `<div id=h><button id=b>Slotted</button></div><script>h.attachShadow({mode:'open'}).innerHTML='<section><slot></slot></section>'</script>`,
    call: click({ query: 'Slotted' }),
    recorded: 'click b',
  },
  {
    name: 'in a frame is found and hit',
    page: `<div style="height:120px"></div><iframe style="border:7px solid;padding:11px;margin-left:60px" srcdoc="<button onclick='parent.hit=event.isTrusted'>Inner</button>"></iframe>`,
    call: click({ query: 'Inner' }),
    says: /^clicked e# button "Inner"/,
    recorded: ['hit', true],
  },
  {
    name: 'in a frame of another site is found and hit',
    page: `<div style="height:90px"></div><iframe style="margin-left:40px" src="{other}/inner"></iframe><script>window.heard=new Promise((done)=>addEventListener('message',(e)=>done(e.data)))</script>`,
    site: {
      '/inner': `<p>text</p><button onclick="parent.postMessage('trusted:'+event.isTrusted,'*')">Foreign</button>`,
    },
    call: click({ query: 'Foreign' }),
    says: /^clicked e# button "Foreign"/,
    recorded: ['await heard', 'trusted:true'],
  },
  {
    name: 'in frames inside frames of other sites is found and hit',
    page: `<div style="height:60px"></div><iframe width=600 height=400 style="margin-left:30px;border:5px solid" src="{other}/level-1"></iframe><script>window.heard=new Promise((done)=>addEventListener('message',(e)=>done(e.data)))</script>`,
    site: {
      '/level-1': `<p>one</p><iframe width=300 height=200 style="border:9px solid;margin:20px"></iframe><script>document.querySelector('iframe').src='http://127.0.0.1:'+location.port+'/level-2'</script>`,
      '/level-2': `<p>two</p><button onclick="top.postMessage('deep:'+event.isTrusted,'*')">Deepest</button>`,
    },
    call: click({ query: 'Deepest', waitForMs: 10_000 }),
    recorded: ['await heard', 'deep:true'],
  },
  {
    name: 'in a frame that is out of view is scrolled to',
    page: `<div style="height:2500px"></div><iframe src="{other}/below"></iframe><script>window.heard=new Promise((done)=>addEventListener('message',(e)=>done(e.data)))</script>`,
    site: {
      '/below': `<div style="height:900px"></div><button onclick="parent.postMessage('low','*')">Low</button>`,
    },
    call: click({ query: 'Low' }),
    recorded: ['await heard', 'low'],
  },
  {
    name: 'in a frame that is covered names the cover',
    page: `<iframe srcdoc="<button>Inner</button>"></iframe><div id=veil style="position:fixed;inset:0"></div>`,
    call: click({ query: 'Inner', ...quick }),
    fails: ['target_covered', /covered by e# div \\"#veil\\"/],
  },
  {
    name: 'in a scaled frame is hit',
    page: `<div style="transform:scale(.6) translate(50px,80px);transform-origin:0 0"><iframe srcdoc="<div style='padding:80px 0 0 120px'><button onclick='parent.hit=1'>Small</button></div>"></iframe></div>`,
    call: click({ query: 'Small' }),
    recorded: ['hit', 1],
  },
];
