// Keys and chords, read from what people write.
import { describe, expect, it } from 'vitest';
import { chordEvents, splitRuns } from './keyboard.ts';
import { findCharacterKey, parseChord, parseChords } from './keys.ts';

const shown = (text: string, platform: NodeJS.Platform = 'linux'): string => {
  const { modifiers, key } = parseChord(text, platform);
  return [...modifiers, key.code].join(' ');
};

describe('a chord', () => {
  it.each([
    ['a', 'KeyA'],
    ['A', 'Shift KeyA'],
    ['!', 'Shift Digit1'],
    ['+', 'Shift Equal'],
    ['Control++', 'Control Shift Equal'],
    ['Control+a', 'Control KeyA'],
    ['Control+A', 'Control KeyA'],
    ['ctrl+shift+k', 'Control Shift KeyK'],
    ['cmd+Enter', 'Meta Enter'],
    ['return', 'Enter'],
    ['esc', 'Escape'],
    ['down', 'ArrowDown'],
    ['space', 'Space'],
    [' ', 'Space'],
    ['F12', 'F12'],
    ['NumpadEnter', 'NumpadEnter'],
    ['Numpad5', 'Numpad5'],
    ['ShiftRight', 'ShiftRight'],
    ['KeyQ', 'KeyQ'],
    ['mod+s', 'Control KeyS'],
    ['Alt+F4', 'Alt F4'],
  ])('%s is %s', (text, expected) => expect(shown(text)).toBe(expected));

  it('takes Command for the platform modifier on a Mac', () =>
    expect(shown('ControlOrMeta+s', 'darwin')).toBe('Meta KeyS'));

  it.each(['Entre', 'Foo+a', 'a+b', '', 'constructor', '__proto__'])('%j is refused', (text) =>
    expect(() => parseChord(text)).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }) as Error,
    ),
  );

  it('names the key that was probably meant', () =>
    expect(() => parseChord('Entre')).toThrow(/did you mean Enter/));

  it('can be one of several in a row', () =>
    expect(parseChords('Tab Tab Control+a').map(({ key }) => key.code)).toEqual([
      'Tab',
      'Tab',
      'KeyA',
    ]));
});

describe('the events of a chord', () => {
  it('press the modifiers before the key and release them in reverse order', () => {
    const events = chordEvents(parseChord('Control+Shift+k')).map(
      ({ type, code, modifiers }) => `${type} ${code} ${modifiers}`,
    );
    expect(events).toEqual([
      'rawKeyDown ControlLeft 2',
      'rawKeyDown ShiftLeft 10',
      'rawKeyDown KeyK 10',
      'keyUp KeyK 10',
      'keyUp ShiftLeft 2',
      'keyUp ControlLeft 0',
    ]);
  });

  it('type text unless a modifier makes the key a command', () => {
    expect(chordEvents(parseChord('Enter'))[0]).toMatchObject({ type: 'keyDown', text: '\r' });
    expect(chordEvents(parseChord('A'))[1]).toMatchObject({ type: 'keyDown', text: 'A', key: 'A' });
    expect(chordEvents(parseChord('Tab'))[0]).not.toHaveProperty('text');
  });
});

describe('typed text', () => {
  it('is sent as keys if the keyboard has them, and as a composition otherwise', () =>
    expect(splitRuns('ab 日本c\n')).toEqual([
      { typed: true, text: 'ab ' },
      { typed: false, text: '日本' },
      { typed: true, text: 'c\n' },
    ]));

  it('has a key for every printable ASCII character', () => {
    const missing = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter(
      (character) => !findCharacterKey(character),
    );
    expect(missing).toEqual([]);
  });
});
