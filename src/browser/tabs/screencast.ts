// Streams pictures of a tab while a viewer watches it; the next picture needs an acknowledgement.
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

const QUALITY = 50;
/** Chrome sends no picture of a page that does not change: then one is captured. */
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
    const first = after(FIRST_PICTURE_MS, () => void this.#captureFirst());
    this.#off.push(() => first[Symbol.dispose]());
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

  async #captureFirst(): Promise<void> {
    if (this.#pictures > 0 || this.#ended) return;
    const picture = await capturePicture(this.#tab).catch(() => undefined);
    if (picture && this.#pictures === 0) this.#emit(picture);
  }

  #emit(picture: TabPicture): void {
    if (this.#ended) return;
    this.#pictures++;
    this.#options.onPicture(picture);
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    for (const off of this.#off) off();
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
