// Describes an element by its role and name, or by its tag and text.
import {
  activeElement,
  attribute,
  attributeText,
  localName,
  pageBody,
  pageRoot,
} from '../safe-dom.ts';
import { computeFingerprint } from '../fingerprint.ts';
import { assignId, state } from '../state.ts';
import { Labels } from '../element-relations.ts';
import { type NameCache, computeName } from '../names.ts';
import { CONTROL_ROLES, computeRole } from '../roles.ts';
import { GeneratedContent } from '../style.ts';
import { shortLine, textIf } from '../visible-text.ts';
import type { ActedElement } from './act-answers.ts';

const MAX_NAME_CHARS = 200;
const MAX_HINT_CHARS = 40;

export const createKnown = (): NameCache => ({
  generated: new GeneratedContent(),
  labels: new Labels(),
});

/** The accessible name. */
export const nameText = (element: Element, known: NameCache = createKnown()): string => {
  const tag = localName(element);
  return computeName(element, tag, computeRole(element, tag), known).text;
};

export const describe = (element: Element, known: NameCache = createKnown()): ActedElement => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  const name =
    computeName(element, tag, role, known).text ||
    (CONTROL_ROLES.has(role) ? '' : buildHint(element));
  return {
    id: assignId(element),
    document: state.document,
    role: role || tag,
    name: shortLine(name, MAX_NAME_CHARS),
    ...computeFingerprint(element),
  };
};

/** Identifies an element without a name: its text, else its id, else its first class. */
const buildHint = (element: Element): string => {
  const text = shortLine(element.textContent.slice(0, 400), MAX_HINT_CHARS);
  if (text !== '') return text;
  const id = attribute(element, 'id');
  if (id) return `#${id}`;
  const [first] = attributeText(element, 'class').trim().split(/\s+/);
  return textIf(first, `.${first}`);
};

/** The focused element, also inside shadow roots; undefined for the body and the root element. */
export const focusedElement = (
  deeper: (element: Element) => ShadowRoot | null,
): Element | undefined => {
  let active = activeElement();
  while (active) {
    const inner: Element | null = deeper(active)?.activeElement ?? null;
    if (!inner) break;
    active = inner;
  }
  return active && active !== pageBody() && active !== pageRoot() ? active : undefined;
};
