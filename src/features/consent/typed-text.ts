// Collects the text that a user types into the pages of a tab, so that a report can leave it out.
import type { CdpSession } from '../../browser/cdp/connection.ts';
import { type Frame, WORLD } from '../../browser/tabs/frames.ts';
import { inPage } from '../../browser/tabs/in-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { callAll } from '../../core/collections.ts';

/** The name of the function that `watchTyping` calls in the page. */
const BINDING = '__oc_typed';
const MARK = '[typed]';
const MAX_VALUES = 500;
const MIN_VALUE_CHARS = 2;
/** A page often shows only one word of a value, such as the first name. */
const MIN_WORD_CHARS = 3;
const START_MS = 2_000;

export class TypedText implements Disposable {
  readonly #off: (() => void)[] = [];
  readonly #sessions = new Set<CdpSession>();
  #values: string[] = [];

  /** Watches the documents of the tab, also later ones; a page that does not respond is skipped. */
  static async watch(tab: Tab): Promise<TypedText> {
    const typed = new TypedText();
    typed.#off.push(tab.events.on('frame', (frame) => void typed.#watchFrame(frame)));
    await Promise.all(tab.frames.all().map((frame) => typed.#watchFrame(frame)));
    return typed;
  }

  async #watchFrame(frame: Frame): Promise<void> {
    const signal = AbortSignal.timeout(START_MS);
    try {
      await this.#listen(frame.session, signal);
      await frame.call(inPage.live.watchTyping, [], signal);
    } catch {
      // the frame was removed, or its page is busy: nothing can be typed there
    }
  }

  async #listen(session: CdpSession, signal: AbortSignal): Promise<void> {
    if (this.#sessions.has(session)) return;
    this.#sessions.add(session);
    this.#off.push(
      session.on('Runtime.bindingCalled', ({ name, payload }) => {
        if (name === BINDING) this.add(payload);
      }),
    );
    const binding = { name: BINDING, executionContextName: WORLD };
    await session.send('Runtime.addBinding', binding, signal);
  }

  /** A longer value replaces its own beginning, because each key reports the whole field. */
  add(value: string): void {
    const others = this.#values.filter((known) => !value.startsWith(known));
    this.#values = [...others, value].slice(-MAX_VALUES);
  }

  /** Replaces typed values and their words, in any case and in the encoding of addresses. */
  redact(text: string): string {
    const words = this.#values.flatMap((value) => value.split(/[\s,;]+/));
    const fragments = [
      ...this.#values.filter(({ length }) => length >= MIN_VALUE_CHARS),
      ...words.filter(({ length }) => length >= MIN_WORD_CHARS),
    ];
    const spellings = fragments.flatMap((one) => [one, encodeURIComponent(one)]);
    const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
    return longestFirst.reduce(replaceFragment, text);
  }

  [Symbol.dispose](): void {
    callAll(this.#off);
    for (const session of this.#sessions)
      session.send('Runtime.removeBinding', { name: BINDING }).catch(() => {}); // closed
  }
}

/** Without a regular expression, because both texts come from a page. */
const replaceFragment = (text: string, fragment: string): string => {
  const [folded, wanted] = [text.toLowerCase(), fragment.toLowerCase()];
  // Some capital letters have a longer small form: then only the same spelling is found.
  if (folded.length !== text.length) return text.replaceAll(fragment, MARK);
  const parts: string[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), MARK);
    from = at + wanted.length;
  }
  return parts.join('') + text.slice(from);
};
