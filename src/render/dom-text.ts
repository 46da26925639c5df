// Renders the element tree: one line per element, beginning with its ref.

import { textIf } from '../core/text.ts';

export interface OutlineNodeData {
  readonly label: string;
  readonly text?: string;
  readonly ref?: string;
  readonly note?: string;
  readonly folded?: string;
  readonly children: readonly OutlineNodeData[];
}

export const renderDom = (root: OutlineNodeData): string => {
  const lines: string[] = [];
  const visit = (node: OutlineNodeData, depth: number): void => {
    lines.push(' '.repeat(Math.min(depth, 30)) + formatLine(node));
    for (const child of node.children) visit(child, depth + 1);
  };
  visit(root, 0);
  return lines.join('\n');
};

const formatLine = ({ label, text, ref = '', note, folded }: OutlineNodeData): string => {
  // A fold is not an element: its ref is the argument to expand it.
  if (label.startsWith('…')) return ref === '' ? label : `${label}, expand ${ref}`;
  const quoted = textIf(text !== undefined, `"${text?.replace(/["\\]/g, '\\$&')}"`);
  return [ref, label, quoted, textIf(note, `(${note})`), textIf(folded, `… ${folded}`)]
    .filter((part) => part !== '')
    .join(' ');
};
