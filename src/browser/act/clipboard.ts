// Copying and pasting: with trusted events where Chrome's clipboard is ours alone, and never with
// the clipboard of a person.
import { fail } from '../../core/failure.ts';
import type { Frame } from '../tabs/frames.ts';
import { Queue } from '../tabs/queue.ts';
import type { Tab } from '../tabs/tab.ts';
import { pressChord } from './keyboard.ts';
import { parseChord } from './keys.ts';
import type { ActionContext } from './perform.ts';

/** What a session copied last. Chrome has one clipboard for all of them. */
export interface Clipboard {
  text?: string;
}

/**
 * Whose text our tools put onto Chrome's clipboard last. What pages put there by script is
 * nobody's.
 */
let last: { readonly owner: Clipboard; readonly text: string } | undefined;
const turns = new Queue();

const COMMAND = process.platform === 'darwin' ? 'Meta' : 'Control';

/**
 * A Chrome without a window has a clipboard of its own; elsewhere it is that of the person at the
 * screen.
 */
const isOwn = ({ ours, viewport }: Tab): boolean => ours && viewport !== undefined;

export const noteCopied = ({ clipboard }: ActionContext, text: string): void => {
  clipboard.text = text;
  last = { owner: clipboard, text };
};

export const pressCopy = ({ tab, signal }: ActionContext): Promise<void> =>
  pressChord(tab.cdp, parseChord(`${COMMAND}+C`), signal);

/**
 * What pages of this session put onto the clipboard by script; nothing where that cannot be told
 * from what others copied.
 */
export const readCopied = async (
  scene: ActionContext,
  frame: Frame,
): Promise<string | undefined> => {
  const { tab, signal, clipboard } = scene;
  if (!isOwn(tab) || !URL.canParse(frame.url)) return clipboard.text;
  const permission = { name: 'clipboard-read' };
  const { origin } = new URL(frame.url);
  const allow = (setting: 'granted' | 'prompt'): Promise<unknown> =>
    // a page that is not secure has no clipboard
    tab.cdp.send('Browser.setPermission', { permission, setting, origin }).catch(() => {});
  await allow('granted');
  const text = await frame
    .call<string | undefined>('actReadClipboard', [], signal)
    .finally(() => void allow('prompt'));
  const isOfOthers = last !== undefined && last.owner !== clipboard && last.text === text;
  return text === undefined || text === '' || isOfOthers ? clipboard.text : text;
};

/** Pastes into whatever has the focus: the text, else what was copied last. */
export const paste = (
  scene: ActionContext,
  frames: readonly Frame[],
  text: string | undefined,
): Promise<void> =>
  turns.run(
    'paste',
    () => (isOwn(scene.tab) ? pasteTrusted(scene, frames, text) : pasteAside(scene, frames, text)),
    scene.signal,
  );

const nothingCopied = (): Error =>
  fail('nothing_copied', 'Nothing has been copied in this session.', {
    hint: 'Give the text to paste as "value", or copy something first.',
  });

const pasteTrusted = async (
  scene: ActionContext,
  frames: readonly Frame[],
  given: string | undefined,
): Promise<void> => {
  const { tab, signal, clipboard } = scene;
  const isOfOthers = last !== undefined && last.owner !== clipboard;
  if (given === undefined && isOfOthers && clipboard.text === undefined) throw nothingCopied();
  const text = given ?? (isOfOthers ? clipboard.text : undefined);
  if (text !== undefined) {
    await Promise.all(frames.map((frame) => frame.call('actOfferCopy', [text], signal)));
    await tab.cdp.send(
      'Input.dispatchKeyEvent',
      { type: 'rawKeyDown', commands: ['copy'] },
      signal,
    );
    noteCopied(scene, text);
  }
  await pressChord(tab.cdp, parseChord(`${COMMAND}+V`), signal);
};

/** A script's paste event, and the text as one input where the page leaves it to the browser. */
const pasteAside = async (
  { tab, signal, clipboard }: ActionContext,
  frames: readonly Frame[],
  given: string | undefined,
): Promise<void> => {
  const text = given ?? clipboard.text;
  if (text === undefined) throw nothingCopied();
  const taken = await frames.at(-1)?.call<boolean>('actPasteByScript', [text], signal);
  if (!taken) await tab.cdp.send('Input.insertText', { text }, signal);
};
