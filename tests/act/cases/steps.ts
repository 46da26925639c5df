// Scripts of plain steps, coordinates, and waiting.
import type { Case } from '../case.ts';

const act = (instruction: string, more: Record<string, unknown> = {}): Case['call'] => [
  'act',
  { instruction, waitForMs: 150, ...more },
];
const computer = (action: string, args: Record<string, unknown> = {}): Case['call'] => [
  'computer',
  { action, ...args },
];
const wait = (condition: Record<string, unknown>, timeoutMs = 1500): Case['call'] => [
  'wait_for',
  { ...condition, timeout_ms: timeoutMs },
];

const LOGIN = `<button onclick="box.hidden=false">Sign in</button><form id=box hidden onsubmit="event.preventDefault();out.textContent='Welcome '+u.value"><label>Username <input id=u></label></form><p id=out></p>`;

export const stepCases: readonly Case[] = [
  {
    name: 'does steps one after the other, with a line for each',
    page: LOGIN,
    call: act('click Sign in; type "ada" in Username; press Enter; wait for Welcome ada'),
    says: /^clicked e# button "Sign in"; 1 DOM change\ntyped into e# textbox "Username"; value "ada"\npressed Enter; 1 DOM change\nwaited \d+ ms for "Welcome ada"$/,
    recorded: ['out.textContent', 'Welcome ada'],
  },
  {
    name: 'stops at the first failed step, with the completed and the remaining steps',
    page: LOGIN,
    call: act('click Sign in; click Nowhere; press Enter'),
    fails: [
      'element_not_found',
      /Step 2 of 3 \(\\"click Nowhere\\"\).*"done":\["clicked e# button \\"Sign in\\"; 1 DOM change"\],"remaining":\["click Nowhere","press Enter"\]/,
    ],
    recorded: ['box.hidden', false],
  },
  {
    name: 'does nothing when a step cannot be read',
    page: LOGIN,
    call: act('click Sign in; frobnicate it'),
    fails: ['invalid_argument', /known verb/],
    recorded: '',
  },
  {
    name: 'fills, selects and checks',
    page: `<label>Age <input id=a></label><label>Country <select id=s><option>Norway<option>Sweden</select></label><label><input id=c type=checkbox>Terms</label>`,
    call: act('fill Age with 42, then select Sweden in Country and then check Terms'),
    recorded: ['[a.value, s.value, c.checked]', ['42', 'Sweden', true]],
  },
  {
    name: 'understands selectors and refs in steps',
    page: `<button id=x onclick="window.hit=1">One</button>`,
    call: act('click css=#x'),
    recorded: ['hit', 1],
  },
  {
    name: 'returns the changes in the same reply',
    page: LOGIN,
    call: act('click Sign in', { returnAfterState: 'diff' }),
    says: /^clicked e# button "Sign in"; 1 DOM change\n- Page URL: [\s\S]*- Page Mode: diff[\s\S]*\+.*textbox "Username"/,
  },
  {
    name: 'clicks at coordinates and reports the element that was hit',
    page: `<button style="position:absolute;left:100px;top:100px;width:80px;height:40px" onclick="window.hit=event.isTrusted">Map</button>`,
    call: computer('left_click', { coordinate: [120, 120] }),
    says: /^clicked e# button "Map"; no effect seen/,
    recorded: ['hit', true],
  },
  {
    name: 'names the nearest thing to act on when nothing was hit',
    page: `<button style="position:absolute;left:100px;top:100px;width:80px;height:40px">Map</button>`,
    call: computer('left_click', { coordinate: [200, 120] }),
    says: /^clicked e# \S+.* \(nearest: e# button "Map"\); no effect seen/,
  },
  {
    name: 'reports the element that was hit inside a frame of another site',
    page: `<iframe style="position:absolute;left:50px;top:60px;border:4px solid" src="{other}/pad"></iframe><script>window.heard=new Promise((done)=>addEventListener('message',(e)=>done(e.data)))</script>`,
    site: {
      '/pad': `<body style="margin:0"><button style="width:120px;height:50px" onclick="parent.postMessage('pad','*')">Pad</button>`,
    },
    first: [['wait_for', { text: 'Pad' }]],
    call: computer('left_click', { coordinate: [100, 90] }),
    says: /^clicked e# button "Pad"/,
    recorded: ['await heard', 'pad'],
  },
  {
    name: "is not misled by elements that take the names of the document's own parts",
    page: `<img name=body><img name=activeElement><img name=elementFromPoint><form><input name=getClientRects><input name=focus></form><button onclick="window.hit=1">Press</button>`,
    call: act('click Press'),
    recorded: ['hit', 1],
  },
  {
    name: 'refuses coordinates outside of the viewport',
    page: '<p>',
    call: computer('left_click', { coordinate: [5000, 10] }),
    fails: ['invalid_argument', /outside the page's 1280x720 viewport/],
  },
  {
    name: 'selects a word with a double click at coordinates',
    page: `<p id=p style="position:absolute;left:20px;top:20px;margin:0;font:20px monospace">word other</p>`,
    call: computer('double_click', { coordinate: [40, 32] }),
    recorded: ['String(getSelection()).trim()', 'word'],
  },
  {
    name: 'drags at coordinates on a canvas',
    page: `<canvas id=c width=400 height=300 style="position:absolute;left:0;top:0"></canvas><script>n=[];let d=0;c.onmousedown=(e)=>{d=1;n.push('down '+e.offsetX)};c.onmousemove=(e)=>{if(d)window.moved=1};c.onmouseup=(e)=>{d=0;n.push('up '+e.offsetX)}</script>`,
    call: computer('left_click_drag', { coordinate: [50, 50], end_coordinate: [250, 150] }),
    recorded: ['[n, moved]', [['down 50', 'up 250'], 1]],
  },
  {
    name: 'scrolls what lies at coordinates',
    page: `<div id=d style="position:absolute;left:0;top:0;width:300px;height:200px;overflow:auto"><div style="height:2000px">x</div></div>`,
    call: computer('scroll', { coordinate: [100, 100], scroll_amount: 2 }),
    recorded: ['d.scrollTop', 200],
  },
  {
    name: 'types and presses keys in the focused element',
    page: '<input id=i autofocus>',
    first: [['interact', { action: 'focus', selector: '#i' }], computer('type', { text: 'ab' })],
    call: computer('key', { text: 'Backspace' }),
    recorded: ['i.value', 'a'],
  },
  {
    name: 'returns at once when a text is there already',
    page: '<p>Ready</p>',
    call: wait({ text: 'ready' }, 20_000),
    says: /^text "ready" is visible \(after \d{1,4} ms\)$/,
  },
  {
    name: 'waits for a text to appear',
    page: `<p id=p></p><script>setTimeout(()=>p.textContent='Done now',120)</script>`,
    call: wait({ text: 'Done now' }),
    says: /^text "Done now" is visible \(after \d+ ms\)$/,
  },
  {
    name: 'does not take a hidden text for one that is shown',
    page: '<p hidden>Secret</p>',
    call: wait({ text: 'Secret' }, 1000),
    fails: ['timeout', /\\"Secret\\" was not visible within 1000 ms/],
  },
  ...(
    [
      ['a text', { text: 'Never' }],
      ['an address', { url: '/never' }],
      ['a request', { request: '/never' }],
      ['an expression', { function: 'false' }],
    ] as const
  ).map(([what, condition]) => ({
    name: `waits for ${what} as long as it was told to, and says how long`,
    page: '<script>const from = performance.now(); setInterval(() => { window.lived = performance.now() - from })</script>',
    call: wait(condition, 1000), // a busy machine answers a question to the page within half of it
    fails: ['timeout', /within 1000 ms/] as const,
    recorded: ['lived >= 1000', true] as const,
  })),
  {
    name: 'waits for a text to go',
    page: `<p id=p>Loading</p><script>setTimeout(()=>p.remove(),120)</script>`,
    call: wait({ textGone: 'Loading' }),
    says: /^text "Loading" is gone/,
    recorded: ['document.body.textContent.includes("Loading…")', false],
  },
  {
    name: 'waits for a text in a frame of another site',
    page: `<iframe src="{other}/later"></iframe>`,
    site: { '/later': `<p id=p></p><script>setTimeout(()=>p.textContent='Framed',100)</script>` },
    call: wait({ text: 'Framed' }, 3000),
    says: /is visible/,
  },
  {
    name: 'waits for an element that is shown',
    page: `<div id=d hidden>x</div><script>setTimeout(()=>d.hidden=false,100)</script>`,
    call: wait({ selector: '#d' }),
    says: /^#d is visible/,
  },
  {
    name: 'rejects an invalid selector',
    page: '<p>',
    call: wait({ selector: '##' }),
    fails: ['invalid_argument'],
  },
  {
    name: 'waits for an address',
    page: `<script>setTimeout(()=>history.pushState({},'','/arrived/7'),100)</script>`,
    call: wait({ url: '/arrived/*' }),
    says: /^url http:\/\/127\.0\.0\.1:\d+\/arrived\/7/,
  },
  {
    name: 'waits through a navigation for a text of the next page',
    page: `<script>setTimeout(()=>location='/second',80)</script>`,
    site: {
      '/second': `<p id=p></p><script>setTimeout(()=>p.textContent='Second page',80)</script>`,
    },
    call: wait({ text: 'Second page' }, 4000),
    says: /is visible/,
    recorded: ['location.pathname', '/second'],
  },
  {
    name: 'knows that a page is loaded',
    page: '<p>x',
    call: wait({ loadState: 'load' }, 20_000),
    says: /^page loaded \(after \d{1,4} ms\)$/,
  },
  {
    name: 'waits for the network to be idle and ignores a stream',
    page: `<script>fetch('/stream2');setTimeout(()=>fetch('/late'),100)</script>`,
    site: {
      '/stream2': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n'),
      '/late': (_, response) => setTimeout(() => response.end('x'), 100),
    },
    call: wait({ loadState: 'networkidle' }, 5000),
    says: /^network idle/,
  },
  {
    name: 'waits for a request to be answered',
    page: `<script>setTimeout(()=>fetch('/api/orders?x=1',{method:'POST'}),80)</script>`,
    site: { '/api/orders': (_, response) => response.writeHead(201).end('{}') },
    call: wait({ request: 'POST /api/orders' }),
    says: /^POST http:\/\/127\.0\.0\.1:\d+\/api\/orders\?x=1 201/,
  },
  {
    name: 'waits for a download',
    page: `<a id=a href="/get-file" download>x</a><script>setTimeout(()=>a.click(),50)</script>`,
    site: {
      '/get-file': (_, response) =>
        void response
          .writeHead(200, { 'content-disposition': 'attachment; filename="data-77.csv"' })
          .end('1'),
    },
    call: wait({ download: 'data-77' }, 5000),
    says: /^download d\d+ "data-77[^"]*\.csv" completed/,
  },
  {
    name: 'waits for a console message',
    page: `<script>setTimeout(()=>console.warn('part loaded'),80)</script>`,
    call: wait({ console: 'part loaded' }),
    says: /^console warning "part loaded"/,
  },
  {
    name: 'waits for an expression',
    page: `<script>setTimeout(()=>window.ready=true,80)</script>`,
    call: wait({ function: 'window.ready' }),
    says: /^function is true/,
  },
  {
    name: 'waits for a function',
    page: `<script>setTimeout(()=>window.n=3,80)</script>`,
    call: wait({ function: '() => window.n === 3' }),
    says: /^function is true/,
  },
  {
    name: 'reports the last error that the expression threw',
    page: '<p>',
    call: wait({ function: 'nothing.here' }, 1500),
    fails: ['timeout', /nothing is not defined/],
  },
  {
    name: 'waits for several conditions',
    page: '<p>One</p>',
    call: wait({ text: 'One', selector: 'p' }),
    says: /^text "One" is visible; p is visible/,
  },
  {
    name: 'needs a condition',
    page: '<p>',
    call: ['wait_for', {}],
    fails: ['invalid_argument', /needs a condition/],
  },
];
