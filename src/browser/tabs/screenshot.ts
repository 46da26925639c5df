// Captures screenshots: the viewport, the full page, an area or an element, scaled for models.
import { defined, ifDefined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { ElementArea as Area } from '../../page/call-answers.ts';
import { makeVisible } from './shown-page.ts';
import type { Tab } from './tab.ts';

export type ImageFormat = 'png' | 'jpeg' | 'webp';

interface ScreenshotOptions {
  readonly format: ImageFormat;
  readonly quality?: number;
  /** In page coordinates; the viewport if undefined. */
  readonly area?: Area | 'full';
  /** Keep every pixel instead of scaling to the models' limits. */
  readonly original?: boolean;
}

export interface Screenshot {
  readonly data: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  /** Below 1 if the image is smaller than the page; divide image coordinates by it. */
  readonly scale: number;
}

/** The hosts of models scale larger images down anyway. */
const MAX_SIDE = 1568;
const MAX_PIXELS = 1_150_000;
/** Chrome's encoder fails above this size. */
const MAX_TEXTURE = 16_384;

const scaleForModels = (width: number, height: number): number =>
  Math.min(1, MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_PIXELS / (width * height)));

export const captureScreenshot = async (
  tab: Tab,
  options: ScreenshotOptions,
  signal: AbortSignal,
): Promise<Screenshot> => {
  const { format, quality, original } = options;
  // Not awaited here: Chrome runs the commands of a tab in their order.
  const visible = makeVisible(tab, signal);
  visible.catch(() => {}); // awaited below, unless the area cannot be measured
  const area =
    options.area === undefined && fitsAsIs(tab)
      ? undefined
      : await measureArea(tab, options.area, signal);
  const size = area ?? tab.viewport ?? { width: 0, height: 0 };
  if (area && (area.width < 1 || area.height < 1))
    throw fail('invalid_argument', 'The area of the screenshot is empty.', { area });
  const scale = Math.min(
    original ? 1 : scaleForModels(size.width, size.height),
    MAX_TEXTURE / Math.max(size.width, size.height),
  );
  const captured = tab.cdp.send(
    'Page.captureScreenshot',
    defined({
      format,
      quality: quality === undefined || format === 'png' ? undefined : quality,
      clip: ifDefined(area, (area) => ({
        ...area,
        scale: original ? scale : scale / tab.pixelRatio,
      })),
      captureBeyondViewport: valueIf(area, options.area !== undefined),
      optimizeForSpeed: true,
    }),
    signal,
  );
  const [{ data }] = await Promise.all([captured, visible]);
  return {
    data,
    mimeType: `image/${format}`,
    width: Math.round(size.width * scale),
    height: Math.round(size.height * scale),
    scale,
  };
};

/** Whether the viewport has a known size and needs no scaling, so that one command is enough. */
const fitsAsIs = ({ viewport, pixelRatio }: Tab): boolean =>
  viewport !== undefined &&
  pixelRatio === 1 &&
  scaleForModels(viewport.width, viewport.height) === 1;

const measureArea = async (
  tab: Tab,
  area: Area | 'full' | undefined,
  signal: AbortSignal,
): Promise<Area> => {
  if (typeof area === 'object') return area;
  const { cssLayoutViewport, cssContentSize, cssVisualViewport } = await tab.cdp.send(
    'Page.getLayoutMetrics',
    undefined,
    signal,
  );
  if (area === 'full')
    return {
      x: 0,
      y: 0,
      width: Math.ceil(cssContentSize.width),
      height: Math.ceil(cssContentSize.height),
    };
  return {
    x: cssVisualViewport.pageX,
    y: cssVisualViewport.pageY,
    width: cssLayoutViewport.clientWidth,
    height: cssLayoutViewport.clientHeight,
  };
};
