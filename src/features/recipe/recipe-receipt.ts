// The receipts of recorded and repeated actions: read from a line or from data, and compared. Pure.
import { compact, defined } from '../../core/defined.ts';
import { getField, isRecord, isUnknownArray } from '../../core/json.ts';
import { parseUrl, quoteText } from '../../core/text.ts';
import type { RecipeReceipt } from '../../store/recipes/recipe-schema.ts';

/** A longer line was cut by the journal, so that effects may be missing. */
const MAX_LINE_CHARS = 159;

const DIALOG = /^(alert|confirm|prompt|beforeunload) dialog /;

/** The effects in the line of a receipt; undefined if the line is not complete. */
export const parseReceiptLine = (line: string): RecipeReceipt | undefined => {
  if (line.length > MAX_LINE_CHARS || line.includes('…')) return undefined;
  const [, ...effects] = splitPhrases(line);
  const url = effects.find((effect) => effect.startsWith('url -> '));
  const dialog = effects.map((effect) => DIALOG.exec(effect)?.[1]).find(Boolean);
  const has = (test: (effect: string) => boolean): boolean => effects.some(test);
  return defined({
    url: url && formatPath(url.slice('url -> '.length).split(' ', 1)[0] ?? ''),
    dialog,
    ...compact({
      newTab: has((effect) => effect.startsWith('new tab ')),
      download: has((effect) => effect.startsWith('download ')),
      closed: has((effect) => effect === 'the tab closed'),
      problem: has((effect) => effect.includes(' rejected: ') || effect.includes(' failed: ')),
    }),
  });
};

/** Splits at `; ` outside of quoted texts. */
const splitPhrases = (line: string): string[] => {
  const phrases: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === ';' && !isQuoted) {
      phrases.push(line.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...phrases, line.slice(start).trim()];
};

const hasItems = (value: unknown): boolean => isUnknownArray(value) && value.length > 0;

/** The effects in the data of an action. */
export const readReceipt = (data: unknown): RecipeReceipt => {
  const effects = getField(getField(data, 'receipt'), 'effects');
  const [url, requests] = [getField(effects, 'url'), getField(effects, 'requests')];
  const answered = getField(effects, 'answered');
  const dialog =
    getField(effects, 'dialog') ?? (isUnknownArray(answered) ? answered[0] : undefined);
  return defined({
    url: isRecord(url) ? formatPath(String(url['to'])) : undefined,
    dialog: isRecord(dialog) ? String(dialog['kind']) : undefined,
    ...compact({
      newTab: hasItems(getField(effects, 'newTabs')),
      download: hasItems(getField(effects, 'downloads')),
      closed: getField(effects, 'tabClosed') === true,
      problem: hasItems(getField(effects, 'invalid')) || hasItems(getField(requests, 'failed')),
    }),
  });
};

/** Parts of a path that differ between two runs: numbers, and long texts with digits. */
const isId = (part: string): boolean =>
  /^\d+$/.test(part) || (part.length >= 8 && /\d/.test(part) && /^[\w-]+$/.test(part));

/** The path of an address, with `*` instead of ids. */
const formatPath = (address: string): string => {
  const path = parseUrl(address)?.pathname ?? address.split(/[?#]/, 1)[0] ?? '';
  return path
    .split('/')
    .map((part) => (isId(part) ? '*' : part))
    .join('/');
};

const NAMES: Readonly<Record<keyof RecipeReceipt, string>> = {
  url: 'the address after the action',
  dialog: 'the dialog',
  newTab: 'a new tab',
  download: 'a download',
  closed: 'the end of the tab',
  problem: 'a rejected field or a failed request',
};

/** The first difference as a sentence; undefined if there is none. */
export const compareReceipts = (
  recorded: RecipeReceipt,
  actual: RecipeReceipt,
): string | undefined => {
  const keys = Object.keys(NAMES) as (keyof RecipeReceipt)[];
  const key = keys.find((one) => recorded[one] !== actual[one]);
  if (!key) return undefined;
  const [before, now] = [recorded[key], actual[key]].map(describeEffect);
  return `${NAMES[key]} differs from the recording: recorded ${before}, now ${now}`;
};

const describeEffect = (effect: string | boolean | undefined): string => {
  if (effect === undefined) return 'none';
  return typeof effect === 'string' ? quoteText(effect) : 'one';
};
