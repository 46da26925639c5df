// Elements between the page and the host: refs lead to a frame and a number there, and what a page
// describes gets its ref.
import type { ActedElement } from '../../page/act/act-answers.ts';
import { type ElementPlace, requirePlace, resolveRef } from '../read/resolve-ref.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import type { TargetName } from './receipt.ts';

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
  `${ref ? `${ref} ` : ''}${role}${name === '' ? '' : ` ${JSON.stringify(name)}`}`;

/** Where the element of a ref stands, and the check that it is still what it was. */
export interface RefPlace extends ElementPlace {
  /** Rejects with `stale_ref`; may be awaited while other questions are under way. */
  readonly check: () => Promise<void>;
}

export const requireElementPlace = async (
  tab: Tab,
  ref: string,
  signal: AbortSignal,
): Promise<RefPlace> => {
  const place = await requirePlace(tab, ref, signal);
  if (place.kind === 'range')
    // says that it is no element
    return { ...(await resolveRef(tab, ref, signal)), check: async () => {} };
  return {
    ...place,
    check: async () => {
      await resolveRef(tab, ref, signal);
    },
  };
};
