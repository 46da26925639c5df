// The text form of a fingerprint, and the rule that compares two. No DOM types: used by both sides.

const ROW_PLACES = new Set<string>(['row', 'button in row']);
const LIST_PLACES = new Set<string>(['list', 'row']);

/**
 * The position of the element: a button or another element in a row, card or list item that has
 * other words; an entry of a list without other words; or none of these.
 */
export type FingerprintPlace = 'button in row' | 'row' | 'list' | 'none';

/** Hashes of the parts of a fingerprint; '' if the element has no such part. */
export interface FingerprintParts {
  readonly place: FingerprintPlace;
  /** The role attribute and the words of the element itself. */
  readonly own: string;
  /**
   * The ids of the element and of its row, and the words of the row; numbers count in its first
   * text only.
   */
  readonly fixed: string;
  /** The numbers in the row. They may change (counters, times) while the row stays the same. */
  readonly numbers: string;
  /** The words of the rows before and after the row. */
  readonly rows: string;
  /** The words of the previous and the next sibling that have the same tag. */
  readonly siblings: string;
}

const SEPARATOR = '.';
/** One letter each, because a fingerprint is sent for every control of a read. */
const LETTERS = { 'button in row': 'b', row: 'r', list: 'l', none: '' } as const satisfies Record<
  FingerprintPlace,
  string
>;

export const formatFingerprint = ({
  place,
  own,
  fixed,
  numbers,
  rows,
  siblings,
}: FingerprintParts): string => `${LETTERS[place]}.${own}.${fixed}.${numbers}.${rows}.${siblings}`;

const parseFingerprint = (text: string): FingerprintParts => {
  const [letter, own = '', fixed = '', numbers = '', rows = '', siblings = ''] =
    text.split(SEPARATOR);
  const place =
    (Object.keys(LETTERS) as FingerprintPlace[]).find((name) => LETTERS[name] === letter) ?? 'none';
  return { place, own, fixed, numbers, rows, siblings };
};

/**
 * Whether an element that still exists is the one that was fingerprinted before, not another entry
 * in the same place. In doubt false: the caller then reads again.
 */
export const isSameElement = (before: string, now: string): boolean => {
  if (before === now) return true;
  const was = parseFingerprint(before);
  const is = parseFingerprint(now);
  if (was.own !== is.own) return isSameButton(was, is);
  if (!isRow(was.place)) return isRow(is.place) || was.fixed === is.fixed;
  // If a list was refilled, the neighbouring rows differ too.
  return was.fixed === is.fixed && (was.numbers === is.numbers || was.rows === is.rows);
};

const isRow = (place: FingerprintPlace): boolean => ROW_PLACES.has(place);

/**
 * A button may change its words if nothing around it changes. A link in a row or an entry of a list
 * may not.
 */
const isSameButton = (was: FingerprintParts, is: FingerprintParts): boolean => {
  if (LIST_PLACES.has(was.place) || was.place !== is.place) return false;
  return (
    was.fixed === is.fixed &&
    was.numbers === is.numbers &&
    was.rows === is.rows &&
    was.siblings === is.siblings
  );
};

/** Whether two elements are in rows that have the same words. */
export const isSameRow = (a: string, b: string): boolean => {
  const [one, other] = [parseFingerprint(a), parseFingerprint(b)];
  return one.fixed === other.fixed && one.numbers === other.numbers;
};

/** Whether the element is in a row, card or list item that has other words. */
export const isInRow = (fingerprint: string): boolean => isRow(parseFingerprint(fingerprint).place);
