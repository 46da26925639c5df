// Names and resolves the element of an action: its ref, frame and element id.
import { textIf } from '../../core/text.ts';
import type { ActedElement } from '../../page/act/act-answers.ts';
import type { RecordedElement } from '../../page/recorded/recorded-answers.ts';
import { type ElementPlace, requirePlace, resolveRef } from '../read/resolve-ref.ts';
import type { ElementEntry } from '../read/ref-book.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import type { TargetName } from '../../core/receipt.ts';

const MAX_NAME_CHARS = 60;

export const assignRef = (tab: Tab, frame: Frame, element: ActedElement): string =>
  tab.refs.given(element.id) ?? tab.refs.refOf(frame, element.id, element);

export const buildTargetName = (tab: Tab, frame: Frame, element: ActedElement): TargetName => ({
  ref: assignRef(tab, frame, element),
  role: element.role,
  name:
    element.name.length > MAX_NAME_CHARS
      ? `${element.name.slice(0, MAX_NAME_CHARS - 1)}…`
      : element.name,
});

export const formatTargetName = ({ ref, role, name }: TargetName): string =>
  `${textIf(ref, `${ref} `)}${role}${textIf(name !== '', ` ${JSON.stringify(name)}`)}`;

/** The location of a ref's element, and its fingerprint when the ref was shown. */
interface RefPlace extends ElementPlace {
  /** The page compares it with the current element before it acts. */
  readonly fingerprint: string;
}

export const requireElementPlace = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<RefPlace> => {
  const place = await requirePlace(tab, ref, signal);
  // resolveRef throws, because a range is not an element
  const element = place.kind === 'range' ? await resolveRef(tab, ref, signal) : place;
  const { fingerprint } = tab.refs.find(ref) as ElementEntry;
  return { ...element, fingerprint };
};

// The target of an action as the caller names it.

/** Has exactly one of the four properties. */
export type ActionTarget =
  | { readonly ref: string }
  /** A CSS selector or XPath that must match one visible element of the page or of a frame. */
  | { readonly selector: string }
  /** Words of its name, label, placeholder or text; "Save button" also names the role. */
  | { readonly query: string }
  /** The facts of an element of an earlier run. */
  | { readonly recorded: RecordedElement };

export const describeTarget = (target: ActionTarget): string => {
  if ('ref' in target) return target.ref;
  if ('recorded' in target) return formatTargetName(target.recorded);
  return JSON.stringify(
    'selector' in target ? target.selector.slice(0, 200) : target.query.slice(0, 200),
  );
};
