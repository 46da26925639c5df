// Whether a text is shown in a frame now.
import type { Frame } from '../tabs/frames.ts';

export const textShown = (frame: Frame, text: string, signal: AbortSignal): Promise<boolean> => frame.call<boolean>('actTextShown', [text], signal);
