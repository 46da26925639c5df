// Take-over: a user controls a tab from the dashboard, while the actions of agents wait.
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Browser } from '../../browser/browser.ts';
import { sendUserInput } from '../../browser/act/user-input.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { humanHasControl } from '../../browser/tabs/user-control.ts';
import { callAll } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { Events } from '../../core/events.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { after, settlesWithin } from '../../core/time.ts';
import type { UserInput } from '../../core/user-input.ts';
import { saveUploads } from '../../store/files/user-files.ts';

/** A take-over ends after this time without input. */
const IDLE_MS = 120_000;
/** How long text waits for a press before it; a page that a dialog blocks does not confirm it. */
const PRESS_MS = 1_000;
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

export interface TakeOverState {
  readonly tabId: string;
  readonly viewer: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** False while an acting call that had begun before still runs. */
  readonly active: boolean;
  /** Set while the page waits for files. */
  readonly chooser?: { readonly multiple: boolean };
}

export interface TakeOverEnd {
  readonly tabId: string;
  readonly viewer: string;
  readonly why: 'given_back' | 'idle' | 'disconnected' | 'tab_closed';
}

/** A file that the user chose in the dashboard. */
export interface ChosenFile {
  readonly name: string;
  readonly data: Uint8Array;
}

interface HeldTab {
  readonly tab: Tab;
  readonly off: (() => void)[];
  state: TakeOverState;
  idle: Disposable;
  /** The file field that opened a chooser. */
  field: number | undefined;
  /** Settles when the page has handled the last input of the pointer. */
  pressed: Promise<void>;
}

interface TakeOverParts {
  readonly browser: Browser;
  readonly home: Home;
  /** For tests. */
  readonly idleMs?: number;
}

const notTakenOver = (tabId: string): Failure =>
  fail('human_has_control', 'You have not taken this tab over, or it was given back.', {
    tabId,
    hint: 'Take the tab over first.',
  });

export class TakeOver {
  readonly events = new Events<{ changed: TakeOverState; ended: TakeOverEnd }>();
  readonly #parts: TakeOverParts;
  readonly #held = new Map<string, HeldTab>();

  constructor(parts: TakeOverParts) {
    this.#parts = parts;
  }

  list(): readonly TakeOverState[] {
    return [...this.#held.values()].map(({ state }) => state);
  }

  /** Resolves when the acting call that runs now has ended; later ones wait. */
  async begin(tabId: string, viewer: string, signal: AbortSignal): Promise<TakeOverState> {
    const tab = this.#requireTab(tabId);
    const known = this.#held.get(tabId);
    if (known?.state.viewer === viewer) return known.state;
    tab.control.requireFree(tabId);
    tab.control.take(viewer);
    const held: HeldTab = {
      tab,
      state: { tabId, viewer, since: Date.now(), active: false },
      idle: this.#startIdle(tabId),
      off: [
        tab.events.on('closed', () => void this.#end(tabId, 'tab_closed')),
        tab.cdp.on('Page.fileChooserOpened', ({ backendNodeId, mode }) =>
          this.#openChooser(tabId, backendNodeId, mode === 'selectMultiple'),
        ),
      ],
      field: undefined,
      pressed: Promise.resolve(),
    };
    this.#held.set(tabId, held);
    this.#change(held, {});
    try {
      await tab.queue.run('take-over', () => this.#activate(held, signal), signal);
      this.#requireStillHeld(held);
    } catch (error) {
      if (this.#isHeld(held)) await this.#end(tabId, 'given_back');
      throw error;
    }
    return this.#change(held, { active: true });
  }

  /** Does nothing to the page if the take-over ended while it waited for an acting call. */
  async #activate(held: HeldTab, signal: AbortSignal): Promise<void> {
    this.#requireStillHeld(held);
    await this.#interceptChooser(held.tab, true, signal);
  }

  /** Sends input; renews the time after which the take-over ends. */
  async input(tabId: string, viewer: string, input: UserInput, signal: AbortSignal): Promise<void> {
    const held = this.#requireHeld(tabId, viewer);
    this.#renew(held);
    // Chrome inserts text at once, but passes a press through a queue: text must not overtake it.
    if ('text' in input) await settlesWithin(held.pressed, PRESS_MS);
    const sent = sendUserInput(held.tab, input, signal);
    if (input.type === 'pointer') held.pressed = sent;
    await sent;
  }

  /** Gives files to the page that waits for them; an empty list closes the chooser. */
  async chooseFiles(
    tabId: string,
    viewer: string,
    files: readonly ChosenFile[],
    signal: AbortSignal,
  ): Promise<void> {
    const held = this.#requireHeld(tabId, viewer);
    this.#renew(held);
    const { field } = held;
    if (field === undefined)
      throw fail('bad_request', 'The page does not wait for files.', {
        hint: 'Press the button that opens the file chooser first.',
      });
    const size = files.reduce((sum, { data }) => sum + data.length, 0);
    if (size > MAX_UPLOAD_BYTES)
      throw fail('payload_too_large', `Files may have at most ${MAX_UPLOAD_BYTES} bytes.`);
    if (files.length > 0) {
      const folder = join(this.#parts.home.downloads, `upload-${randomBytes(6).toString('hex')}`);
      const paths = await saveUploads(folder, files);
      const given = { files: paths, backendNodeId: field };
      await held.tab.cdp.send('DOM.setFileInputFiles', given, signal);
    }
    // The user may have given the tab back in the meantime.
    if (!this.#isHeld(held)) return;
    held.field = undefined;
    const { chooser: _, ...state } = held.state;
    held.state = state;
    this.events.emit('changed', state);
  }

  async giveBack(tabId: string, viewer: string): Promise<void> {
    this.#requireHeld(tabId, viewer);
    await this.#end(tabId, 'given_back');
  }

  /** Ends the take-overs of a viewer whose connection closed. */
  async disconnect(viewer: string): Promise<void> {
    const own = this.list().filter((state) => state.viewer === viewer);
    await Promise.all(own.map(({ tabId }) => this.#end(tabId, 'disconnected')));
  }

  async stop(): Promise<void> {
    await Promise.all(this.list().map(({ tabId }) => this.#end(tabId, 'disconnected')));
  }

  async #end(tabId: string, why: TakeOverEnd['why']): Promise<void> {
    const held = this.#held.get(tabId);
    if (!held) return;
    this.#held.delete(tabId);
    held.idle[Symbol.dispose]();
    callAll(held.off);
    // The page may be closed or busy: agents may act in any case.
    await this.#interceptChooser(held.tab, false, AbortSignal.timeout(2_000)).catch(() => {});
    held.tab.control.release();
    this.events.emit('ended', { tabId, viewer: held.state.viewer, why });
  }

  /** Choosers are cancelled in headless Chrome, except while a user can answer them. */
  async #interceptChooser(tab: Tab, isTaken: boolean, signal: AbortSignal): Promise<void> {
    const wanted = isTaken ? { enabled: true, cancel: false } : tab.chooser;
    await tab.cdp.send('Page.setInterceptFileChooserDialog', wanted, signal);
  }

  #openChooser(tabId: string, field: number | undefined, multiple: boolean): void {
    const held = this.#held.get(tabId);
    if (!held || field === undefined) return;
    held.field = field;
    this.#change(held, { chooser: { multiple } });
  }

  #change(held: HeldTab, change: Partial<TakeOverState>): TakeOverState {
    held.state = { ...held.state, ...defined(change) };
    this.events.emit('changed', held.state);
    return held.state;
  }

  #startIdle(tabId: string): Disposable {
    return after(this.#parts.idleMs ?? IDLE_MS, () => void this.#end(tabId, 'idle'));
  }

  #renew(held: HeldTab): void {
    held.idle[Symbol.dispose]();
    held.idle = this.#startIdle(held.tab.id);
  }

  #isHeld(held: HeldTab): boolean {
    return this.#held.get(held.tab.id) === held;
  }

  #requireHeld(tabId: string, viewer: string): HeldTab {
    const held = this.#held.get(tabId);
    if (held?.state.viewer === viewer) return held;
    throw held ? humanHasControl(tabId) : notTakenOver(tabId);
  }

  #requireStillHeld(held: HeldTab): void {
    if (!this.#isHeld(held)) throw notTakenOver(held.tab.id);
  }

  #requireTab(tabId: string): Tab {
    for (const { tabs } of this.#parts.browser.sessions) {
      const tab = tabs.get(tabId);
      if (tab) return tab;
    }
    throw fail('tab_not_found', `No session has the tab ${tabId.slice(0, 100)}.`);
  }
}
