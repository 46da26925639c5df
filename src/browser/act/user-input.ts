// Sends the input of a user who has taken a tab over, as real input events.
import { attempt } from '../../core/attempt.ts';
import { defined, valueIf } from '../../core/defined.ts';
import type { UserInput } from '../../core/user-input.ts';
import type { Tab } from '../tabs/tab.ts';
import { buildKeyEvent } from './keyboard.ts';
import { findCharacterKey, type Key, parseChord } from './keys.ts';

type InputOf<T extends UserInput['type']> = Extract<UserInput, { readonly type: T }>;

const MOUSE_EVENTS = { move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased' } as const;

export const sendUserInput = async (
  tab: Tab,
  input: UserInput,
  signal: AbortSignal,
): Promise<void> => {
  if (input.type === 'pointer') return sendPointer(tab, input, signal);
  if (input.type === 'wheel') return sendWheel(tab, input, signal);
  if (input.type === 'key') return sendKey(tab, input, signal);
  // Pasted text is inserted as text: the clipboard of the user's machine is not the browser's.
  await tab.cdp.send('Input.insertText', { text: input.text }, signal);
};

const sendPointer = async (
  tab: Tab,
  { event, x, y, button, buttons, clickCount = 1, modifiers }: InputOf<'pointer'>,
  signal: AbortSignal,
): Promise<void> => {
  const isMove = event === 'move';
  await tab.cdp.send(
    'Input.dispatchMouseEvent',
    defined({
      type: MOUSE_EVENTS[event],
      x,
      y,
      button: isMove ? ('none' as const) : (button ?? ('left' as const)),
      buttons,
      clickCount: valueIf(!isMove, clickCount),
      modifiers,
    }),
    signal,
  );
};

const sendWheel = async (
  tab: Tab,
  { x, y, deltaX, deltaY, modifiers }: InputOf<'wheel'>,
  signal: AbortSignal,
): Promise<void> => {
  const given = defined({ type: 'mouseWheel' as const, x, y, deltaX, deltaY, modifiers });
  await tab.cdp.send('Input.dispatchMouseEvent', given, signal);
};

const sendKey = async (
  tab: Tab,
  { event, key, modifiers = 0 }: InputOf<'key'>,
  signal: AbortSignal,
): Promise<void> => {
  const known = findKey(key);
  if (known)
    await tab.cdp.send('Input.dispatchKeyEvent', buildKeyEvent(event, known, modifiers), signal);
  // Characters of other layouts have no key on a US keyboard.
  else if (event === 'down' && [...key].length === 1)
    await tab.cdp.send('Input.insertText', { text: key }, signal);
};

/** The key of a US keyboard; undefined for other characters and unknown names. */
const findKey = (key: string): Key | undefined =>
  [...key].length === 1 ? findCharacterKey(key) : attempt(() => parseChord(key).key);
