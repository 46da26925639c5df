// A page as little as it can be: each visible text once and each interactive element with a short
// number, from Chrome's own accessibility tree.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export const INTERACTIVE = new Set(
  'link button textbox searchbox combobox listbox checkbox radio slider spinbutton switch menuitem menuitemcheckbox menuitemradio tab treeitem DisclosureTriangle ColorWell Date DateTime InputTime'.split(
    ' ',
  ),
);
/** Their inner parts belong to Chrome, not to the page. */
const WHOLE = /^(?:Date|DateTime|InputTime|ColorWell)$/;

/** o200k; text that looks like a special token counts as text. */
export const tokens = (text) => countTokens(text, { disallowedSpecial: new Set() });

/** The accessibility trees of every frame, those of other processes included. */
export const fullTrees = async (sessions) => {
  const ofSession = async (send) => {
    const { frameTree } = await send('Page.getFrameTree');
    const framesOf = ({ frame, childFrames = [] }) => [frame.id, ...childFrames.flatMap(framesOf)];
    // A frame of another process is named here too, and answers in its own session.
    const trees = await Promise.all(
      framesOf(frameTree).map((frameId) =>
        send('Accessibility.getFullAXTree', { frameId }).catch(() => ({ nodes: [] })),
      ),
    );
    return trees.map(({ nodes }) => nodes);
  };
  // A frame that went away with the page before is not a frame of this one.
  return (await Promise.all(sessions.map((send) => ofSession(send).catch(() => [])))).flat();
};

/** Icons of a font are characters without meaning: no text. */
const readable = (name = '') => name.replace(/\p{Co}/gu, '').trim();

/**
 * Of the trees: the visible text, the interactive elements by role and name, and the outline that
 * holds both.
 */
export const outlineOf = (trees) => {
  const text = [];
  const elements = [];
  const lines = [];
  const visit = (node, byId, isNamed) => {
    if (!node) return;
    const role = node.role?.value;
    const name = readable(node.name?.value);
    let isNamedInside = isNamed;
    if (!node.ignored) {
      if (role === 'StaticText') {
        if (name) text.push(name);
        if (name && !isNamed) lines.push(name);
        return;
      }
      if (INTERACTIVE.has(role)) {
        elements.push({ role, name });
        const value = node.value?.value;
        lines.push(
          `[${elements.length}${role === 'link' ? '' : ` ${role}`}] ${name}${value ? `=${value}` : ''}`,
        );
        isNamedInside = name !== '';
      } else if (role === 'heading') {
        lines.push(`# ${name}`);
        isNamedInside = true;
      }
    }
    if (WHOLE.test(role)) return;
    for (const id of node.childIds ?? []) visit(byId.get(id), byId, isNamedInside);
  };
  for (const nodes of trees)
    visit(nodes[0], new Map(nodes.map((node) => [node.nodeId, node])), false);
  return { text: text.join('\n'), elements, outline: lines.join('\n') };
};

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);

/** The page's different words that a text does not hold. */
export const missingWords = (page, text) => {
  const held = wordsOf(text);
  const lower = text.toLowerCase();
  return [...wordsOf(page)].filter((word) => !held.has(word) && !lower.includes(word));
};

export const wordShare = (page, text) =>
  1 - missingWords(page, text).length / Math.max(1, wordsOf(page).size);

const countByRole = (elements) => {
  const counts = new Map();
  for (const { role } of elements) counts.set(role, (counts.get(role) ?? 0) + 1);
  return counts;
};

/** What carries a ref in what we read, by role and name. */
export const elementsRead = (text) =>
  [...text.matchAll(/^\s*((?:f\d+)?e\d+) ([\w-]+)(?: "((?:[^"\\]|\\.)*)")?/gm)].map(
    ([, ref, role, name = '']) => ({
      ref,
      role,
      name: name.replace(/\\(.)/g, '$1'),
    }),
  );

/** How many of each role have no ref: a list of [role, count]. */
export const missingElements = (page, read) => {
  const held = countByRole(read);
  return [...countByRole(page)]
    .map(([role, count]) => [role, count - (held.get(role) ?? 0)])
    .filter(([, count]) => count > 0);
};

/** The share of the interactive elements that have a ref; one of another role does not stand in. */
export const elementShare = (page, read) => {
  const missing = missingElements(page, read).reduce((sum, [, count]) => sum + count, 0);
  return 1 - missing / Math.max(1, page.length);
};
