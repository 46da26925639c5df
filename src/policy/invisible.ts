// Removes characters that people cannot see, except where a script or an emoji needs them.
import { cutToCharacters, textBefore } from '../core/text.ts';

/**
 * All characters that are checked: controls except tab and line ends, soft hyphen, joiners,
 * direction marks and controls, fillers, variation selectors, invisible operators, annotations,
 * tags. Written in UTF-16 units, which is several times as fast.
 */
const SUSPECT = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u034F\u061C`,
    String.raw`\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F`,
    String.raw`\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]`,
    String.raw`|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|\uDB40[\uDC00-\uDFFF]`,
  ].join(''),
  'g',
);

/** Scripts in which a joiner changes the form of letters. */
const JOINING = new RegExp(
  (
    'Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu ' +
    'Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
  )
    .split(' ')
    .map((script) => `\\p{Script_Extensions=${script}}`)
    .join('|'),
  'u',
);
/** Scripts without spaces between words, which use invisible characters for line breaks. */
const UNSPACED =
  /\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}|\p{Script=Tibetan}/u;
const RIGHT_TO_LEFT =
  /[\u0590-\u061B\u061D-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]|\uD802|\uD803|\uD83A|\uD83B/;
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const TAKES_EMOJI_STYLE = /(?:\p{Emoji}|\p{S})$/u;
const TAKES_VARIANT = /(?:\p{S}|\p{Lo}|\p{Script=Phags_Pa})$/u;
const IDEOGRAPH = /\p{Script=Han}$/u;
const MONGOLIAN = /\p{Script=Mongolian}/u;
const JAMO = /[\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB]/;
const KHMER = /\p{Script=Khmer}/u;
/** Flags of regions (Scotland): a black flag, invisible tag letters, and an end tag. */
const REGION_FLAG = /\uD83C\uDFF4(?:\uDB40[\uDC30-\uDC39\uDC61-\uDC7A]){1,6}\uDB40\uDC7F/g;

/** Maximum distance between a direction mark and a right-to-left letter. */
const NEAR_CHARS = 40;

interface Cleaned {
  readonly text: string;
  readonly removed: number;
}

/** Removes the invisible characters; returns the same string if there are none. */
export const removeInvisible = (text: string): Cleaned => {
  const whole = cutToCharacters(text);
  const halves = text.length - whole.length;
  SUSPECT.lastIndex = 0;
  if (!SUSPECT.test(whole)) return { text: whole, removed: halves };
  const isInFlag = createFlagTest(whole);
  let removed = 0;
  const clean = whole.replace(SUSPECT, (found: string, at: number) => {
    if (isNeeded(found, whole, at) || isInFlag(at)) return found;
    removed++;
    return '';
  });
  return { text: clean, removed: removed + halves };
};

/**
 * Whether a position is inside a region flag. Call it with ascending positions only: it skips flags
 * that end before the position.
 */
const createFlagTest = (text: string): ((at: number) => boolean) => {
  if (!text.includes('\uD83C\uDFF4\uDB40')) return () => false;
  const flags = text.matchAll(REGION_FLAG);
  let [start, end] = [-1, -1];
  return (at) => {
    while (end <= at) {
      const { done, value } = flags.next();
      [start, end] = done ? [Infinity, Infinity] : [value.index, value.index + value[0].length];
    }
    return at > start;
  };
};

/** The neighbours of an invisible character. */
interface Neighbours {
  readonly before: string;
  readonly after: string;
  readonly line: () => string;
}

const isNextTo =
  (script: RegExp) =>
  ({ before, after }: Neighbours): boolean =>
    script.test(before) || script.test(after);
const isAfter =
  (script: RegExp) =>
  ({ before }: Neighbours): boolean =>
    script.test(before);
const joinsEmoji = ({ before, after }: Neighbours): boolean =>
  EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after);
const joinsLetters = isNextTo(JOINING);
const marksDirection = ({ line }: Neighbours): boolean => RIGHT_TO_LEFT.test(line());

/** Where a script or an emoji needs a character, by ranges of code points. */
const NEEDS: readonly (readonly [number, number, (place: Neighbours) => boolean])[] = [
  [0x200d, 0x200d, (place) => joinsEmoji(place) || joinsLetters(place)],
  [0x200c, 0x200c, joinsLetters],
  [0x200b, 0x200b, isNextTo(UNSPACED)],
  [0x200e, 0x200f, marksDirection],
  [0x061c, 0x061c, marksDirection],
  [0xfe0e, 0xfe0f, isAfter(TAKES_EMOJI_STYLE)],
  [0xfe00, 0xfe0d, isAfter(TAKES_VARIANT)],
  [0xe0100, 0xe01ef, isAfter(IDEOGRAPH)],
  [0x180b, 0x180f, isNextTo(MONGOLIAN)],
  [0x115f, 0x1160, isNextTo(JAMO)],
  [0x17b4, 0x17b5, isAfter(KHMER)],
  [0x034f, 0x034f, ({ before, after }) => /\p{M}|\p{L}/u.test(before) && /\p{M}/u.test(after)],
];

/** Whether a script or an emoji needs the character at this position. */
const isNeeded = (found: string, text: string, at: number): boolean => {
  const code = found.codePointAt(0) ?? 0;
  const [, , isMet] = NEEDS.find(([first, last]) => code >= first && code <= last) ?? NEVER;
  return isMet({
    before: characterBefore(text, at),
    after: characterAt(text, at + found.length),
    line: () => lineAround(text, at),
  });
};
const NEVER = [0, 0, () => false] as const;

const characterBefore = (text: string, at: number): string => {
  const low = text.charCodeAt(at - 1);
  return text.slice(low >= 0xdc00 && low <= 0xdfff ? at - 2 : Math.max(0, at - 1), at);
};

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const lineAround = (text: string, at: number): string => {
  const before = text.slice(Math.max(0, at - NEAR_CHARS), at);
  const after = text.slice(at + 1, at + 1 + NEAR_CHARS);
  return `${before.slice(before.lastIndexOf('\n') + 1)}${textBefore(after, '\n')}`;
};
