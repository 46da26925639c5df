// Copies and pastes. The clipboard of the user is never read or written.
import { valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { canParseUrl } from '../../core/text.ts';
import type { Frame } from '../tabs/frames.ts';
import { Queue } from '../tabs/queue.ts';
import type { Tab } from '../tabs/tab.ts';
import { pressChord } from './keyboard.ts';
import { parseChord } from './keys.ts';
import type { ActionContext } from './perform.ts';
import { inPage } from '../tabs/in-page.ts';

/** The text that a session copied last. All sessions share the one clipboard of Chrome. */
export interface Clipboard {
  text?: string;
}

/**
 * The last text that a tool put onto Chrome's clipboard, and its session. Texts that page scripts
 * put there are not recorded.
 */
let last: { readonly owner: Clipboard; readonly text: string } | undefined;
const turns = new Queue();

const COMMAND = process.platform === 'darwin' ? 'Meta' : 'Control';

/** A headless Chrome has its own clipboard; any other Chrome uses the clipboard of the system. */
const isOwn = ({ ours, viewport }: Tab): boolean => ours && viewport !== undefined;

export const noteCopied = ({ clipboard }: ActionContext, text: string): void => {
  clipboard.text = text;
  last = { owner: clipboard, text };
};

export const pressCopy = ({ tab, signal }: ActionContext): Promise<void> =>
  pressChord(tab.cdp, parseChord(`${COMMAND}+C`), signal);

/**
 * Returns the text that a script of the page put onto the clipboard. Falls back to the text that
 * this session copied last if another session may have copied the text.
 */
export const readCopied = async (
  context: ActionContext,
  frame: Frame,
): Promise<string | undefined> => {
  const { tab, signal, clipboard } = context;
  if (!isOwn(tab) || !canParseUrl(frame.url)) return clipboard.text;
  const { origin } = new URL(frame.url);
  const allow = (setting: 'granted' | 'prompt'): Promise<unknown> =>
    // the clipboard API exists only in secure contexts
    tab.setPermission('clipboard-read', setting, { origin }).catch(() => {});
  await allow('granted');
  const text = await frame
    .call(inPage.more.readClipboard, [], signal)
    .finally(() => void allow('prompt'));
  const isOfOthers = last !== undefined && last.owner !== clipboard && last.text === text;
  return text === undefined || text === '' || isOfOthers ? clipboard.text : text;
};

/** Pastes into the focused element: `text`, or the text that was copied last. */
export const paste = (
  context: ActionContext,
  frames: readonly Frame[],
  text: string | undefined,
): Promise<void> =>
  turns.run(
    'paste',
    () =>
      isOwn(context.tab) ? pasteTrusted(context, frames, text) : pasteAside(context, frames, text),
    context.signal,
  );

const nothingCopied = (): Error =>
  fail('nothing_copied', 'Nothing has been copied in this session.', {
    situation: 'nothing_copied',
  });

const pasteTrusted = async (
  context: ActionContext,
  frames: readonly Frame[],
  given: string | undefined,
): Promise<void> => {
  const { tab, signal, clipboard } = context;
  const isOfOthers = last !== undefined && last.owner !== clipboard;
  if (given === undefined && isOfOthers && clipboard.text === undefined) throw nothingCopied();
  const text = given ?? valueIf(isOfOthers, clipboard.text);
  if (text !== undefined) {
    await Promise.all(frames.map((frame) => frame.call(inPage.more.offerCopy, [text], signal)));
    await tab.cdp.send(
      'Input.dispatchKeyEvent',
      { type: 'rawKeyDown', commands: ['copy'] },
      signal,
    );
    noteCopied(context, text);
  }
  await pressChord(tab.cdp, parseChord(`${COMMAND}+V`), signal);
};

/**
 * Dispatches a synthetic paste event; if the page does not handle it, inserts the text as one
 * input.
 */
const pasteAside = async (
  { tab, signal, clipboard }: ActionContext,
  frames: readonly Frame[],
  given: string | undefined,
): Promise<void> => {
  const text = given ?? clipboard.text;
  if (text === undefined) throw nothingCopied();
  const taken = await frames.at(-1)?.call(inPage.more.pasteByScript, [text], signal);
  if (!taken) await tab.cdp.send('Input.insertText', { text }, signal);
};
