// Records one tab: its pages, navigation, traffic and tool calls, and writes them to the keeper.
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import type { Locator, PageAction, PageMessage } from '../../page/recorder/messages.ts';
import { PageRecorder } from '../../browser/recording/page-recorder.ts';
import { isBlankAddress } from '../../browser/tabs/frames.ts';
import { captureScreenshot } from '../../browser/tabs/screenshot.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import type { Tab, TabCall } from '../../browser/tabs/tab.ts';
import type { ConsoleEntry } from '../../browser/traffic/console-entry.ts';
import type { RequestRecord } from '../../browser/traffic/request-record.ts';
import { attempt } from '../../core/attempt.ts';
import { callAll } from '../../core/collections.ts';
import { fail } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { Deadline, monotonicMs, settlesWithin } from '../../core/time.ts';
import {
  CALLS,
  CONSOLE,
  DOM,
  type RecordingWriter,
  type KeptCall,
  NETWORK,
  type RecordedStep,
  RESOURCES,
  SCREENSHOTS,
  STEPS,
} from './kept-lines.ts';
import { renderReceiptLines } from './receipt-lines.ts';

const MAX_SCREENSHOTS = 60;
const SCREENSHOT_GAP_MS = 400;
const SCREENSHOT_MS = 4000;
/** How long stop() waits for pending work; a page that hangs must not delay it. */
const LAST_MS = 500;
const SCREENSHOT_QUALITY = 55;
/** Larger images, fonts and style sheets are left out of the replay. */
const MAX_RESOURCE_BYTES = 500_000;
const MAX_RESOURCES_BYTES = 12_000_000;
const RESOURCE_TYPES = new Set(['Image', 'Font', 'Stylesheet']);
const HISTORY = new Set(['back', 'forward', 'reload']);
const PERSON = 'person';
const MAX_ACTED = 5;
/** Chrome fires the scroll event a frame or two after the call that scrolled. */
const LATE_SCROLL_MS = 100;
/** Used as `by` for the step that opens the initial URL. */
const START = 'start';

interface RecorderContext {
  readonly tab: Tab;
  readonly keeper: RecordingWriter;
  readonly redactor: Redactor;
  /** Origins whose pages reported secrets during this recording. */
  readonly secretOrigins: Set<string>;
  /** Secret names by value. */
  readonly secretNames: ReadonlyMap<string, string>;
  readonly onStep: (steps: number) => void;
}

interface RunningCall {
  readonly call: TabCall;
  readonly at: number;
  readonly startedAt: number;
}

interface ActedStep {
  readonly call: TabCall;
  readonly at: number;
  readonly endedAt: number;
}

export class Recorder {
  readonly #around: RecorderContext;
  readonly #off: (() => void)[] = [];
  readonly #calls: RunningCall[] = [];
  /**
   * The most recent finished calls that acted, because a scroll event can arrive after its call.
   */
  readonly #acted: ActedStep[] = [];
  readonly #busy = new Set<Promise<unknown>>();
  readonly #origins = new Set<string>();
  #page: PageRecorder | undefined;
  /** The page started the current navigation, not a tool or the address bar. */
  #pageAsked = false;
  readonly #startedAt = Date.now();
  #steps = 0;
  #screenshots = 0;
  #lastScreenshotAt = -Infinity;
  #shooting: Promise<void> | undefined;
  #resourceBytes = 0;
  readonly #resources = new Set<string>();

  constructor(around: RecorderContext) {
    this.#around = around;
  }

  get steps(): number {
    return this.#steps;
  }

  async start(): Promise<void> {
    const { tab } = this.#around;
    if (!isBlankAddress(tab.url)) this.#step({ kind: 'goto', url: tab.url }, START);
    this.#listenToTab();
    this.#listenToTraffic();
    for (const record of tab.traffic.requests)
      if (record.loaderId === tab.frames.main.loaderId) this.#keepResource(record);
    this.#page = await PageRecorder.start(tab, (message, frame) => this.#heard(message, frame));
    this.#shoot('start');
  }

  /** Returns the final title of the page. */
  async stop(): Promise<string> {
    const [title] = await Promise.all([this.#page?.title(), this.#page?.stop()]);
    this.#sayFrames();
    callAll(this.#off);
    this.#keepUnanswered();
    await settlesWithin(Promise.allSettled(this.#busy), LAST_MS);
    this.#shoot('end');
    await settlesWithin(Promise.allSettled(this.#busy), LAST_MS);
    return title ?? this.#around.tab.title;
  }

  #listenToTab(): void {
    const { tab } = this.#around;
    const { events, cdp, id } = tab;
    this.#off.push(
      events.on('call', (call) => this.#began(call)),
      events.on('called', (call) => this.#ended(call)),
      events.on('navigated', ({ url, unreachableUrl }) => this.#arrived(unreachableUrl ?? url)),
      events.on('moved', ({ url }) => this.#step({ kind: 'arrived', url }, this.#by)),
      events.on('lifecycle', ({ name }) => name === 'load' && this.#shoot('load')),
      events.on('frame', () => this.#sayFrames()),
      events.on('popup', (popup) => this.#step({ kind: 'popup', url: popup.url }, this.#by)),
      events.on('crashed', () =>
        this.#around.keeper.note('the page crashed; recording continues with the next page'),
      ),
      cdp.on('Page.frameRequestedNavigation', ({ frameId, disposition }) => {
        if (frameId === id && disposition === 'currentTab') this.#pageAsked = true;
      }),
      cdp.on('Page.javascriptDialogClosed', ({ result, userInput }) =>
        this.#answered(result, userInput),
      ),
      events.on('dialog', ({ kind, message }) => (this.#dialog = { type: kind, message })),
    );
  }

  #dialog: { readonly type: string; readonly message: string } | undefined;

  #answered(accepted: boolean, text: string): void {
    if (!this.#dialog) return;
    this.#step(
      {
        kind: 'dialog',
        ...this.#dialog,
        accepted,
        ...defined({ text: valueIf(text !== '', text) }),
      },
      this.#by,
    );
    this.#dialog = undefined;
  }

  #listenToTraffic(): void {
    const { events } = this.#around.tab.traffic;
    const ended = (record: RequestRecord): void => {
      this.#keepRequest(record);
      this.#keepResource(record);
    };
    this.#off.push(
      events.on('finished', ended),
      events.on('failed', ended),
      events.on('console', (entry) => this.#keepConsole(entry)),
    );
  }

  #began(call: TabCall): void {
    if (call.loadsPages) this.#pageAsked = false;
    this.#calls.push({ call, at: Date.now(), startedAt: monotonicMs() });
  }

  #ended(call: TabCall & { readonly failed?: string; readonly data?: unknown }): void {
    const index = this.#calls.findLastIndex((running) => running.call.tool === call.tool);
    const [running] = index < 0 ? [] : this.#calls.splice(index, 1);
    if (!call.acts) return;
    this.#acted.push({ call, at: running?.at ?? Date.now(), endedAt: Date.now() });
    if (this.#acted.length > MAX_ACTED) this.#acted.shift();
    const { tool, failed, data } = call;
    const did = renderReceiptLines(data, this.#around.tab.url);
    this.#around.keeper.keep(
      CALLS,
      {
        at: running?.at ?? Date.now(),
        ms: running ? Math.round(monotonicMs() - running.startedAt) : 0,
        tool,
        arguments: call.arguments,
        ...defined({ failed, ...compact({ did }) }),
      } satisfies KeptCall,
      'light',
    );
    if (failed === undefined && did.some((line) => /^(?:hovered|moved to) /.test(line)))
      this.#track(this.#keepHover(tool));
    this.#shoot(tool);
  }

  async #keepHover(by: string): Promise<void> {
    const target: Locator | undefined = await this.#page?.hovered();
    if (target) this.#step({ kind: 'hover', target }, by);
  }

  /** The tool that is acting in the tab, or `person`. */
  get #by(): string {
    return this.#calls.findLast(({ call }) => call.acts)?.call.tool ?? PERSON;
  }

  #arrived(url: string): void {
    const call = this.#calls.findLast(({ call: { loadsPages } }) => loadsPages)?.call;
    const asked = call && (call.arguments as { readonly action?: unknown; readonly url?: unknown });
    const history = [asked?.action, asked?.url].find((word) => HISTORY.has(word as string)) as
      | 'back'
      | undefined;
    if (history) this.#step({ kind: history, url }, this.#by);
    else this.#step({ kind: this.#pageAsked ? 'arrived' : 'goto', url }, this.#by);
    this.#pageAsked = false;
  }

  #step(step: DistributiveOmit<RecordedStep, 'at' | 'by'>, by: string, at = Date.now()): void {
    if (this.#around.keeper.keep(STEPS, { at, by, ...step }, 'light'))
      this.#around.onStep(++this.#steps);
  }

  #heard(message: PageMessage, frame: Frame | undefined): void {
    const { keeper } = this.#around;
    if (message.kind === 'secret') this.#learn(message);
    else if (message.kind === 'lost')
      keeper.note(`a part of a page of ${message.chars} characters was too large to record`);
    else if (message.kind === 'dom')
      for (const event of message.events) keeper.keep(DOM, event as object, 'heavy');
    else this.#keepAction(message, frame);
  }

  /** A document with an opaque origin counts as part of the tab's page. */
  #learn({ value, origin }: Extract<PageMessage, { kind: 'secret' }>): void {
    const { tab, redactor, secretOrigins } = this.#around;
    const bound = origin === 'null' ? (parseOrigin(tab.url) ?? origin) : origin;
    secretOrigins.add(bound);
    redactor.learnFromPage(bound, value);
  }

  #keepAction(
    { action, at, made, meant }: Extract<PageMessage, { kind: 'action' }>,
    frame: Frame | undefined,
  ): void {
    const running = this.#calls.findLast(({ call }) => call.acts)?.call;
    // Ignores synthetic events unless a tool is running: tools set native pickers by script.
    if (made && !running) return;
    if (action.kind === 'scroll' && !this.#isMeant(at, meant)) return;
    if (action.kind === 'drag' && frame === undefined) return;
    const { main } = this.#around.tab.frames;
    const inside = frame && frame !== main ? { frame: { url: frame.url, name: frame.name } } : {};
    this.#step({ ...this.#withoutSecret(action), ...inside }, this.#by, at);
    if (!running) this.#shoot(action.kind);
  }

  /**
   * A scroll during a call counts only if the call scrolls; other calls only scroll their target
   * into view. Without a call, it counts if it followed user input.
   */
  #isMeant(scrolledAt: number, meant = false): boolean {
    const during = (from: number, to: number): boolean =>
      from <= scrolledAt && scrolledAt <= to + LATE_SCROLL_MS;
    const ended = this.#acted.findLast(({ at, endedAt }) => during(at, endedAt));
    const cause = this.#calls.findLast(({ call, at }) => call.acts && at <= scrolledAt) ?? ended;
    return cause ? scrolls(cause.call) : meant;
  }

  /** Replaces a secret value with an empty text and the secret's name, if it has one. */
  #withoutSecret(action: PageAction): PageAction & { readonly secretName?: string } {
    if (action.kind !== 'fill') return action;
    const secretName = this.#around.secretNames.get(action.value);
    const clean = this.#around.redactor.data({ value: action.value }).value;
    if (secretName === undefined && clean === action.value) return action;
    return { ...action, value: '', secret: true, ...defined({ secretName }) };
  }

  #keepRequest(record: RequestRecord): void {
    const {
      url,
      method,
      startedAt,
      resourceType,
      status,
      mimeType,
      durationMs,
      decodedBytes,
      failure,
    } = record;
    this.#around.keeper.keep(
      NETWORK,
      {
        at: Math.round(startedAt),
        method,
        url: url.slice(0, 4000),
        type: resourceType,
        ...defined({
          status,
          mimeType,
          ms: ifDefined(durationMs, Math.round),
          ...compact({ bytes: decodedBytes }),
          error: failure?.error,
        }),
      },
      'heavy',
    );
  }

  #keepUnanswered(): void {
    for (const { record } of this.#around.tab.traffic.pending())
      if (record.startedAt >= this.#startedAt) this.#keepRequest(record);
  }

  /** Stores images, fonts and style sheets, so that the replay needs no network. */
  #keepResource(record: RequestRecord): void {
    const { url, resourceType, decodedBytes, state } = record;
    if (!RESOURCE_TYPES.has(resourceType) || this.#resources.has(url) || !url.startsWith('http'))
      return;
    if (
      state !== 'finished' ||
      decodedBytes > MAX_RESOURCE_BYTES ||
      this.#resourceBytes + decodedBytes > MAX_RESOURCES_BYTES
    )
      return;
    this.#resources.add(url);
    this.#resourceBytes += decodedBytes;
    this.#track(this.#fetchResource(record));
  }

  async #fetchResource(record: RequestRecord): Promise<void> {
    const { tab, keeper } = this.#around;
    using patience = new Deadline(SCREENSHOT_MS, () => fail('timeout', 'The body did not arrive.'));
    const { text, base64, truncated } = await tab.traffic.body(record, patience.signal);
    const data = base64 ?? ifDefined(text, (text) => Buffer.from(text).toString('base64'));
    if (data && !truncated)
      keeper.keep(
        RESOURCES,
        { url: record.url, mimeType: record.mimeType ?? '', base64: data },
        'heavy',
      );
  }

  #keepConsole({ at, level, text, url, line }: ConsoleEntry): void {
    const place = { ...defined({ url, line }) };
    this.#around.keeper.keep(CONSOLE, { at: Math.round(at), level, text, ...place }, 'heavy');
  }

  /**
   * Notes each cross-origin frame: its content is missing in the replay, because the page cannot
   * read it.
   */
  #sayFrames(): void {
    const { tab, keeper } = this.#around;
    const own = parseOrigin(tab.url);
    for (const { url } of tab.frames.all().slice(1)) {
      const origin = parseOrigin(url);
      if (origin === undefined || origin === own || this.#origins.has(origin)) continue;
      this.#origins.add(origin);
      keeper.note(
        `a frame of ${origin} is empty in the replay, because it has another origin; steps in ` +
          'it are recorded',
      );
    }
  }

  #shoot(why: string): void {
    const now = monotonicMs();
    const { tab, keeper } = this.#around;
    if (this.#shooting || keeper.full || tab.dialog || tab.crashed || tab.closed) return;
    if (now - this.#lastScreenshotAt < SCREENSHOT_GAP_MS && why !== 'end') return;
    if (this.#screenshots >= MAX_SCREENSHOTS && why !== 'end')
      return keeper.note(`after ${MAX_SCREENSHOTS} screenshots no more were taken`);
    this.#lastScreenshotAt = now;
    this.#screenshots++;
    this.#shooting = this.#takeScreenshot(why).finally(() => (this.#shooting = undefined));
    this.#track(this.#shooting);
  }

  async #takeScreenshot(why: string): Promise<void> {
    const { tab, keeper } = this.#around;
    using patience = new Deadline(why === 'end' ? LAST_MS : SCREENSHOT_MS, () =>
      fail('timeout', 'The screenshot did not arrive.'),
    );
    const at = Date.now();
    const { data } = await captureScreenshot(
      tab,
      { format: 'jpeg', quality: SCREENSHOT_QUALITY },
      patience.signal,
    );
    keeper.keep(SCREENSHOTS, { at, why, base64: data }, 'heavy');
  }

  /** Tracks background work. Its errors are ignored: the entry is then missing in the recording. */
  #track(work: Promise<unknown>): void {
    const settled = work.catch(() => {}).finally(() => this.#busy.delete(settled));
    this.#busy.add(settled);
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const parseOrigin = (url: string): string | undefined =>
  attempt(() => {
    const { origin } = new URL(url);
    return valueIf(origin !== 'null', origin);
  });

/** Whether the arguments of the call request a scroll. */
const scrolls = ({ arguments: given }: TabCall): boolean =>
  JSON.stringify(given ?? {}).includes('scroll');
