// Pictures of one tab for viewers: finds the fields with secrets, and paints over them.
import { isGone } from '../../browser/cdp/errors.ts';
import { findFrameOwner } from '../../browser/read/frame-owners.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { inPage } from '../../browser/tabs/in-page.ts';
import { capturePicture, Screencast, type TabPicture } from '../../browser/tabs/screencast.ts';
import { makeVisible } from '../../browser/tabs/shown-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { attempt } from '../../core/attempt.ts';
import { callAll } from '../../core/collections.ts';
import { detach } from '../../core/events.ts';
import { after, monotonicMs } from '../../core/time.ts';
import { maskJpeg } from './mask-jpeg.ts';

/** A rectangle in CSS pixels of the viewport. */
interface PictureArea {
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
const PATIENCE_MS = 500;
/** A picture can be older than the last looks at its page, in which a field was elsewhere. */
const LOOKS_MS = 1_500;
/** On a busy machine the looks of that time are too few to see that a field moves. */
const MIN_LOOKS = 4;
/** Larger than any viewport. */
const EVERYWHERE_PX = 20_000;

/** The secrets of a tab by frame and element, at one time. */
interface Look {
  readonly at: number;
  readonly secrets: ReadonlyMap<string, PictureArea>;
}

/** Paints over the fields with secrets in pictures of a tab. */
class TabSecrets {
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
    const recent = this.#looks.findIndex(({ at }) => now - at < LOOKS_MS);
    const first = recent < 0 ? this.#looks.length : recent;
    const last = this.#looks.slice(
      Math.min(first, Math.max(0, this.#looks.length + 1 - MIN_LOOKS)),
    );
    this.#looks = [...last, { at: now, secrets }];
    this.#document = document;
  }
}

/**
 * A field that has moved between the looks is hidden on its whole way across the picture: between
 * two looks it can have been anywhere.
 */
const mergeLooks = (looks: readonly Look[]): readonly PictureArea[] => {
  const merged = new Map<string, { readonly last: PictureArea; readonly all: PictureArea }>();
  for (const { secrets } of looks)
    for (const [key, last] of secrets)
      merged.set(key, { last, all: enclose(merged.get(key)?.all ?? last, last) });
  return [...merged.values()].map(({ last, all }) => ({
    ...all,
    ...(hasGrown(last.width, all.width) && { x: -EVERYWHERE_PX, width: 2 * EVERYWHERE_PX }),
    ...(hasGrown(last.height, all.height) && { y: -EVERYWHERE_PX, height: 2 * EVERYWHERE_PX }),
  }));
};

/** Positions are fractions of pixels. */
const hasGrown = (before: number, after: number): boolean => after - before > 0.5;

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
const toPage = async (
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
const WHOLE_FRAME: PictureArea = { x: 0, y: 0, width: EVERYWHERE_PX, height: EVERYWHERE_PX };

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
