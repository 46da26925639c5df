// Cleans large texts in a worker thread, with limits on time and memory.
import { fail } from '../core/failure.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../core/worker-pool.ts';
import type { SanitisedText, SanitiseOptions } from './sanitise-text.ts';
import type { TextCleaningAnswer, TextCleaningRequest } from './workers/text-cleaning.ts';

const CLEANING_MS = 30_000;
/** The text, its copies in each rule, and the decoded copies in which secrets are searched. */
const MAX_HEAP_MB = 768;
/** After a longer text the thread is not reused, because its heap is mostly garbage. */
const MAX_REUSED_CHARS = 8 * 1024 * 1024;

const SCRIPT: WorkerScript = {
  name: 'text-cleaning',
  loadSource: async () => (await import('worker-script:text-cleaning')).default,
  maxHeapMb: MAX_HEAP_MB,
};

export class TextWorker {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  /** `secrets`: the known secrets, in tables that are searched one after the other. */
  async redact(
    text: string,
    secrets: readonly (readonly string[])[],
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { text: clean = text } = await this.#run({ kind: 'redact', text, secrets }, signal);
    return clean;
  }

  async sanitise(
    text: string,
    options: SanitiseOptions,
    signal: AbortSignal | undefined,
  ): Promise<SanitisedText> {
    const answer = await this.#run({ kind: 'sanitise', text, options }, signal);
    if (!answer.findings) throw new Error('the worker thread did not sanitise the text');
    return { text: answer.text ?? text, findings: answer.findings };
  }

  async #run(
    request: TextCleaningRequest,
    signal: AbortSignal | undefined,
  ): Promise<TextCleaningAnswer> {
    try {
      return await this.#workers.run<TextCleaningAnswer>(SCRIPT, request, {
        timeoutMs: CLEANING_MS,
        onTimeout: () =>
          fail('timeout', `Cleaning ${request.text.length} characters took too long.`),
        signal,
        retireThread: request.text.length > MAX_REUSED_CHARS,
      });
    } catch (error) {
      // The text is never returned uncleaned.
      throw isWorkerOutOfMemory(error)
        ? fail('payload_too_large', `The text is too long (${request.text.length} characters).`)
        : error;
    }
  }
}
