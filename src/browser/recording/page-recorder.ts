// Injects the recorder into every document of a tab and forwards its messages.
import { attempt } from '../../core/attempt.ts';
import { callAll } from '../../core/collections.ts';
import { fail } from '../../core/failure.ts';
import { isObject, isUnknownArray, parseJson } from '../../core/json.ts';
import { abortable, Deadline, settlesWithin } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Locator, PageMessage } from '../../page/recorder/messages.ts';
import type { Frame } from '../tabs/frames.ts';
import { formatCall, inPage, loadPageScript, type PageFunction } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';

/** How long to wait for a page when a recording stops. */
const ANSWER_MS = 400;
/**
 * How long to wait for the recorder to start. A page that is busy or shows a dialog starts later.
 */
const START_MS = 2000;

interface RecordedFrame {
  readonly session: CdpSession;
  readonly contextId: number;
  readonly frameId: string;
}

/** Gives each recording its own binding and world, so that recordings of one tab are separate. */
let count = 0;

export class PageRecorder {
  readonly #tab: Tab;
  readonly #tell: (message: PageMessage, frame: Frame | undefined) => void;
  readonly #source: string;
  readonly #number = ++count;
  readonly #installed = new Map<CdpSession, Promise<string | undefined>>();
  readonly #places = new Set<RecordedFrame>();
  readonly #off: (() => void)[] = [];
  #stopping = false;

  private constructor(
    tab: Tab,
    source: string,
    tell: (message: PageMessage, frame: Frame | undefined) => void,
  ) {
    this.#tab = tab;
    this.#tell = tell;
    this.#source = `globalThis.__oc_say=globalThis.${this.#binding};${source}`;
  }

  /**
   * Installs the recorder in each frame, also after a navigation or process change. A frame that
   * cannot be recorded is skipped.
   */
  static async start(
    tab: Tab,
    tell: (message: PageMessage, frame: Frame | undefined) => void,
  ): Promise<PageRecorder> {
    const source = await loadPageScript('recorder');
    const recorder = new PageRecorder(tab, source, tell);
    recorder.#off.push(tab.events.on('frame', ({ session }) => void recorder.#install(session)));
    const installed = Promise.all(
      tab.frames.all().map(({ session }) => recorder.#install(session)),
    );
    await settlesWithin(installed, START_MS);
    return recorder;
  }

  /** The element under the pointer. */
  hovered(): Promise<Locator | undefined> {
    return this.#askPage(inPage.recorder.findHovered);
  }

  /** The current `document.title`; Chrome's event for it arrives later. */
  title(): Promise<string | undefined> {
    return this.#askPage(inPage.recorder.readTitle);
  }

  /** Waits for the messages that the pages have not sent yet, then removes the recorder. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all([
      ...[...this.#installed].map(([session, script]) => this.#remove(session, script)),
      ...[...this.#places].map((place) => this.#ask(place, inPage.recorder.stop)),
    ]);
    callAll(this.#off);
    for (const session of this.#installed.keys())
      session.send('Runtime.removeBinding', { name: this.#binding }).catch(() => {});
  }

  get #binding(): string {
    return `__oc_recorded_${this.#number}`;
  }

  get #world(): string {
    return `openchrome-recording-${this.#number}`;
  }

  async #install(session: CdpSession): Promise<void> {
    if (this.#stopping || this.#installed.has(session)) return;
    this.#listen(session);
    const installed = this.#put(session).catch(() => undefined); // the session is closed
    this.#installed.set(session, installed);
    await installed;
  }

  async #put(session: CdpSession): Promise<string> {
    const [, { identifier }] = await Promise.all([
      session.send('Runtime.addBinding', {
        name: this.#binding,
        executionContextName: this.#world,
      }),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: this.#source,
        worldName: this.#world,
        runImmediately: true,
      }),
    ]);
    return identifier;
  }

  #listen(session: CdpSession): void {
    this.#off.push(
      session.on('Runtime.executionContextCreated', ({ context }) => {
        if (context.name !== this.#world) return;
        const { frameId } = context.auxData as { readonly frameId: string };
        this.#places.add({ session, contextId: context.id, frameId });
      }),
      session.on('Runtime.executionContextDestroyed', ({ executionContextId }) =>
        this.#forget(session, executionContextId),
      ),
      session.on('Runtime.executionContextsCleared', () => this.#forget(session)),
      session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
        if (name === this.#binding) this.#heard(payload, session, executionContextId);
      }),
      session.onClose(() => this.#forget(session)),
    );
  }

  #heard(payload: string, session: CdpSession, executionContextId: number): void {
    const place = [...this.#places].find(
      ({ session: at, contextId }) => at === session && contextId === executionContextId,
    );
    const message = parse(payload);
    if (message) this.#tell(message, place && this.#tab.frames.byId(place.frameId));
  }

  #forget(session: CdpSession, contextId?: number): void {
    for (const place of this.#places)
      if (place.session === session && (contextId === undefined || place.contextId === contextId))
        this.#places.delete(place);
  }

  async #askPage<Result>(call: PageFunction<[], Result>): Promise<Result | undefined> {
    const page = [...this.#places].find(({ frameId }) => frameId === this.#tab.frames.main.id);
    return page && this.#ask(page, call);
  }

  async #ask<Result>(
    { session, contextId }: RecordedFrame,
    call: PageFunction<[], Result>,
  ): Promise<Result | undefined> {
    using patience = new Deadline(ANSWER_MS, () => fail('timeout', 'The page did not respond.'));
    try {
      const { result } = await session.send(
        'Runtime.evaluate',
        { expression: formatCall(call, []), contextId, returnByValue: true },
        patience.signal,
      );
      return result.value as Result | undefined;
    } catch {
      return undefined; // The page is gone or does not answer.
    }
  }

  async #remove(session: CdpSession, script: Promise<string | undefined>): Promise<void> {
    using patience = new Deadline(ANSWER_MS, () => fail('timeout', 'The page did not respond.'));
    const identifier = await abortable(script, patience.signal).catch(() => undefined);
    if (identifier === undefined) return;
    await session
      .send('Page.removeScriptToEvaluateOnNewDocument', { identifier }, patience.signal)
      .catch(() => {});
  }
}

/** Checks the fields of each kind of message. */
const SOUND: Readonly<
  Record<PageMessage['kind'], (message: Readonly<Record<string, unknown>>) => boolean>
> = {
  dom: ({ events }) => isUnknownArray(events) && events.every(isObject),
  action: ({ action, at }) =>
    isObject(action) && typeof action['kind'] === 'string' && typeof at === 'number',
  secret: ({ value, origin }) => typeof value === 'string' && typeof origin === 'string',
  lost: ({ chars }) => typeof chars === 'number',
};

const isKind = (kind: unknown): kind is PageMessage['kind'] =>
  typeof kind === 'string' && Object.hasOwn(SOUND, kind);

const isMessage = (value: unknown): value is PageMessage =>
  isObject(value) && isKind(value['kind']) && SOUND[value['kind']](value);

/** Validates the payload: a compromised renderer can send anything. */
const parse = (payload: string): PageMessage | undefined =>
  attempt(() => {
    const message = parseJson(payload);
    return isMessage(message) ? message : undefined;
  });
