// Streams pictures of a tab while a viewer watches it; the next picture needs an acknowledgement.
// A stream without pictures makes Chrome draw a background tab.
import { after } from '../../core/time.ts';
import type { Tab } from './tab.ts';

export interface TabPicture {
  readonly jpeg: Buffer;
  /** Size of the page's viewport in CSS pixels. */
  readonly width: number;
  readonly height: number;
}

interface ScreencastOptions {
  /** Largest width of the pictures in pixels. */
  readonly maxWidth: number;
  readonly onPicture: (picture: TabPicture) => void;
}

/** Chrome has one stream per tab: a new one replaces the stream before. */
const streams = new WeakMap<Tab, Screencast | Drawing>();

/** Chrome draws the tab as long as the stream exists, and sends none of these pictures. */
const WITHOUT_PICTURES = {
  format: 'jpeg',
  quality: 1,
  maxWidth: 16,
  maxHeight: 16,
  everyNthFrame: 1_000_000_000,
} as const;
/** How long a background tab keeps drawing after the last action. */
const DRAWING_MS = 5_000;

/**
 * Makes a background tab draw at full rate during actions and shortly after. Without a stream,
 * Chrome draws a tab that no window shows only once a second after its first three frames.
 */
export const keepDrawing = (tab: Tab): void => {
  const stream = streams.get(tab);
  if (stream instanceof Screencast) return;
  (stream ?? new Drawing(tab)).renew();
};

class Drawing {
  readonly #tab: Tab;
  readonly #off: () => void;
  #end: Disposable | undefined;
  #isStarted = false;

  constructor(tab: Tab) {
    this.#tab = tab;
    streams.set(tab, this);
    // A navigation ends the stream only if it replaces the process of the page. In both cases the
    // timer stays: a stream that is not stopped draws the page without end.
    this.#off = tab.events.on('navigated', () => {
      this.#isStarted = false;
    });
  }

  renew(): void {
    this.#end?.[Symbol.dispose]();
    this.#end = after(DRAWING_MS, () => this.#stop());
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#tab.cdp.send('Page.startScreencast', WITHOUT_PICTURES).catch(() => this.#forget());
  }

  #forget(): void {
    this.#off();
    this.#end?.[Symbol.dispose]();
    if (streams.get(this.#tab) === this) streams.delete(this.#tab);
  }

  #stop(): void {
    const isReplaced = streams.get(this.#tab) !== this;
    this.#forget();
    if (!isReplaced) this.#tab.cdp.send('Page.stopScreencast').catch(() => {}); // it is closed
  }
}

const QUALITY = 50;
/**
 * Chrome sends no picture of a page that does not change: then one is captured. A page that hangs
 * is captured again after the same time.
 */
const FIRST_PICTURE_MS = 400;
const CAPTURE_MS = 5_000;

export class Screencast implements Disposable {
  readonly #tab: Tab;
  readonly #options: ScreencastOptions;
  readonly #off: (() => void)[] = [];
  /** The number of the picture that Chrome waits for. */
  #unacknowledged: number | undefined;
  #pictures = 0;
  #ended = false;

  constructor(tab: Tab, options: ScreencastOptions) {
    this.#tab = tab;
    this.#options = options;
    streams.set(tab, this);
    this.#off.push(
      tab.cdp.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
        this.#unacknowledged = sessionId;
        // The page of an emulated phone can be larger than the screen: it is shown scaled.
        const { deviceWidth, deviceHeight, pageScaleFactor: scale } = metadata;
        const [width, height] = [Math.round(deviceWidth / scale), Math.round(deviceHeight / scale)];
        this.#emit({ jpeg: Buffer.from(data, 'base64'), width, height });
      }),
      // A crashed or replaced page ends the stream of its process.
      tab.events.on('navigated', () => void this.#restart()),
    );
    void this.#restart();
    this.#captureFirstLater();
  }

  /** Lets Chrome send the next picture. */
  acknowledge(): void {
    const sessionId = this.#unacknowledged;
    if (sessionId === undefined) return;
    this.#unacknowledged = undefined;
    // The target can be gone.
    this.#tab.cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
  }

  async #restart(): Promise<void> {
    if (this.#ended) return;
    const { maxWidth } = this.#options;
    await this.#tab.cdp
      .send('Page.startScreencast', {
        format: 'jpeg',
        quality: QUALITY,
        maxWidth,
        maxHeight: maxWidth * 2,
        everyNthFrame: 1,
      })
      .catch(() => {}); // the tab is closing
  }

  #captureFirstLater(): void {
    after(FIRST_PICTURE_MS, () => void this.#captureFirst());
  }

  async #captureFirst(): Promise<void> {
    if (this.#pictures > 0 || this.#ended || this.#tab.cdp.closed) return;
    const picture = await capturePicture(this.#tab).catch(() => undefined);
    if (this.#pictures > 0) return;
    if (picture) this.#emit(picture);
    else this.#captureFirstLater();
  }

  #emit(picture: TabPicture): void {
    if (this.#ended) return;
    this.#pictures++;
    this.#options.onPicture(picture);
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    for (const off of this.#off) off();
    streams.delete(this.#tab);
    this.#tab.cdp.send('Page.stopScreencast').catch(() => {}); // the tab is closed
  }
}

/**
 * Captures the viewport. Without a clip, because Chrome then changes the size of the page for a
 * moment, which the page and running streams see. A page that hangs is given up.
 */
export const capturePicture = async (
  tab: Tab,
  signal = AbortSignal.timeout(CAPTURE_MS),
): Promise<TabPicture> => {
  const [{ cssVisualViewport: view }, { data }] = await Promise.all([
    tab.cdp.send('Page.getLayoutMetrics', undefined, signal),
    tab.cdp.send(
      'Page.captureScreenshot',
      { format: 'jpeg', quality: QUALITY, optimizeForSpeed: true },
      signal,
    ),
  ]);
  const { clientWidth: width, clientHeight: height } = view;
  return { jpeg: Buffer.from(data, 'base64'), width, height };
};
