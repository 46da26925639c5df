// The keys of a US keyboard with their codes, and the parser of chords like "Control+Shift+K".
// Pure.
import { compact, defined } from '../../core/defined.ts';
import { findClosest } from '../../core/closest.ts';
import { fail } from '../../core/failure.ts';
import { getOwn } from '../../core/json.ts';

export type Modifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

export interface Key {
  /** KeyboardEvent.key without Shift. */
  readonly key: string;
  readonly code: string;
  readonly keyCode: number;
  /** KeyboardEvent.key with Shift, if it differs. */
  readonly shifted?: string;
  /** The text that the key types, if it differs from `key`. */
  readonly text?: string;
  /** KeyboardEvent.location: 1 left, 2 right, 3 number pad. */
  readonly location?: 1 | 2 | 3;
}

export interface Chord {
  readonly modifiers: readonly Modifier[];
  readonly key: Key;
}

const letter = (name: string): Key => ({
  key: name,
  code: `Key${name.toUpperCase()}`,
  keyCode: name.toUpperCase().charCodeAt(0),
  shifted: name.toUpperCase(),
});

const printing = (pair: string, code: string, keyCode: number): Key => ({
  key: pair.charAt(0),
  code,
  keyCode,
  shifted: pair.charAt(1),
});

const named = (key: string, keyCode: number, code: string = key, location?: 1 | 2 | 3): Key =>
  defined({ key, code, keyCode, ...compact({ location }) });

const DIGIT_SHIFTS = ')!@#$%^&*(';

const PRINTING: readonly Key[] = [
  ...[...'abcdefghijklmnopqrstuvwxyz'].map(letter),
  ...[...DIGIT_SHIFTS].map((shifted, digit) =>
    printing(`${digit}${shifted}`, `Digit${digit}`, 48 + digit),
  ),
  printing('`~', 'Backquote', 192),
  printing('-_', 'Minus', 189),
  printing('=+', 'Equal', 187),
  printing('[{', 'BracketLeft', 219),
  printing(']}', 'BracketRight', 221),
  printing('\\|', 'Backslash', 220),
  printing(';:', 'Semicolon', 186),
  printing('\'"', 'Quote', 222),
  printing(',<', 'Comma', 188),
  printing('.>', 'Period', 190),
  printing('/?', 'Slash', 191),
  { key: ' ', code: 'Space', keyCode: 32 },
];

const NAMED: readonly Key[] = [
  { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' },
  named('Tab', 9),
  named('Backspace', 8),
  named('Delete', 46),
  named('Insert', 45),
  named('Escape', 27),
  named('ArrowLeft', 37),
  named('ArrowUp', 38),
  named('ArrowRight', 39),
  named('ArrowDown', 40),
  named('Home', 36),
  named('End', 35),
  named('PageUp', 33),
  named('PageDown', 34),
  named('CapsLock', 20),
  named('NumLock', 144),
  named('ScrollLock', 145),
  named('Pause', 19),
  named('PrintScreen', 44),
  named('ContextMenu', 93),
  named('Help', 47),
  named('Clear', 12),
  named('Cancel', 3),
  named('Select', 41),
  ...Array.from({ length: 24 }, (_, i) => named(`F${i + 1}`, 112 + i)),
  named('Shift', 16, 'ShiftLeft', 1),
  named('Control', 17, 'ControlLeft', 1),
  named('Alt', 18, 'AltLeft', 1),
  named('Meta', 91, 'MetaLeft', 1),
  named('AltGraph', 225, 'AltRight', 2),
  named('AudioVolumeMute', 173),
  named('AudioVolumeDown', 174),
  named('AudioVolumeUp', 175),
  named('MediaTrackNext', 176),
  named('MediaTrackPrevious', 177),
  named('MediaStop', 178),
  named('MediaPlayPause', 179),
  named('BrowserBack', 166),
  named('BrowserForward', 167),
  named('BrowserRefresh', 168),
  named('BrowserStop', 169),
  named('BrowserSearch', 170),
  named('BrowserFavorites', 171),
  named('BrowserHome', 172),
];

/** Keys that can only be named by their code, because another key has the same `key`. */
const BY_CODE: readonly Key[] = [
  named('Shift', 16, 'ShiftRight', 2),
  named('Control', 17, 'ControlRight', 2),
  named('Meta', 92, 'MetaRight', 2),
  { key: 'Enter', code: 'NumpadEnter', keyCode: 13, text: '\r', location: 3 },
  ...Array.from({ length: 10 }, (_, digit) =>
    named(String(digit), 96 + digit, `Numpad${digit}`, 3),
  ),
  named('*', 106, 'NumpadMultiply', 3),
  named('+', 107, 'NumpadAdd', 3),
  named('-', 109, 'NumpadSubtract', 3),
  named('.', 110, 'NumpadDecimal', 3),
  named('/', 111, 'NumpadDivide', 3),
  named('=', 187, 'NumpadEqual', 3),
];

/** Alternative names; the values are names of the tables above. */
const ALIASES: Readonly<Record<string, string>> = {
  alt: 'Alt',
  apps: 'ContextMenu',
  bksp: 'Backspace',
  break: 'Pause',
  cmd: 'Meta',
  command: 'Meta',
  control: 'Control',
  ctrl: 'Control',
  del: 'Delete',
  down: 'ArrowDown',
  esc: 'Escape',
  ins: 'Insert',
  left: 'ArrowLeft',
  menu: 'ContextMenu',
  opt: 'Alt',
  option: 'Alt',
  pagedn: 'PageDown',
  pgdn: 'PageDown',
  pgdown: 'PageDown',
  pgup: 'PageUp',
  plus: '+',
  prtsc: 'PrintScreen',
  return: 'Enter',
  right: 'ArrowRight',
  shift: 'Shift',
  space: ' ',
  spacebar: ' ',
  super: 'Meta',
  up: 'ArrowUp',
  win: 'Meta',
  windows: 'Meta',
};

/** Names of the platform's command modifier: Command on a Mac, Control elsewhere. */
const PLATFORM_MODIFIERS = new Set([
  'controlormeta',
  'ctrlorcmd',
  'commandorcontrol',
  'cmdorctrl',
  'mod',
]);

const byCharacter = new Map<string, Key>();
for (const key of PRINTING) {
  byCharacter.set(key.key, key);
  if (key.shifted !== undefined) byCharacter.set(key.shifted, key);
}

const byName = new Map<string, Key>();
for (const key of [...NAMED, ...PRINTING, ...BY_CODE]) byName.set(key.code.toLowerCase(), key);
for (const key of NAMED) byName.set(key.key.toLowerCase(), key);

/** Returns the key that types a character on a US keyboard; undefined if there is none. */
export const findCharacterKey = (character: string): Key | undefined =>
  character === '\n' ? byName.get('enter') : byCharacter.get(character);

/** Whether the character needs Shift on the key that types it. */
export const needsShift = (key: Key, character: string): boolean =>
  key.shifted === character && key.key !== character;

const isModifier = (key: Key): key is Key & { key: Modifier } =>
  ['Alt', 'Control', 'Meta', 'Shift'].includes(key.key);

const findKey = (name: string, platform: NodeJS.Platform): Key | undefined => {
  if ([...name].length === 1) return byCharacter.get(name);
  const plain = name.toLowerCase();
  if (PLATFORM_MODIFIERS.has(plain)) return byName.get(platform === 'darwin' ? 'meta' : 'control');
  // Object.hasOwn, because "constructor" is not a key
  const alias = getOwn(ALIASES, plain);
  if (alias !== undefined) return byName.get(alias.toLowerCase()) ?? byCharacter.get(alias);
  return byName.get(plain);
};

const unknownKey = (name: string): Error => {
  const near = findClosest(
    name,
    NAMED.map(({ key }) => key),
  );
  return fail(
    'invalid_argument',
    `Unknown key "${name.slice(0, 50)}"${near ? `; did you mean ${near}?` : '.'}`,
    {
      argument: 'value',
      hint:
        'Keys are named as in KeyboardEvent.key: Enter, ArrowDown, F5, a; ' +
        'chords with +: Control+Shift+K. To enter text use type or fill.',
    },
  );
};

/** Splits at "+" unless it is the key itself: "Control++", "+". */
const chordParts = (text: string): string[] => {
  const parts = text.split('+');
  if (!text.endsWith('+')) return parts;
  return parts.length === 2 ? ['+'] : [...parts.slice(0, -2), '+'];
};

/** Parses one chord: modifiers and a key, joined by "+". A capital letter or "!" adds Shift. */
export const parseChord = (text: string, platform: NodeJS.Platform = process.platform): Chord => {
  const parts = text === ' ' ? [' '] : chordParts(text.trim());
  const last = parts.pop() ?? '';
  const key = findKey(last, platform);
  if (!key) throw unknownKey(last);
  const modifiers = parts.map((part) => {
    const modifier = findKey(part.trim(), platform);
    if (!modifier || !isModifier(modifier))
      throw fail('invalid_argument', `"${part.slice(0, 50)}" is not a modifier key.`, {
        argument: 'value',
      });
    return modifier.key;
  });
  // "Control+A" usually means the chord without Shift; "A" alone means the capital letter.
  if (modifiers.length === 0 && needsShift(key, last)) modifiers.push('Shift');
  if (
    modifiers.length > 0 &&
    needsShift(key, last) &&
    !/[A-Z]/.test(last) &&
    !modifiers.includes('Shift')
  )
    modifiers.push('Shift');
  return { modifiers: [...new Set(modifiers)], key };
};

const MAX_CHORDS = 100;

/** Parses chords separated by spaces: "ArrowDown ArrowDown Enter". */
export const parseChords = (
  text: string,
  platform: NodeJS.Platform = process.platform,
): Chord[] => {
  const parts = text.trim() === '' && text !== '' ? [' '] : text.trim().split(/\s+/);
  if (parts.length > MAX_CHORDS)
    throw fail('invalid_argument', `At most ${MAX_CHORDS} keys can be pressed in one call.`, {
      argument: 'value',
    });
  if (parts[0] === '') throw fail('invalid_argument', 'press needs a key.', { argument: 'value' });
  return parts.map((part) => parseChord(part, platform));
};

/** Parses the modifiers of a click: "Control+Shift". */
export const parseModifiers = (
  text: string,
  platform: NodeJS.Platform = process.platform,
): readonly Modifier[] => {
  const { modifiers, key } = parseChord(text, platform);
  if (!isModifier(key))
    throw fail('invalid_argument', `"${text.slice(0, 50)}" is not a modifier of a click.`, {
      argument: 'value',
      hint: 'Use Alt, Control, Meta or Shift, or several: "Control+Shift".',
    });
  return [...modifiers, key.key];
};
