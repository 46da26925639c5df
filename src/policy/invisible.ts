// Removes characters that people cannot see, except where a script or an emoji needs them.
import { cutToCharacters } from '../core/text.ts';

/**
 * All characters that are checked: controls except tab and line ends, soft hyphen, joiners,
 * direction marks and controls, fillers, variation selectors, invisible operators, annotations,
 * tags. Written in UTF-16 units, which is several times as fast.
 */
const SUSPECT =
  // oxlint-disable-next-line no-control-regex no-misleading-character-class
  /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB]|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|\uDB40[\uDC00-\uDFFF]/g;

/** Scripts in which a joiner changes the form of letters. */
const JOINING =
  /\p{Script_Extensions=Arabic}|\p{Script_Extensions=Syriac}|\p{Script_Extensions=Mandaic}|\p{Script_Extensions=Nko}|\p{Script_Extensions=Mongolian}|\p{Script_Extensions=Devanagari}|\p{Script_Extensions=Bengali}|\p{Script_Extensions=Gurmukhi}|\p{Script_Extensions=Gujarati}|\p{Script_Extensions=Oriya}|\p{Script_Extensions=Tamil}|\p{Script_Extensions=Telugu}|\p{Script_Extensions=Kannada}|\p{Script_Extensions=Malayalam}|\p{Script_Extensions=Sinhala}|\p{Script_Extensions=Khmer}|\p{Script_Extensions=Myanmar}|\p{Script_Extensions=Tibetan}/u;
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

/** Whether a script or an emoji needs the character at this position. */
const isNeeded = (found: string, text: string, at: number): boolean => {
  const code = found.codePointAt(0) ?? 0;
  const before = characterBefore(text, at);
  const after = characterAt(text, at + found.length);
  const nextTo = (script: RegExp): boolean => script.test(before) || script.test(after);
  if (code === 0x200d)
    return (EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) || nextTo(JOINING);
  if (code === 0x200c) return nextTo(JOINING);
  if (code === 0x200b) return nextTo(UNSPACED);
  if (code === 0x200e || code === 0x200f || code === 0x061c)
    return RIGHT_TO_LEFT.test(lineAround(text, at));
  if (code === 0xfe0f || code === 0xfe0e) return TAKES_EMOJI_STYLE.test(before);
  if (code >= 0xfe00 && code <= 0xfe0d) return TAKES_VARIANT.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return IDEOGRAPH.test(before);
  if (code >= 0x180b && code <= 0x180f) return nextTo(MONGOLIAN);
  if (code === 0x115f || code === 0x1160) return nextTo(JAMO);
  if (code === 0x17b4 || code === 0x17b5) return KHMER.test(before);
  return code === 0x034f && /\p{M}|\p{L}/u.test(before) && /\p{M}/u.test(after);
};

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
  return `${before.slice(before.lastIndexOf('\n') + 1)}${after.split('\n', 1)[0] ?? ''}`;
};
