// Finds the fields with secrets that a tab shows, and paints over them in its pictures.
import { isGone } from '../../browser/cdp/errors.ts';
import { findFrameOwner } from '../../browser/read/frame-owners.ts';
import { inPage } from '../../browser/tabs/in-page.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { capturePicture, type TabPicture } from '../../browser/tabs/screencast.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { attempt } from '../../core/attempt.ts';
import { monotonicMs } from '../../core/time.ts';
import { maskJpeg } from './mask-jpeg.ts';

/** A rectangle in CSS pixels of the viewport. */
export interface PictureArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface CastPicture extends TabPicture {
  /** The fields that were painted over. */
  readonly secrets: readonly PictureArea[];
}

/** A page that does not answer in this time is busy. */
export const PATIENCE_MS = 500;
/** A picture can be older than the last looks at its page, in which a field was elsewhere. */
const LOOKS_MS = 1_500;

/** The secrets of a tab by frame and element, at one time. */
interface Look {
  readonly at: number;
  readonly secrets: ReadonlyMap<string, PictureArea>;
}

/** Paints over the fields with secrets in pictures of a tab. */
export class TabSecrets {
  readonly #tab: Tab;
  #looks: readonly Look[] = [];
  /** The document of the last look. */
  #document: string | undefined;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Finds the secrets of the page; needed once before the first picture is taken. */
  async look(): Promise<void> {
    const { loaderId } = this.#tab.frames.main;
    const secrets = await findSecrets(this.#tab).catch(() => undefined); // the page is busy
    if (secrets) this.#keep(secrets, loaderId);
  }

  /** Undefined if the page has never answered, or if the picture cannot be changed. */
  async hide(picture: TabPicture): Promise<CastPicture | undefined> {
    await this.look();
    if (this.#document !== this.#tab.frames.main.loaderId) return undefined;
    return attempt(() => maskPicture(picture, mergeLooks(this.#looks)));
  }

  /** Keeps the looks that the next picture can be older than. */
  #keep(secrets: Look['secrets'], document: string): void {
    const now = monotonicMs();
    const recent = this.#looks.filter(({ at }) => now - at < LOOKS_MS);
    const last = recent.length > 0 ? recent : this.#looks.slice(-1);
    this.#looks = [...last, { at: now, secrets }];
    this.#document = document;
  }
}

/**
 * A field that has moved between the looks is hidden in all places between them, and as far again
 * around them, because it can have turned back in the meantime.
 */
const mergeLooks = (looks: readonly Look[]): readonly PictureArea[] => {
  const merged = new Map<string, { readonly last: PictureArea; readonly all: PictureArea }>();
  for (const { secrets } of looks)
    for (const [key, last] of secrets)
      merged.set(key, { last, all: enclose(merged.get(key)?.all ?? last, last) });
  return [...merged.values()].map(({ last, all }) => {
    const [moveX, moveY] = [all.width - last.width, all.height - last.height];
    return {
      x: all.x - moveX,
      y: all.y - moveY,
      width: all.width + 2 * moveX,
      height: all.height + 2 * moveY,
    };
  });
};

const enclose = (one: PictureArea, other: PictureArea): PictureArea => {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  const right = Math.max(one.x + one.width, other.x + other.width);
  const bottom = Math.max(one.y + one.height, other.y + other.height);
  return { x, y, width: right - x, height: bottom - y };
};

const maskPicture = (picture: TabPicture, secrets: readonly PictureArea[]): CastPicture => {
  if (secrets.length === 0) return { ...picture, secrets };
  return { ...picture, jpeg: maskJpeg(picture.jpeg, picture, secrets), secrets };
};

/** Captures the viewport with fields with secrets painted over; throws if the page is busy. */
export const captureHidden = async (tab: Tab, signal: AbortSignal): Promise<Buffer> => {
  const before = await findSecrets(tab);
  const picture = await capturePicture(tab, signal);
  const looks = [before, await findSecrets(tab)].map((secrets) => ({ at: 0, secrets }));
  return maskPicture(picture, mergeLooks(looks)).jpeg;
};

/** Converts areas of a frame to coordinates of the main frame; none if the frame was removed. */
export const toPage = async (
  frame: Frame,
  areas: readonly PictureArea[],
  signal: AbortSignal,
): Promise<readonly PictureArea[]> => {
  const { parent } = frame;
  if (!parent || areas.length === 0) return areas;
  const owner = await findFrameOwner(frame, parent, signal);
  if (owner === undefined) return [];
  const outer = await parent.call(inPage.live.mapAreasThroughFrame, [owner, areas], signal);
  return toPage(parent, outer, signal);
};

/** The areas of the fields with secrets that the viewport shows, in all frames. */
const findSecrets = async (tab: Tab): Promise<Look['secrets']> => {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const found = await Promise.all(tab.frames.all().map((frame) => findInFrame(frame, signal)));
  return new Map(found.flat());
};

/** An area that is larger than any frame. */
const WHOLE_FRAME: PictureArea = { x: 0, y: 0, width: 20_000, height: 20_000 };

/** A frame that does not answer is hidden as a whole. */
const findInFrame = async (
  frame: Frame,
  signal: AbortSignal,
): Promise<(readonly [string, PictureArea])[]> => {
  try {
    const found = await frame.call(inPage.live.findSecretAreas, [], signal);
    const areas = await toPage(frame, found, signal);
    return areas.map((area, i) => [`${frame.id} ${found[i]?.id}`, area]);
  } catch (error) {
    if (isGone(error)) return [];
    if (!frame.parent) throw error;
    const [whole] = await toPage(frame, [WHOLE_FRAME], AbortSignal.timeout(PATIENCE_MS));
    return whole ? [[`${frame.id} whole`, whole]] : [];
  }
};
