// Pictures of one tab for viewers, in which fields with secrets are painted over.
import { inPage } from '../../browser/tabs/in-page.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { capturePicture, type TabPicture, Screencast } from '../../browser/tabs/screencast.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { makeVisible } from '../../browser/tabs/visible.ts';
import { callAll } from '../../core/collections.ts';
import { detach } from '../../core/events.ts';
import { after } from '../../core/time.ts';
import {
  type CastPicture,
  PATIENCE_MS,
  type PictureArea,
  TabSecrets,
  toPage,
} from './tab-secrets.ts';

/** An action that has found its target. */
export interface CastAim {
  readonly did: string;
  readonly point?: { readonly x: number; readonly y: number };
  readonly area?: PictureArea;
}

interface TabCastOptions {
  readonly maxWidth: number;
  readonly onPicture: (picture: CastPicture) => void;
  readonly onAim: (aim: CastAim) => void;
}

export class TabCast implements Disposable {
  readonly #tab: Tab;
  readonly #options: TabCastOptions;
  #cast: Screencast | undefined;
  #isEnded = false;
  readonly #off: (() => void)[];
  readonly #secrets: TabSecrets;

  constructor(tab: Tab, options: TabCastOptions) {
    this.#tab = tab;
    this.#options = options;
    this.#secrets = new TabSecrets(tab);
    void this.#secrets.look().then(() => this.#start());
    this.#off = [tab.events.on('aimed', (aimed) => void this.#reportAim(aimed))];
  }

  #start(): void {
    if (this.#isEnded) return;
    const { maxWidth } = this.#options;
    const onPicture = (picture: TabPicture): void => detach(this.#receive(picture));
    this.#cast = new Screencast(this.#tab, { maxWidth, onPicture });
  }

  acknowledge(): void {
    this.#cast?.acknowledge();
  }

  /** Asks Chrome for a picture of a tab that draws nothing in the background. */
  async refresh(): Promise<void> {
    await makeVisible(this.#tab, AbortSignal.timeout(PATIENCE_MS)).catch(() => {});
    const picture = await capturePicture(this.#tab).catch(() => undefined);
    if (picture) await this.#receive(picture);
  }

  async #receive(picture: TabPicture): Promise<void> {
    const hidden = await this.#secrets.hide(picture);
    if (hidden) return this.#options.onPicture(hidden);
    after(PATIENCE_MS, () => this.acknowledge()); // the page may answer when it sends the next one
  }

  async #reportAim({ did, point, target }: Aimed): Promise<void> {
    const area = target && (await measureTarget(target).catch(() => undefined));
    this.#options.onAim({ did, ...(point && { point }), ...(area && { area }) });
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    callAll(this.#off);
    this.#cast?.[Symbol.dispose]();
  }
}

interface Aimed {
  readonly did: string;
  readonly point?: { readonly x: number; readonly y: number };
  readonly target?: { readonly frame: Frame; readonly id: number };
}

const measureTarget = async ({
  frame,
  id,
}: NonNullable<Aimed['target']>): Promise<PictureArea | undefined> => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const area = await frame.call(inPage.live.measureElement, [id], signal);
  const [shown] = area ? await toPage(frame, [area], signal) : [];
  return shown;
};
