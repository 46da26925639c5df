// One signal that follows several.
import type { Failure } from '../../core/failure.ts';

/**
 * Aborts with `reason()` as soon as one of the sources does; dispose of it to let go of them. Not
 * AbortSignal.any, because what we hand to the pipeline must carry a Failure whatever the source
 * aborted with.
 */
export const combineSignals = (
  sources: readonly (AbortSignal | undefined)[],
  reason: (source: AbortSignal) => Failure,
): { signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const stops = sources.flatMap((source) =>
    source ? [listen(source, () => controller.abort(reason(source)))] : [],
  );
  return { signal: controller.signal, [Symbol.dispose]: () => stops.map((stop) => stop()) };
};

const listen = (source: AbortSignal, onAbort: () => void): (() => void) => {
  if (source.aborted) onAbort();
  else source.addEventListener('abort', onAbort, { once: true });
  return () => source.removeEventListener('abort', onAbort);
};
