// Compares the value of a field with the wanted value, tolerant of the field's own formatting.
// Pure.
import { textAt } from '../../core/text.ts';
import type { FieldKind, FieldValue } from '../../page/act/act-answers.ts';

/** A value that a caller may enter into a field. */
export type WantedValue = string | number | boolean | readonly string[];

export const toTexts = (wanted: WantedValue): string[] =>
  Array.isArray(wanted) ? (wanted as readonly string[]).map(String) : [String(wanted)];

export const joinTexts = (wanted: WantedValue): string => toTexts(wanted).join(', ');

/** Parses an on/off value; undefined if the text is not one of the known words. */
export const parseSwitch = (wanted: WantedValue): boolean | undefined => {
  if (typeof wanted === 'boolean') return wanted;
  if (/^(?:true|on|yes|checked|1)$/i.test(joinTexts(wanted))) return true;
  if (/^(?:false|off|no|unchecked|0)$/i.test(joinTexts(wanted))) return false;
  return undefined;
};

const oneSpace = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Letters and digits only, so that "(020) 7946-0000" equals "020 7946 0000". */
const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const sameText = (wanted: string, held: string): boolean => {
  if (held === wanted || oneSpace(held) === oneSpace(wanted)) return true;
  // A field may format the text that was typed.
  return bare(wanted) !== '' && bare(held) === bare(wanted);
};

const sameMoment = (wanted: string, held: string): boolean => {
  const plain = (text: string): string =>
    text
      .trim()
      .replace(' ', 'T')
      .replace(/(T?\d\d:\d\d):00(?:\.0+)?$/, '$1')
      .toUpperCase();
  return plain(wanted) === plain(held);
};

const sameSet = (wanted: readonly string[], held: readonly string[]): boolean => {
  const plain = (texts: readonly string[]): string =>
    [...texts]
      .map((text) => oneSpace(text).toLowerCase())
      .sort()
      .join('\n');
  return plain(wanted) === plain(held);
};

/** An option matches by its label or by its value. */
const sameOptions = (wanted: readonly string[], held: readonly string[]): boolean => {
  const options = held.map((option) => option.split('\0'));
  const isHeld = (text: string): boolean =>
    options.some(
      ([label = '', value]) =>
        oneSpace(label).toLowerCase() === oneSpace(text).toLowerCase() || value === text,
    );
  return wanted.length === held.length && wanted.every(isHeld);
};

/** The part of a path after the last slash or backslash. */
const fileName = (path: string): string => textAt(path.split(/[\\/]/), -1);

export const isSameValue = (kind: FieldKind, wanted: WantedValue, held: FieldValue): boolean => {
  if (typeof held === 'boolean') return held === parseSwitch(wanted);
  const texts = toTexts(wanted);
  const text = joinTexts(wanted);
  if (typeof held !== 'string')
    return kind === 'file' ? sameSet(texts.map(fileName), held) : sameOptions(texts, held);
  return (COMPARISONS[kind] ?? sameText)(text, held);
};

const sameNumber = (text: string, held: string): boolean =>
  text === held || (text !== '' && held !== '' && Number(text) === Number(held));

/** The value format of each field kind, for hints after a rejected value. */
export const FORMATS: Partial<Readonly<Record<FieldKind, string>>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  color: '#rrggbb, #rgb or a colour name',
  number: 'a number, with a point for decimals',
  range: 'a number within its limits and steps',
};

const COMPARISONS: Partial<Record<FieldKind, (text: string, held: string) => boolean>> = {
  number: sameNumber,
  range: sameNumber,
  'aria-range': sameNumber,
  date: sameMoment,
  time: sameMoment,
  'datetime-local': sameMoment,
  month: sameMoment,
  week: sameMoment,
  color: (text, held) => held.toLowerCase() === text.trim().toLowerCase(),
  'aria-choice': (text, held) =>
    oneSpace(held).toLowerCase().includes(oneSpace(text).toLowerCase()),
};
