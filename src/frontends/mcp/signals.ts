// Combines several abort signals into one.
import { listDefined } from '../../core/collections.ts';
import { ifDefined } from '../../core/defined.ts';
import type { Failure } from '../../core/failure.ts';

/**
 * Aborts with `reason()` when one of the sources aborts; dispose it to remove the listeners. Not
 * AbortSignal.any, because the pipeline needs a Failure as the reason.
 */
export const combineSignals = (
  sources: readonly (AbortSignal | undefined)[],
  reason: (source: AbortSignal) => Failure,
): { signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const stops = sources.flatMap((source) =>
    listDefined(
      ifDefined(source, (source) => listen(source, () => controller.abort(reason(source)))),
    ),
  );
  return { signal: controller.signal, [Symbol.dispose]: () => stops.map((stop) => stop()) };
};

const listen = (source: AbortSignal, onAbort: () => void): (() => void) => {
  if (source.aborted) onAbort();
  else source.addEventListener('abort', onAbort, { once: true });
  return () => source.removeEventListener('abort', onAbort);
};
