// Reads the text of a PDF in worker threads, with limits on size, time and memory.
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { fail, type Failure, type FailureFacts } from '../../core/failure.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { openRegularFile } from '../../system/private-files.ts';
import { MAX_PDF_BYTES } from './pdf-kind.ts';
import { joinParts, type PdfReading } from './pdf-parts.ts';
import type { PdfAnswer, PdfProblem, PdfRequest } from './workers/pdf.ts';

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

/** Throws a failure if the bytes are not a PDF, or one that cannot be read. */
export const readPdfText = async (
  bytes: Uint8Array,
  options: PdfTextOptions,
): Promise<PdfReading> => {
  const { background = false } = options;
  if (bytes.length > MAX_PDF_BYTES) throw createTooLarge(`it has ${bytes.length} bytes`);
  const module = await loadModule();
  const read = (count: number): Promise<Answered[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        readPart({ module, bytes, part: { index, count }, limits: buildLimits(count) }, options),
      ),
    );
  const answers = await read(background ? 1 : countParts(bytes.length));
  const parts = answers.flatMap((answer) => ('part' in answer ? [answer.part] : []));
  if (parts.length === answers.length) return joinParts(parts);
  const [whole] = answers.length === 1 ? answers : await read(1);
  if (whole && 'reading' in whole) return whole.reading;
  throw new Error('the thread has not read the document');
};

type Answered = Exclude<PdfAnswer, { readonly problem: PdfProblem }>;

/** Two threads read a file of this size in half of the time; smaller files are short. */
const MIN_SPLIT_BYTES = 512 * 1024;

const countParts = (bytes: number): number =>
  bytes >= MIN_SPLIT_BYTES && bytes <= MAX_REUSED_BYTES && availableParallelism() > 1 ? 2 : 1;

const buildLimits = (count: number): PdfRequest['limits'] => ({
  memoryBytes: MAX_MEMORY_BYTES / count,
  pages: MAX_PAGES,
  chars: MAX_CHARS / count,
  timeMs: READ_MS,
});

const readPart = async (
  request: PdfRequest,
  { workers, signal, background = false }: PdfTextOptions,
): Promise<Answered> => {
  const answer = await workers
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
  if ('problem' in answer) throw FAILURES_BY_PROBLEM[answer.problem]();
  return answer;
};

/** Weak, so that the compiled code is freed after the last thread that uses it. */
let compiled: WeakRef<WebAssembly.Module> | undefined;

const loadModule = async (): Promise<WebAssembly.Module> => {
  const known = compiled?.deref();
  if (known) return known;
  const { default: path } = await import('pdfium-file');
  await using file = await openRegularFile(path);
  if (!file) throw new Error(`${path} is missing`);
  const code = await file.readFile();
  const module = await WebAssembly.compile(isCompressed(code) ? await decompress(code) : code);
  compiled = new WeakRef(module);
  return module;
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
