// What tells an element from others that are called the same: the words around it in its row, card or list item.
import type { WalkedNode } from './decode.ts';
import type { Fingerprint } from './ref-book.ts';

const MAX_CONTEXT_CHARS = 200;
const MAX_CONTEXT_NODES = 40;
const MAX_CLIMB = 6;

/** The item that a node stands in: a row, a list item, a card. */
const itemOf = (node: WalkedNode): WalkedNode | undefined => {
  let at = node.parent;
  for (let i = 0; at && i < MAX_CLIMB; i++, at = at.parent) if (at.kind === 'item') return at;
  return undefined;
};

/** The words of a node's item, without those of the node itself. */
export const contextOf = (node: WalkedNode): string => {
  const item = itemOf(node);
  if (!item) return '';
  const words: string[] = [];
  let left = MAX_CONTEXT_NODES;
  let chars = 0;
  const visit = (at: WalkedNode): void => {
    if (at === node || left-- <= 0 || chars > MAX_CONTEXT_CHARS) return;
    if (at.name !== '') {
      words.push(at.name);
      chars += at.name.length;
    }
    for (const child of at.children) visit(child);
  };
  for (const child of item.children) visit(child);
  return words.join(' ').slice(0, MAX_CONTEXT_CHARS);
};

/** So many neighbours of one role are a list, which a page may fill anew; fewer are a toolbar. */
const LIST_LENGTH = 10;

/** Whether the node stands in a row, card or list item, or is itself one of a long list. */
const isRepeated = (node: WalkedNode): boolean => {
  if (itemOf(node)) return true;
  const { siblings } = node;
  if (siblings.length < LIST_LENGTH) return false;
  const at = siblings.indexOf(node);
  const around = siblings.slice(Math.max(0, at - LIST_LENGTH), at + LIST_LENGTH + 1);
  return around.filter(({ role }) => role === node.role).length >= LIST_LENGTH;
};

export const fingerprintOf = (node: WalkedNode): Fingerprint => ({
  role: node.role,
  name: node.name,
  key: node.key,
  context: contextOf(node),
  repeated: isRepeated(node),
});

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().split(/\s+/).filter(Boolean));

/** Whether two contexts are of the same item, some of whose words may have changed. */
export const isSameContext = (before: string, now: string): boolean => {
  if (before === now) return true;
  const a = wordsOf(before);
  const b = wordsOf(now);
  if (a.size === 0 || b.size === 0) return false;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / Math.max(a.size, b.size) >= 0.6;
};

/** Whether an element that still exists is still what its ref stood for. */
export const isStill = (before: Fingerprint, now: Fingerprint): boolean => {
  if (before.role !== now.role) return false;
  const sameContext = isSameContext(before.context, now.context);
  if (before.name === now.name) return before.context === '' || sameContext;
  // A button that changes its words is the same button, unless it is one of many that a page may fill anew.
  if (!before.repeated) return true;
  return before.context !== '' && sameContext;
};
