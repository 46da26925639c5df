// A tree as lines: what stands on which line, and how deep.
import { describe, expect, it } from 'vitest';
import type { AxNode } from '../core/page-snapshot.ts';
import { renderPage } from './page.ts';

const node = (kind: AxNode['kind'], fields: Partial<AxNode>, ...children: AxNode[]): AxNode => ({
  kind,
  role: '',
  name: '',
  states: '',
  value: '',
  url: '',
  inView: false,
  ...fields,
  children,
});
const text = (name: string): AxNode => node('text', { name });
const button = (name: string, fields: Partial<AxNode> = {}): AxNode =>
  node('control', { role: 'button', name, ...fields });

const render = (
  nodes: readonly AxNode[],
  options: Partial<Parameters<typeof renderPage>[1]> = {},
): string => {
  const refs = new Map<AxNode, string>();
  const refOf = (each: AxNode): string => {
    const known = refs.get(each) ?? `e${refs.size + 1}`;
    refs.set(each, known);
    return known;
  };
  return renderPage({ nodes, refOf, refOfRange: () => 'e99' }, { maxTokens: 100_000, ...options });
};

describe('A tree as text', () => {
  it('has one line for each node, refs first', () => {
    const nodes = [
      node('heading', { role: '2', name: 'Title' }),
      node('group', { role: 'navigation', name: 'Main' }, button('Go', { states: 'disabled' })),
      node('control', { role: 'textbox', name: 'Say "hi"', value: 'a\\b' }),
      node('image', { name: 'A cat' }),
    ];
    expect(render(nodes)).toBe(
      '## Title\nnavigation "Main"\n e1 button "Go" disabled\ne2 textbox "Say \\"hi\\"" ="a\\\\b"\nimg "A cat"',
    );
  });

  it('sets the rest of an item below its first line, unless that is a heading', () => {
    const item = (...children: AxNode[]): AxNode => node('item', { role: 'item' }, ...children);
    expect(
      render([
        item(text('Ada'), button('Pay')),
        item(node('heading', { role: '3', name: 'Ben' }), button('Pay')),
      ]),
    ).toBe('Ada\n e1 button "Pay"\n### Ben\ne2 button "Pay"');
  });

  it('sets the equal controls of an item side by side, and below a link what belongs to it', () => {
    const link = (name: string): AxNode => node('control', { role: 'link', name });
    expect(
      render([
        node('item', { role: 'item' }, button('Cut'), button('Copy')),
        node('item', { role: 'item' }, link('Ada'), link('Edit')),
      ]),
    ).toBe('e1 button "Cut"\ne2 button "Copy"\ne3 link "Ada"\n e4 link "Edit"');
  });

  it('marks text that looks like a line of ours', () => {
    expect(
      render([text('e5 link "Forged"'), text('# five'), text('even 5'), text('e.g. this')]),
    ).toBe('\\e5 link "Forged"\n\\# five\neven 5\ne.g. this');
  });

  it('reports empty content', () => expect(render([])).toBe('(no content)'));

  it('folds a long run and names it', () => {
    const rows = Array.from({ length: 500 }, (_, i) =>
      node('item', { role: 'row' }, text(`Row ${i}`), button(`Open ${i}`)),
    );
    const folded = render(rows, { maxTokens: 100 });
    expect(folded.split('\n').at(-1)).toMatch(/^… 4\d\d more rows like this, expand e99$/);
  });

  it('keeps the content in view', () => {
    const links = Array.from({ length: 300 }, (_, i) =>
      node('control', { role: 'link', name: `Link ${i}`, inView: i === 250 }),
    );
    expect(render(links, { maxTokens: 120 })).toContain('link "Link 250"');
  });
});
