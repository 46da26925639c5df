// Accessible names by category of the accname computation: the expected name, Chrome's name and
// ours are the same.
import { describe, expect, it } from 'vitest';
import { useReader } from './reader.ts';
import { inPage } from '../../src/browser/tabs/in-page.ts';

const reader = useReader();

/** The name, then the markup; the element under test has the attribute `t`. */
type Case = readonly [name: string, html: string];

const STYLE = `<style>
  .inline::before { content: "Nr. " } .block::before { content: "Nr."; display: block }
  .box::before { content: "Nr."; display: inline-block } .after::after { content: " (new)" }
  .alt::before { content: "*" / "required" } .silent::before { content: "*" / "" }
  .mixed::before { content: "*" / "has " attr(data-errors) " errors" }
  .picture::before { content: url(x.png) / "star" } .decoration::before { content: "x " url(x.png) / "" }
  .counter::before { counter-set: part 12; content: "" / counter(part) }
  .counted::before { counter-reset: part 2; counter-increment: part 3; content: "" / "part " counter(part) }
  .shown-counter::before { counter-set: part 12; content: counter(part) ") " }
  .escaped::before { content: "\\201C say \\"hi\\" " } .replaced { content: url(x.png) / "drawn" }
</style>`;

const CATEGORIES: Readonly<Record<string, readonly Case[]>> = {
  'name from content': [
    ['Save all files', '<button t><span>Save</span> <b>all</b> files</button>'],
    ['Saveall', '<button t><span>Save</span><b>all</b></button>'],
    ['Save all files', '<button t>Save<div>all</div>files</button>'],
    ['Save all files', '<h2 t>Save<span style="display: inline-block">all</span>files</h2>'],
    ['Save all', '<button t>Save<span style="display: contents">all</span></button>'],
    ['Save all', '<h2 t>Save<br>all</h2>'],
    ['First Second Third', '<h2 t><table><tr><td>First<td>Second<tr><td>Third</table></h2>'],
    ['Save', '<button t>Save<span hidden> all</span><i aria-hidden=true> now</i></button>'],
    [
      'Save now',
      '<button t>Save <span style="visibility: hidden">all <i style="visibility: visible">now</i></span></button>',
    ],
    ['Save now', '<button t>Save<div style="content-visibility: hidden">all</div>now</button>'],
    ['Word', '<dl><dt t>Word<dd>Meaning</dl>'],
    [
      'photo of Ada',
      '<h2 t><a href=# aria-labelledby=p1>one</a> <a href=#><img id=p1 alt=photo src=data:,> of Ada</a></h2>',
    ],
  ],
  'generated content': [
    ['Nr. 5', '<button t class=inline>5</button>'],
    ['Nr. 5', '<button t class=block>5</button>'],
    ['Nr. 5', '<a t href=# class=box>5</a>'],
    ['Nr. 5 (new)', '<h2 t class="inline after">5</h2>'],
    ['“say "hi" 5', '<button t class=escaped>5</button>'],
    ['required Email', '<button t class=alt>Email</button>'],
    ['Email', '<button t class=silent>Email</button>'],
    ['has 2 errors Email', '<button t class=mixed data-errors=2>Email</button>'],
    ['star Email', '<button t class=picture>Email</button>'],
    ['', '<input t type=radio class=decoration style="appearance: none">'],
    ['12 Email', '<button t class=counter>Email</button>'],
    ['part 5 Email', '<a t href=# class=counted>Email</a>'],
    [') Email', '<button t class=shown-counter>Email</button>'],
    ['drawn', '<h2 t class=replaced>Text</h2>'],
    ['drawn', '<button t><img class=replaced src=data:,></button>'],
  ],
  drawings: [
    ['Disk', '<svg width=9 height=9><a t href=#><title>Disk</title><circle r=4 /></a></svg>'],
    ['Disk', '<svg width=9 height=9><a t href=# xlink:title=Disk><circle r=4 /></a></svg>'],
    [
      'Disk',
      '<svg width=9 height=9><a t xlink:href=# xlink:title=Disk><text>text</text></a></svg>',
    ],
    [
      'Title',
      '<svg width=9 height=9><a t href=# xlink:title=Disk><title>Title</title><circle r=4 /></a></svg>',
    ],
    [
      'Label',
      '<svg width=9 height=9><a t href=# xlink:title=Disk aria-label=Label><circle r=4 /></a></svg>',
    ],
    ['Text', '<svg width=50 height=9><a t href=#><text y=9>Text</text></a></svg>'],
    ['Point', '<svg width=9 height=9><circle t r=4><title>Point</title></circle></svg>'],
    ['Bars', '<svg width=9 height=9><g t><title>Bars</title><rect width=3 height=3 /></g></svg>'],
  ],
  'controls inside a label': [
    [
      'Wait 5 minutes',
      '<label><input t type=checkbox> Wait <input value=5 aria-label=number> minutes</label>',
    ],
    [
      'Wait 5 minutes',
      '<label><input t type=checkbox> Wait <span role=textbox aria-label=number>5</span> minutes</label>',
    ],
    [
      'Wait 5 minutes',
      '<label><input t type=checkbox> Wait <span role=combobox tabindex=0 aria-label=number>5</span> minutes</label>',
    ],
    [
      'Wait 5 minutes',
      '<label for=c1>Wait <button role=combobox aria-label=number>5</button> minutes</label><input t id=c1 type=checkbox>',
    ],
    [
      'Wait 5 minutes',
      '<label for=c2>Wait <select><option>1<option selected>5</select> minutes</label><input t id=c2 type=checkbox>',
    ],
    [
      'Wait 1 5 minutes',
      '<label for=c3>Wait <select multiple><option selected>1<option selected>5</select> minutes</label><input t id=c3>',
    ],
    [
      'Wait 5 minutes',
      '<label for=c4>Wait <i role=listbox aria-label=n><b role=option>1</b><b role=option aria-selected=true>5</b></i> minutes</label><input t id=c4>',
    ],
    [
      'Wait minutes',
      '<label for=c5>Wait <i role=listbox><b role=option>1</b></i> minutes</label><input t id=c5 type=checkbox>',
    ],
    [
      'Wait five minutes',
      '<label><input t type=checkbox> Wait <i role=slider aria-valuenow=5 aria-valuetext=five>x</i> minutes</label>',
    ],
    [
      'Wait 5 minutes',
      '<label><input t type=checkbox> Wait <i role=spinbutton aria-valuenow=5>x</i> minutes</label>',
    ],
    [
      'Wait 5 minutes',
      '<label><input t type=checkbox> Wait <input type=range max=9 value=5> minutes</label>',
    ],
    [
      'Key •••• ok',
      '<label><input t type=checkbox> Key <input type=password value=1234> ok</label>',
    ],
    ['Pick one now', '<h2 t>Pick <span role=combobox aria-label=one>other</span> now</h2>'],
  ],
  'aria-owns': [
    ['Play film', '<button t aria-owns=o1>Play</button><span id=o1>film</span>'],
    ['Play', '<button t aria-owns=o2>Play</button><span id=o2 hidden>film</span>'],
    ['Play', '<button t aria-owns=o3>Play</button><div hidden><span id=o3>film</span></div>'],
    ['Play', '<button t aria-owns=o4>Play</button><span id=o4 aria-hidden=true>film</span>'],
    [
      'Play',
      '<button t aria-owns=o5><span aria-hidden=true><i id=o5>Play</i><i>Pause</i></span></button>',
    ],
    ['Keep', '<h2 t>Keep <span id=o6>this</span></h2><button aria-owns=o6>Own</button>'],
    [
      'Courses',
      '<div role=tree><a t role=treeitem aria-owns=o7>Courses</a></div><ul id=o7 role=group aria-label=Courses hidden></ul>',
    ],
    [
      'File',
      '<div role=menubar><a t role=menuitem aria-owns=o9>File</a></div><ul id=o9 role=menu><li role=menuitem>Open</ul>',
    ],
    ['stay', '<h2 t><i aria-hidden=true aria-owns=o8>x</i><b id=o8>stay</b></h2>'],
  ],
  'aria-actions': [
    [
      'Inbox',
      '<div role=tablist><div t role=tab aria-actions=x1>Inbox <button id=x1>Close</button></div></div>',
    ],
    ['Inbox', '<h2 t aria-actions=x2>Inbox <span><button id=x2>Close</button></span></h2>'],
    [
      'Mail Inbox',
      '<h2 t>Mail <div role=tab aria-actions=x3>Inbox <button id=x3>Close</button></div></h2>',
    ],
  ],
  slots: [
    [
      'From here to there',
      '<div id=s1 data-shadow="From <slot aria-label=no></slot> to there">here</div><button t aria-labelledby=s1></button>',
    ],
    [
      'From here to there',
      '<div id=s2 data-shadow="From <slot aria-label=no>here</slot> to there"></div><button t aria-labelledby=s2></button>',
    ],
  ],
  'native names and titles': [
    ['', '<img t alt="" title=Title src=data:,>'],
    ['Title', '<img t title=Title src=data:,>'],
    ['Title', '<a t href=# title=Title><img alt="" src=data:,></a>'],
    ['Text', '<a t href=# title=Title>Text</a>'],
    ['Title', '<div t role=group title=Title>Text</div>'],
    ['Submit', '<input t type=image alt="">'],
    ['Prices', '<table t summary=Prices><tr><td>1<td>2<tr><td>3<td>4</table>'],
    ['Fruit', '<select><optgroup t label=Fruit><option>Apple</optgroup></select>'],
  ],
};

/** Chrome does not ignore an owner that is hidden, which accname asks for; ours does. */
const OWNER_IS_HIDDEN: Case = ['stay', '<h2 t><i hidden aria-owns=h1>x</i><b id=h1>stay</b></h2>'];

const ATTACH = `<script>for (const host of document.querySelectorAll('[data-shadow]'))
  host.attachShadow({ mode: 'open' }).innerHTML = host.dataset.shadow;</script>`;

const openCases = (cases: readonly Case[]): Promise<void> =>
  reader.open(`${STYLE}${cases.map(([, html]) => `<div>${html}</div>`).join('')}${ATTACH}`);

const oneLine = (text = ''): string => text.replace(/\s+/g, ' ').trim();

const readOurNames = async (): Promise<string[]> => {
  const elements = await reader.tab.frames.main.call(
    inPage.main.select,
    ['[t]', 1000],
    reader.signal,
  );
  return elements.map(({ name }) => oneLine(name));
};

const readChromeNames = async (): Promise<string[]> => {
  const { cdp } = reader.tab;
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: `[...document.querySelectorAll('[t]')]`,
  });
  const { result: items } = await cdp.send('Runtime.getProperties', {
    objectId: result.objectId ?? '',
    ownProperties: true,
  });
  return Promise.all(
    items
      .filter(({ name }) => /^\d+$/.test(name))
      .map(async ({ value }) => {
        const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
          objectId: value?.objectId ?? '',
          fetchRelatives: false,
        });
        return oneLine(nodes[0]?.name?.value as string | undefined);
      }),
  );
};

describe('The accessible name is the one that Chrome computes', () => {
  for (const [category, cases] of Object.entries(CATEGORIES))
    it(`for ${category}`, async () => {
      await openCases(cases);
      const [ours, chrome] = [await readOurNames(), await readChromeNames()];
      const rows = (names: readonly string[]): string[] =>
        cases.map(([, html], i) => `${html} -> "${names[i]}"`);
      const expected = rows(cases.map(([name]) => name));
      expect(rows(chrome)).toEqual(expected);
      expect(rows(ours)).toEqual(expected);
    });

  it('except that a hidden owner owns nothing', async () => {
    await openCases([OWNER_IS_HIDDEN]);
    expect(await readOurNames()).toEqual(['stay']);
  });
});
