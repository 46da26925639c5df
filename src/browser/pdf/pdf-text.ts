// Reads the text of a PDF in a worker thread, with limits on size, time and memory.
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { fail, type Failure, type FailureFacts } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { openRegularFile } from '../../system/private-files.ts';
import { MAX_PDF_BYTES } from './pdf-kind.ts';
import { buildReading, type PdfReading } from './pdf-parts.ts';
import type { PdfAnswer, PdfHalf, PdfProblem, PdfRequest } from './workers/pdf.ts';

export type { PdfReading } from './pdf-parts.ts';

/** The first page that starts after this time is not read any more. */
const READ_MS = 10_000;
/** Then the thread is terminated: a single page may take this long. */
const MAX_MS = 15_000;
const MAX_PAGES = 5000;
const MAX_CHARS = 4_000_000;
/** Memory of PDFium, which is not part of the thread's heap. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const MAX_HEAP_MB = 512;
/** After a larger file the thread is not reused, because it keeps its memory. */
const MAX_REUSED_BYTES = 8 * 1024 * 1024;
/** Smaller files have few pages. */
const MIN_DIVIDED_BYTES = 64 * 1024;

const SCRIPT: WorkerScript = {
  name: 'pdf',
  loadSource: async () => (await import('worker-script:pdf')).default,
  maxHeapMb: MAX_HEAP_MB,
};

interface PdfTextOptions {
  readonly workers: WorkerPool;
  readonly signal: AbortSignal;
  /** For crawls: reads of pages come first. */
  readonly background?: boolean;
}

const LIMITS: PdfRequest['limits'] = {
  memoryBytes: MAX_MEMORY_BYTES,
  pages: MAX_PAGES,
  chars: MAX_CHARS,
  timeMs: READ_MS,
};

/**
 * Throws a failure if the bytes are not a PDF, or one that cannot be read. The code of PDFium is
 * loaded while `loading` waits for the bytes.
 */
export const readPdfText = async (
  loading: Uint8Array | Promise<Uint8Array>,
  options: PdfTextOptions,
): Promise<PdfReading> => {
  const [bytes, module] = await Promise.all([loading, loadModule()]);
  if (bytes.length > MAX_PDF_BYTES) throw createTooLarge(`it has ${bytes.length} bytes`);
  const answers = await Promise.all(
    chooseHalves(bytes, options).map((half) =>
      runThread({ module, bytes, half, limits: LIMITS }, options),
    ),
  );
  const parts = answers.flatMap((answer) => {
    if ('problem' in answer) throw FAILURES_BY_PROBLEM[answer.problem]();
    return 'part' in answer ? [answer.part] : [];
  });
  for (const answer of answers) if ('reading' in answer) return requirePages(answer.reading);
  return requirePages(buildReading(parts, LIMITS.chars));
};

const requirePages = (reading: PdfReading): PdfReading => {
  if (reading.damaged.length < reading.pages.length) return reading;
  throw createUnreadable('The PDF is damaged: none of its pages can be read.');
};

/** Two threads read one file if no other work needs a thread. */
const chooseHalves = (
  bytes: Uint8Array,
  { workers, background = false }: PdfTextOptions,
): (PdfHalf | undefined)[] => {
  const isSmall = bytes.length < MIN_DIVIDED_BYTES || bytes.length > MAX_REUSED_BYTES;
  const isBusy = workers.load.running > 0 || availableParallelism() < 2;
  return isSmall || isBusy || background ? [undefined] : ['first', 'second'];
};

const runThread = (
  request: PdfRequest,
  { workers, signal, background = false }: PdfTextOptions,
): Promise<PdfAnswer> =>
  workers
    .run<PdfAnswer>(SCRIPT, request, {
      timeoutMs: MAX_MS,
      onTimeout: () => createTooLarge(`reading it took longer than ${MAX_MS} ms`),
      signal,
      background,
      retireThread: request.bytes.length > MAX_REUSED_BYTES,
    })
    .catch((error: unknown) => {
      throw isWorkerOutOfMemory(error) ? createTooLarge('reading it needs too much memory') : error;
    });

/** The code is kept for the next file for this time; loading it takes a tenth of a second. */
const KEEP_MODULE_MS = 60_000;

let compiled: WebAssembly.Module | undefined;
let freeing: Disposable | undefined;

const loadModule = async (): Promise<WebAssembly.Module> => {
  const module = compiled ?? (await compileModule());
  compiled = module;
  freeing?.[Symbol.dispose]();
  freeing = after(KEEP_MODULE_MS, () => (compiled = undefined));
  return module;
};

const compileModule = async (): Promise<WebAssembly.Module> => {
  const { default: path } = await import('pdfium-file');
  await using file = await openRegularFile(path);
  if (!file) throw new Error(`${path} is missing`);
  const code = await file.readFile();
  return WebAssembly.compile(isCompressed(code) ? await decompress(code) : code);
};

const decompress = promisify(brotliDecompress);

/** Modules start with a zero byte; the build compresses the file. */
const isCompressed = (code: Uint8Array): boolean => code[0] !== 0;

/** The failure for a PDF that exceeds a limit. */
export const createTooLarge = (reason: string): Failure =>
  fail('document_too_large', `The PDF is too large: ${reason}.`);

const createUnreadable = (message: string, facts: FailureFacts = {}): Failure =>
  fail('document_unreadable', message, facts);

const FAILURES_BY_PROBLEM: Readonly<Record<PdfProblem, () => Failure>> = {
  empty: () => createUnreadable('The PDF file is empty (0 bytes).'),
  broken: () => createUnreadable('The file is not a PDF, or it is damaged.'),
  password: () => fail('document_encrypted', 'The PDF is encrypted and needs a password.'),
  unsupported: () =>
    fail('document_encrypted', 'The PDF is encrypted with a method that is not supported.'),
  memory: () => createTooLarge('reading it needs too much memory'),
};
