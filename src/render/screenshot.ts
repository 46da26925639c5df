// Renders a screenshot: the image, its size as data, and a text if it was scaled.
import { defined, valueIf } from '../core/defined.ts';

interface ScreenshotData {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

export const renderScreenshot = ({ data, ...facts }: ScreenshotData) => {
  const { mimeType, width, height, scale } = facts;
  const text = valueIf(scale < 1, `scaled to ${width}x${height} (x${scale.toFixed(3)})`);
  return defined({ images: [{ data, mimeType }], text, data: facts });
};
