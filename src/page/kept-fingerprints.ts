// Keeps the fingerprints of a document between reads until its DOM changes.
import { state } from './state.ts';

/** The attributes that fingerprints contain. */
const ATTRIBUTES = [
  'role',
  'class',
  'id',
  'name',
  'href',
  'alt',
  'aria-label',
  'contenteditable',
  'data-id',
  'data-key',
  'data-test',
  'data-testid',
];

const forget = (): void => {
  state.fingerprints.clear();
  observer.disconnect();
  isObserving = false;
};

// The first change ends the observation, so that it does not slow down a page that changes often.
const observer = new MutationObserver(forget);
let isObserving = false;

/**
 * The fingerprints that are still valid, by element. Fingerprints that are added stay until the
 * document changes. Changes inside shadow roots are not observed.
 */
export const keepFingerprints = (): Map<Element, string> => {
  if (observer.takeRecords().length > 0) forget();
  if (isObserving) return state.fingerprints;
  observer.observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ATTRIBUTES,
  });
  isObserving = true;
  return state.fingerprints;
};
