// Sends real key events over CDP: chords, text key by key, and IME composition for other text.
import type { Protocol } from 'devtools-protocol';
import { getOrCreate } from '../../core/collections.ts';
import { defined, ifDefined, valueIf } from '../../core/defined.ts';
import type { Point } from '../../page/act/act-answers.ts';
import type { CdpSession } from '../cdp/connection.ts';
import {
  type Chord,
  findCharacterKey,
  type Key,
  type Modifier,
  needsShift,
  parseChord,
} from './keys.ts';

/** The keys and the mouse button that a caller holds down in a tab over several actions. */
export interface HeldInput {
  /** By code, in the order in which they were pressed. */
  readonly keys: Map<string, Key>;
  /** Whether the left mouse button is down. */
  isPressed: boolean;
  /** The last position of the mouse. */
  at?: Point;
}

const ofSession = new WeakMap<CdpSession, HeldInput>();

export const getHeldInput = (session: CdpSession): HeldInput =>
  getOrCreate(ofSession, session, () => ({ keys: new Map(), isPressed: false }));

type KeyEvent = Protocol.Input.DispatchKeyEventRequest;

const BITS: Readonly<Record<Modifier, number>> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

export const modifierBits = (modifiers: readonly Modifier[]): number =>
  modifiers.reduce((bits, name) => bits | BITS[name], 0);

/**
 * Editing commands on a Mac. Chrome leaves them to the system, which synthetic keys do not reach.
 */
const MAC_COMMANDS: Readonly<Record<string, string>> = {
  KeyA: 'selectAll',
  KeyC: 'copy',
  KeyV: 'paste',
  KeyX: 'cut',
  KeyZ: 'undo',
};

const macCommand = (key: Key, bits: number): string | undefined => {
  if (process.platform !== 'darwin' || !(bits & BITS.Meta)) return undefined;
  if (key.code === 'KeyZ' && bits & BITS.Shift) return 'redo';
  return MAC_COMMANDS[key.code];
};

/** The text that a key types with these modifiers; undefined if the chord is a command. */
const typedText = (key: Key, bits: number): string | undefined => {
  if (bits & (BITS.Control | BITS.Meta | BITS.Alt)) return undefined;
  if (key.text !== undefined) return key.text;
  const shown = bits & BITS.Shift ? (key.shifted ?? key.key) : key.key;
  return valueIf(shown.length === 1, shown);
};

export const buildKeyEvent = (type: 'down' | 'up', key: Key, bits: number): KeyEvent => {
  const text = type === 'down' ? typedText(key, bits) : undefined;
  const command = type === 'down' ? macCommand(key, bits) : undefined;
  const downType = text === undefined ? 'rawKeyDown' : 'keyDown';
  return defined({
    type: type === 'up' ? 'keyUp' : downType,
    key: bits & BITS.Shift ? (key.shifted ?? key.key) : key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    modifiers: bits,
    location: key.location,
    isKeypad: valueIf(key.location !== undefined, key.location === 3),
    text,
    unmodifiedText: text === undefined ? undefined : (key.text ?? key.key),
    commands: ifDefined(command, (command) => [command]),
  });
};

/** The events of a chord: modifiers down, key down, key up, modifiers up in reverse order. */
export const chordEvents = ({ modifiers, key }: Chord, heldBits = 0): KeyEvent[] => {
  const events: KeyEvent[] = [];
  let bits = heldBits;
  const held = modifiers.map((name) => parseChord(name).key);
  for (const [i, modifier] of held.entries()) {
    bits |= BITS[modifiers[i] as Modifier];
    events.push(buildKeyEvent('down', modifier, bits));
  }
  events.push(buildKeyEvent('down', key, bits), buildKeyEvent('up', key, bits));
  for (const [i, modifier] of [...held.entries()].toReversed()) {
    bits &= ~BITS[modifiers[i] as Modifier] | heldBits;
    events.push(buildKeyEvent('up', modifier, bits));
  }
  return events;
};

const readBits = (key: Key): number => (key.key in BITS ? BITS[key.key as Modifier] : 0);

/** The bits of the modifiers that the caller holds down. */
export const readHeldBits = (session: CdpSession): number =>
  [...getHeldInput(session).keys.values()].reduce((bits, key) => bits | readBits(key), 0);

/** Presses keys ("Control+Shift") that stay down until they are released. */
export const holdKeys = async (
  session: CdpSession,
  { modifiers, key }: Chord,
  signal: AbortSignal,
): Promise<void> => {
  const { keys } = getHeldInput(session);
  for (const one of [...modifiers.map((name) => parseChord(name).key), key]) {
    if (keys.has(one.code)) continue;
    keys.set(one.code, one);
    const event = buildKeyEvent('down', one, readHeldBits(session));
    await session.send('Input.dispatchKeyEvent', event, signal);
  }
};

/** Releases these keys, or all keys that are held; the last one first. */
export const releaseKeys = async (
  session: CdpSession,
  chord: Chord | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const { keys } = getHeldInput(session);
  const codes = chord && [...chord.modifiers.map((name) => parseChord(name).key), chord.key];
  const held = [...keys.values()].filter(
    (key) => !codes || codes.some(({ code }) => code === key.code),
  );
  for (const key of held.toReversed()) {
    keys.delete(key.code);
    const event = buildKeyEvent('up', key, readHeldBits(session));
    await session.send('Input.dispatchKeyEvent', event, signal);
  }
  return held.map(({ key }) => key);
};

/**
 * Sends the events without waiting in between, because Chrome handles input in order. Resolves when
 * the page has handled the last event.
 */
const sendAll = async (
  session: CdpSession,
  events: readonly KeyEvent[],
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all(events.map((event) => session.send('Input.dispatchKeyEvent', event, signal)));
};

export const pressChord = (session: CdpSession, chord: Chord, signal: AbortSignal): Promise<void> =>
  sendAll(session, chordEvents(chord, readHeldBits(session)), signal);

const characterEvents = (key: Key, character: string): KeyEvent[] => {
  const bits = needsShift(key, character) ? BITS.Shift : 0;
  return [buildKeyEvent('down', key, bits), buildKeyEvent('up', key, bits)];
};

/** Splits text into runs that are typed by keys and runs that are entered by composition. */
export const splitRuns = (text: string): { readonly typed: boolean; readonly text: string }[] => {
  const runs: { typed: boolean; text: string }[] = [];
  for (const character of text.replaceAll('\r\n', '\n')) {
    const typed = findCharacterKey(character) !== undefined || character === '\t';
    const last = runs.at(-1);
    if (last && last.typed === typed) last.text += character;
    else runs.push({ typed, text: character });
  }
  return runs;
};

/** Types text: by keys if the keyboard has a key for the character, otherwise by composition. */
export const typeText = async (
  session: CdpSession,
  text: string,
  signal: AbortSignal,
): Promise<void> => {
  for (const run of splitRuns(text)) {
    if (run.typed) await typeKeys(session, run.text, signal);
    else await compose(session, run.text, signal);
  }
};

/** Tab and Enter can move the focus or submit, so they are awaited before the next key is sent. */
const typeKeys = async (session: CdpSession, text: string, signal: AbortSignal): Promise<void> => {
  for (const part of text.split(/([\n\t])/)) {
    if (part === '\t') await pressChord(session, parseChord('Tab'), signal);
    else
      await sendAll(
        session,
        [...part].flatMap((character) =>
          characterEvents(findCharacterKey(character) as Key, character),
        ),
        signal,
      );
  }
};

/** Starts a composition and commits its text, like an IME. */
const compose = async (session: CdpSession, text: string, signal: AbortSignal): Promise<void> => {
  const end = text.length;
  await session.send(
    'Input.imeSetComposition',
    { text, selectionStart: end, selectionEnd: end },
    signal,
  );
  await session.send('Input.insertText', { text }, signal);
};
