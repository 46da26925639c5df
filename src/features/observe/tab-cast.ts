// Pictures of one tab for viewers, with the areas of fields that contain secrets.
import { toPageCoordinates } from '../../browser/read/frame-owners.ts';
import { inPage } from '../../browser/tabs/in-page.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { capturePicture, type TabPicture, Screencast } from '../../browser/tabs/screencast.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { makeVisible } from '../../browser/tabs/visible.ts';
import { callAll } from '../../core/collections.ts';
import { detach } from '../../core/events.ts';
import { monotonicMs } from '../../core/time.ts';

/** A rectangle in CSS pixels of the viewport. */
export interface PictureArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface CastPicture extends TabPicture {
  /** The fields that the picture must not show. */
  readonly secrets: readonly PictureArea[];
}

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

/** How old the known areas of secrets may be. */
const AREAS_MS = 400;
/** A page that does not answer in this time keeps its known areas. */
const PATIENCE_MS = 500;

export class TabCast implements Disposable {
  readonly #tab: Tab;
  readonly #options: TabCastOptions;
  readonly #cast: Screencast;
  readonly #off: (() => void)[];
  #secrets: readonly PictureArea[] | undefined;
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;

  constructor(tab: Tab, options: TabCastOptions) {
    this.#tab = tab;
    this.#options = options;
    const { maxWidth } = options;
    this.#cast = new Screencast(tab, { maxWidth, onPicture: (one) => detach(this.#receive(one)) });
    this.#off = [
      tab.events.on('navigated', () => (this.#lookedAt = -Infinity)),
      tab.events.on('aimed', (aimed) => void this.#reportAim(aimed)),
    ];
  }

  acknowledge(): void {
    this.#cast.acknowledge();
  }

  /** Asks Chrome for a picture of a tab that draws nothing in the background. */
  async refresh(): Promise<void> {
    await makeVisible(this.#tab, AbortSignal.timeout(PATIENCE_MS)).catch(() => {});
    const picture = await capturePicture(this.#tab).catch(() => undefined);
    if (picture) await this.#receive(picture);
  }

  /** The first picture of a page waits until its secrets are known. */
  async #receive(picture: TabPicture): Promise<void> {
    if (monotonicMs() - this.#lookedAt > AREAS_MS) {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    this.#options.onPicture({ ...picture, secrets: this.#secrets ?? [] });
  }

  async #look(): Promise<void> {
    this.#lookedAt = monotonicMs();
    const found = await findSecrets(this.#tab).catch(() => undefined);
    this.#secrets = found ?? this.#secrets;
  }

  async #reportAim({ did, point, target }: Aimed): Promise<void> {
    const area = target && (await measureTarget(target).catch(() => undefined));
    this.#options.onAim({ did, ...(point && { point }), ...(area && { area }) });
  }

  [Symbol.dispose](): void {
    callAll(this.#off);
    this.#cast[Symbol.dispose]();
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
  const area = await frame.call(inPage.more.measureArea, [id], signal);
  return area ? toPage(frame, area, signal) : undefined;
};

/** Converts an area of a frame to coordinates of the main frame. */
const toPage = async (
  frame: Frame,
  area: PictureArea,
  signal: AbortSignal,
): Promise<PictureArea | undefined> => {
  if (!frame.parent) return area;
  const { x, y, width, height } = area;
  const middle = await toPageCoordinates(frame, { x: x + width / 2, y: y + height / 2 }, signal);
  if (!('point' in middle)) return undefined;
  return { x: middle.point.x - width / 2, y: middle.point.y - height / 2, width, height };
};

/** The areas of the fields with secrets that the viewport shows, in all frames. */
export const findSecrets = async (tab: Tab): Promise<readonly PictureArea[]> => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const found = await Promise.all(
    tab.frames.all().map(async (frame) => {
      const areas = await frame.call(inPage.live.findSecretAreas, [], signal).catch(() => []);
      return Promise.all(areas.map((area) => toPage(frame, area, signal)));
    }),
  );
  return found.flat().filter((area) => area !== undefined);
};
