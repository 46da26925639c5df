// What an action was seen to cause: pages, tabs, dialogs, requests, alerts, downloads, errors.
import type { Case } from '../case.ts';

const click = (query: string, more: Record<string, unknown> = {}): Case['call'] => [
  'interact',
  { action: 'click', query, ...more },
];

/**
 * The time that a caller would wait for effects that never end. bench/ measures the real times.
 */
const PATIENT = { settleMs: 20_000 };
const SOONER = 10_000;

export const receiptCases: readonly Case[] = [
  {
    name: 'reports a new page',
    page: '<a href="/next">Next</a>',
    site: { '/next': '<title>Next</title><h1>Next</h1>' },
    call: click('Next'),
    says: 'clicked e# link "Next"; url -> /next; 1 request',
    recorded: ['location.pathname', '/next'],
  },
  {
    name: 'reports a sent form',
    page: '<form action="/sent" method=post><button>Send</button></form>',
    site: { '/sent': '<h1>Thanks</h1>' },
    call: click('Send'),
    says: 'clicked e# button "Send"; url -> /sent; 1 request',
    recorded: ['location.pathname', '/sent'],
  },
  {
    name: 'reports a page that is slow to respond',
    page: '<a href="/slow">Slow</a>',
    site: { '/slow': () => {} },
    call: click('Slow', { settleMs: 100 }),
    says: 'clicked e# link "Slow"; url -> /slow (no response yet); 1 request (unanswered)',
  },
  {
    name: 'reports a page that could not be loaded',
    page: '<a href="http://127.0.0.1:1/">Broken</a>',
    call: click('Broken'),
    says: /^clicked e# link "Broken"; load of http:\/\/127\.0\.0\.1:1\/ failed: net::ERR_(UNSAFE_PORT|CONNECTION_REFUSED)/,
  },
  {
    name: 'reports a route change without a new page',
    page: `<button onclick="history.pushState({},'','/route/2'); main.textContent='Two'">Two</button><main id=main></main>`,
    call: click('Two'),
    says: 'clicked e# button "Two"; url -> /route/2; 1 DOM change',
    recorded: ['location.pathname', '/route/2'],
  },
  {
    name: 'reports a reload',
    page: `<button onclick="location.reload()">Again</button>`,
    call: click('Again'),
    says: 'clicked e# button "Again"; page reloaded; 1 request',
  },
  {
    name: 'reports a new tab by target=_blank',
    page: '<a href="/popup" target=_blank>Open</a>',
    site: { '/popup': '<title>Popup</title>' },
    call: click('Open'),
    says: /^clicked e# link "Open"; new tab TAB \/popup/,
  },
  {
    name: 'reports a window that a script opened',
    page: `<button onclick="window.open('/popup2')">Open</button>`,
    site: { '/popup2': '<title>Popup</title>' },
    call: click('Open'),
    says: /^clicked e# button "Open"; new tab TAB \/popup2/,
  },
  {
    name: 'claims no tab for a popup that was blocked',
    page: `<button onclick="setTimeout(()=>{window.w=window.open('/popup3')},7000)">Later</button>`,
    call: click('Later'),
    says: /no effect seen/,
  },
  {
    name: 'reports an alert, which blocks the page',
    page: `<button onclick="alert('Saved &amp; done')">Save</button>`,
    call: click('Save', PATIENT),
    says: 'clicked e# button "Save"; alert dialog "Saved & done"',
    withinMs: SOONER,
  },
  {
    name: 'reports a confirm dialog',
    page: `<button onclick="window.answer=confirm('Sure?')">Delete</button>`,
    call: click('Delete'),
    says: 'clicked e# button "Delete"; confirm dialog "Sure?"',
  },
  {
    name: 'reports a page with a beforeunload dialog',
    page: `<input id=i><a href="/away">Leave</a><script>addEventListener('beforeunload',(e)=>{e.preventDefault();e.returnValue='x'})</script>`,
    site: { '/away': 'gone' },
    first: [['interact', { action: 'fill', selector: '#i', value: 'x' }]],
    call: click('Leave'),
    says: /^clicked e# link "Leave"; .*beforeunload dialog ""/,
  },
  {
    name: 'counts requests and names the failed ones',
    page: `<button onclick="fetch('/ok');fetch('/bad',{method:'POST'})">Sync</button>`,
    site: {
      '/ok': (_, response) => response.end('{}'),
      '/bad': (_, response) => response.writeHead(500).end(),
    },
    call: click('Sync'),
    says: 'clicked e# button "Sync"; 2 requests (1 failed: POST /bad 500)',
  },
  {
    name: 'waits for the response and reports its effects',
    page: `<button onclick="fetch('/save',{method:'POST'}).then(r=>r.text()).then(t=>out.textContent=t)">Save</button><div id=out role=status></div>`,
    site: { '/save': (_, response) => setTimeout(() => response.end('Saved as 7'), 60) },
    call: click('Save'),
    says: 'clicked e# button "Save"; 1 request; status "Saved as 7"; 1 DOM change',
    recorded: ['out.textContent', 'Saved as 7'],
  },
  {
    name: 'does not wait after an answer without content',
    page: `<button onclick="fetch('/nothing')">Ping</button>`,
    site: { '/nothing': (_, response) => response.writeHead(204).end() },
    call: click('Ping', PATIENT),
    says: 'clicked e# button "Ping"; 1 request',
    withinMs: SOONER,
  },
  {
    name: 'does not wait for a stream',
    page: `<button onclick="fetch('/stream');out.textContent='on'">Listen</button><p id=out>`,
    site: {
      '/stream': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
    },
    call: click('Listen', PATIENT),
    says: 'clicked e# button "Listen"; 1 request; 1 DOM change',
    withinMs: SOONER,
  },
  {
    name: 'does not wait for an event source',
    page: `<button onclick="window.s=new EventSource('/events')">Subscribe</button>`,
    site: {
      '/events': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
    },
    call: click('Subscribe', PATIENT),
    says: /^clicked e# button "Subscribe"; 1 request/,
    withinMs: SOONER,
  },
  {
    name: 'stops waiting for a long poll early',
    page: `<button onclick="fetch('/poll');out.textContent='on'">Poll</button><p id=out>`,
    site: { '/poll': () => {} },
    call: click('Poll', PATIENT),
    says: 'clicked e# button "Poll"; 1 request (unanswered); 1 DOM change',
    withinMs: SOONER,
  },
  {
    name: 'does not count a poll that was under way before',
    page: `<button onclick="out.textContent='on'">Go</button><p id=out><script>const poll=()=>fetch('/always').then(poll);poll()</script>`,
    site: { '/always': (_, response) => setTimeout(() => response.end('x'), 15) },
    call: click('Go'),
    says: 'clicked e# button "Go"; 1 DOM change',
  },
  {
    name: 'reports an alert region',
    page: `<button onclick="box.innerHTML='<p role=alert>Wrong password</p>'">Sign in</button><div id=box></div>`,
    call: click('Sign in'),
    says: 'clicked e# button "Sign in"; alert "Wrong password"; 1 DOM change',
  },
  {
    name: 'reports an existing live region',
    page: `<button onclick="live.textContent='3 results'">Search</button><div id=live aria-live=polite></div>`,
    call: click('Search'),
    says: 'clicked e# button "Search"; status "3 results"; 1 DOM change',
  },
  {
    name: 'reports a dialog element of the page',
    page: `<button onclick="d.showModal()">Settings</button><dialog id=d aria-label="Your settings"><button>Close</button></dialog>`,
    call: click('Settings'),
    says: 'clicked e# button "Settings"; dialog "Your settings"; 1 DOM change; focus e# button "Close"',
  },
  {
    name: 'reports the field that the browser refused to send',
    page: `<form action="/never"><label>Email <input type=email required></label><button>Send</button></form>`,
    call: click('Send'),
    says: /^clicked e# button "Send"; e# textbox "Email" rejected: ".+"; focus e# textbox "Email"$/,
  },
  {
    name: 'reports an error that the page threw',
    page: `<button onclick="undefinedFunction()">Crash</button>`,
    call: click('Crash'),
    says: /^clicked e# button "Crash"; page error "Uncaught ReferenceError: undefinedFunction is not defined/,
  },
  {
    name: 'reports a download',
    page: '<a href="/file">Get</a>',
    site: {
      '/file': (_, response) =>
        void response
          .writeHead(200, { 'content-disposition': 'attachment; filename="report.csv"' })
          .end('a,b'),
    },
    call: click('Get'),
    says: /^clicked e# link "Get"; download d\d+ "report.csv"/,
    recorded: ['location.pathname.startsWith("/case-")', true],
  },
  {
    name: 'reports a navigation with an empty response',
    page: '<a href="/void">Void</a>',
    site: { '/void': (_, response) => response.writeHead(204).end() },
    call: click('Void'),
    says: 'clicked e# link "Void"; 1 request',
    recorded: ['location.pathname.startsWith("/case-")', true],
  },
  {
    name: 'reports the effects of an immediate timer',
    page: `<button onclick="setTimeout(()=>out.textContent='late',0)">Defer</button><p id=out>`,
    call: click('Defer'),
    says: 'clicked e# button "Defer"; 1 DOM change',
  },
  {
    name: 'reports the effects of the next frame',
    page: `<button onclick="requestAnimationFrame(()=>requestAnimationFrame(()=>out.textContent='late'))">Frame</button><p id=out>`,
    call: click('Frame'),
    says: 'clicked e# button "Frame"; 1 DOM change',
  },
  {
    name: 'reports the effects of a short timer if there were none before',
    page: `<button onclick="setTimeout(()=>out.textContent='late',60)">Delay</button><p id=out>`,
    call: click('Delay'),
    says: 'clicked e# button "Delay"; 1 DOM change',
  },
  {
    name: 'does not wait for a clock that never stops',
    page: `<p id=clock></p><button>Idle</button><script>const tick=()=>{clock.textContent=performance.now();requestAnimationFrame(tick)};tick()</script>`,
    call: click('Idle', PATIENT),
    says: /^clicked e# button "Idle"; \d+ DOM changes?$/,
    withinMs: SOONER,
  },
  {
    name: 'reports that the tab closed',
    page: `<a href="/closer" target=_blank>Open</a>`,
    site: { '/closer': '<p>x' },
    call: click('Open'),
    says: /new tab/,
  },
  {
    name: 'reports the changes in the page around a clicked frame',
    page: `<iframe srcdoc="<button onclick='parent.document.getElementById(&quot;out&quot;).textContent=1'>Up</button>"></iframe><p id=out>`,
    call: click('Up'),
    says: 'clicked e# button "Up"; 1 DOM change',
  },
  {
    name: 'waits for a dialog that fades out, and does not report it as new',
    page: `<style>#d{transition:opacity .25s}#d.out{opacity:0}</style>
      <div role=dialog id=d aria-label=Welcome>Hello <button onclick="d.classList.add('out')">Close</button></div>
      <script>d.addEventListener('transitionend',()=>d.remove())</script>`,
    call: click('Close'),
    says: /^clicked e# button "Close"; \d DOM changes$/,
    recorded: ['document.getElementById("d") === null', true],
  },
  {
    name: 'waits for an element that a timer removes right after its animation',
    page: `<style>@keyframes out{to{opacity:0}}#d.out{animation:out .2s forwards}</style>
      <div role=dialog id=d aria-label=Welcome><button onclick="d.classList.add('out');setTimeout(()=>d.remove(),240)">Close</button></div>`,
    call: click('Close'),
    says: /^clicked e# button "Close"; \d DOM changes$/,
    recorded: ['document.getElementById("d") === null', true],
  },
  {
    name: 'does not report a dialog that was open before and stays',
    page: `<div role=dialog id=d aria-label=Cart><p id=p>1</p><button onclick="p.textContent=2;d.classList.add('x')">More</button></div>`,
    call: click('More'),
    says: 'clicked e# button "More"; 2 DOM changes',
  },
  {
    name: 'does not report an alert that is fading out',
    page: `<style>#a{transition:opacity 30s}#a.out{opacity:.01}</style><p role=alert id=a>Saved</p><button onclick="a.classList.add('out')">Hide</button>`,
    call: click('Hide', PATIENT),
    says: 'clicked e# button "Hide"; 1 DOM change',
    withinMs: SOONER,
  },
  {
    name: 'waits for an animation in the shadow root of a changed element',
    page: `<div id=host open></div><button onclick="host.removeAttribute('open');box.animate({opacity:[1,0]},250).finished.then(()=>box.remove())">Close</button>
      <script>host.attachShadow({mode:'open'}).innerHTML='<p>Confirm</p>';const box=host.shadowRoot.firstChild</script>`,
    call: click('Close'),
    recorded: ['box.isConnected', false],
  },
  {
    name: 'reports a dialog that fades in from a hidden place in the page',
    page: `<style>#d{opacity:0;transition:opacity .2s}#d.in{opacity:1}</style><button onclick="d.classList.add('in')">Open</button><div role=dialog id=d aria-label=Options>x</div>`,
    call: click('Open'),
    says: 'clicked e# button "Open"; dialog "Options"; 1 DOM change',
    recorded: ['getComputedStyle(d).opacity', '1'],
  },
  {
    name: 'does not wait for an animation that never ends',
    page: `<style>@keyframes turn{to{opacity:.5}}.on{animation:turn .3s infinite}</style><button onclick="s.className='on'">Spin</button><p id=s>x`,
    call: click('Spin', PATIENT),
    says: 'clicked e# button "Spin"; 1 DOM change',
    withinMs: SOONER,
  },
  {
    name: 'contains the alert of the page that a form led to',
    page: '<form action="/login" method=post><button>Sign in</button></form>',
    site: {
      '/login': (_, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(
            '<title>Login</title><div role=alert>Wrong <b>password</b></div><p role=alert hidden>No',
          ),
    },
    call: click('Sign in'),
    says: 'clicked e# button "Sign in"; url -> /login; 1 request; alert "Wrong password"',
  },
  {
    name: 'contains an assertive live region of a reloaded page',
    page: `<button onclick="sessionStorage.bad=1;location.reload()">Again</button><script>if(sessionStorage.bad)document.write('<p aria-live=assertive>Expired</p>');delete sessionStorage.bad</script>`,
    call: click('Again'),
    says: 'clicked e# button "Again"; page reloaded; 1 request; alert "Expired"',
  },
];
