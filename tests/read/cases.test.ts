// What an agent sees of pages of every kind: each page stands beside its text.
import { describe, expect, it } from 'vitest';
import { useReader } from './reader.ts';

const reader = useReader();
const { open, read, site } = reader;

describe('A page is read as text with refs', () => {
  it('has headings, plain text, links and fields, each once', async () => {
    await open(`<h1>Sign in</h1><p>Use your <b>work</b> account. See <a href=/help>help</a>.</p>
      <form><label for=u>User</label><input id=u required><label>Password <input type=password value=secret></label>
      <button disabled>Go on</button></form>`);
    expect(await read()).toMatchInlineSnapshot(`
      "# Sign in
      Use your work account. See
      e1 link "help"
      e2 textbox "User" required
      e3 textbox "Password" ="••••••"
      e4 button "Go on" disabled"
    `);
  });

  it('three nested frames of three origins are one tree', async () => {
    const { port } = site;
    site.page('/inner', '<h3>Innermost</h3><button>Deep</button>');
    site.page('/middle', `<h2>Middle</h2><a href=/x>Link</a><iframe title=inner src="http://b.localhost:${port}/inner"></iframe>`);
    await open(`<h1>Outer</h1><iframe title=middle src="http://a.localhost:${port}/middle"></iframe><p>After</p>`);
    expect(await read()).toMatchInlineSnapshot(`
      "# Outer
      iframe "middle"
       ## Middle
       e5 link "Link"
       iframe "inner"
        ### Innermost
        e6 button "Deep"
      After"
    `);
  });

  it('a closed shadow root in an open one in a frame is seen', async () => {
    const { port } = site;
    site.page('/roots', `<x-open></x-open><script>
      customElements.define('x-closed', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button>Closed button</button><div id=plain></div>'; } });
      customElements.define('x-open', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<h2>Open</h2><x-closed></x-closed>'; } });
      </script>`);
    await open(`<iframe title=roots src="http://c.localhost:${port}/roots"></iframe>`);
    expect(await read()).toMatchInlineSnapshot(`
      "iframe "roots"
       ## Open
       e7 button "Closed button""
    `);
  });
});
