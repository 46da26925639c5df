// Runs PDFium (WebAssembly) without files, network, clock or environment, in limited memory.

/** The functions of PDFium that are used; pointers, numbers and booleans are numbers. */
interface PdfiumExports {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  readonly __wasm_call_ctors: () => void;
  readonly emscripten_stack_init: () => void;
  readonly emscripten_stack_get_current: () => number;
  readonly _emscripten_stack_restore: (pointer: number) => void;
  readonly setThrew: (threw: number, value: number) => void;
  readonly malloc: (bytes: number) => number;
  readonly free: (address: number) => void;
  readonly PDFiumExt_Init: () => void;
  readonly FPDF_LoadMemDocument: (data: number, bytes: number, password: number) => number;
  readonly FPDF_GetLastError: () => number;
  readonly FPDF_GetPageCount: (document: number) => number;
  readonly FPDF_GetMetaText: (
    document: number,
    tag: number,
    buffer: number,
    bytes: number,
  ) => number;
  readonly FPDF_LoadPage: (document: number, index: number) => number;
  readonly FPDF_ClosePage: (page: number) => void;
  readonly FPDF_GetPageWidthF: (page: number) => number;
  readonly FPDF_GetPageHeightF: (page: number) => number;
  readonly FPDFPage_CountObjects: (page: number) => number;
  readonly FPDFPage_GetObject: (page: number, index: number) => number;
  readonly FPDFPageObj_GetType: (object: number) => number;
  readonly FPDFPageObj_GetMatrix: (object: number, matrix: number) => number;
  readonly FPDFPageObj_GetMarkedContentID: (object: number) => number;
  readonly FPDFPageObj_GetFillColor: (
    object: number,
    red: number,
    green: number,
    blue: number,
    alpha: number,
  ) => number;
  readonly FPDFText_LoadPage: (page: number) => number;
  readonly FPDFText_ClosePage: (text: number) => void;
  readonly FPDFText_CountChars: (text: number) => number;
  /** Returns the number of written units, with the final zero. */
  readonly FPDFText_GetText: (text: number, start: number, count: number, buffer: number) => number;
  readonly FPDFText_GetUnicode: (text: number, index: number) => number;
  readonly FPDFText_GetTextObject: (text: number, index: number) => number;
  readonly FPDFText_GetCharOrigin: (text: number, index: number, x: number, y: number) => number;
  readonly FPDFText_GetCharBox: (
    text: number,
    index: number,
    left: number,
    right: number,
    bottom: number,
    top: number,
  ) => number;
  readonly FPDFTextObj_GetFontSize: (object: number, size: number) => number;
  readonly FPDFTextObj_GetTextRenderMode: (object: number) => number;
  readonly FPDFTextObj_GetFont: (object: number) => number;
  readonly FPDFFont_GetWeight: (font: number) => number;
  readonly FPDFFont_GetBaseFontName: (font: number, buffer: number, bytes: number) => number;
  readonly FPDF_StructTree_GetForPage: (page: number) => number;
  readonly FPDF_StructTree_Close: (tree: number) => void;
  readonly FPDF_StructTree_CountChildren: (tree: number) => number;
  readonly FPDF_StructTree_GetChildAtIndex: (tree: number, index: number) => number;
  readonly FPDF_StructElement_GetType: (element: number, buffer: number, bytes: number) => number;
  readonly FPDF_StructElement_CountChildren: (element: number) => number;
  readonly FPDF_StructElement_GetChildAtIndex: (element: number, index: number) => number;
  readonly FPDF_StructElement_GetChildMarkedContentID: (element: number, index: number) => number;
}

/** Emscripten throws this number for C's longjmp, which the image decoders use. */
const LONGJMP = Infinity;
const PAGE_BYTES = 65_536;
const GROWTH = 1.5;
/** `-ENOENT`: no file exists. */
const NO_FILE = -44;

export class OutOfMemory extends Error {}

/** Writes a text to a buffer; returns its size in bytes. */
type BufferWriter = (buffer: number, bytes: number) => number;

/** Uint8Array or Uint16Array. */
interface UnitArray {
  readonly BYTES_PER_ELEMENT: number;
  new (memory: ArrayBuffer, address: number, length: number): Iterable<number>;
}

export class Pdfium {
  readonly call: PdfiumExports;
  /** Memory for results of up to `SCRATCH_BYTES`. */
  readonly scratch: number;
  readonly #maxBytes: number;
  #view: DataView;

  /** One instance per document, so that no state of one document reaches the next. */
  constructor(module: WebAssembly.Module, maxBytes: number) {
    this.#maxBytes = maxBytes;
    const { exports } = new WebAssembly.Instance(module, this.#buildImports());
    this.call = exports as Readonly<Record<string, unknown>> & PdfiumExports;
    this.#view = new DataView(this.call.memory.buffer);
    this.call.emscripten_stack_init();
    this.call.__wasm_call_ctors();
    this.scratch = this.call.malloc(SCRATCH_BYTES);
    this.call.PDFiumExt_Init();
  }

  /** A view of the memory; growing the memory detaches earlier views. */
  get view(): DataView {
    const { buffer } = this.call.memory;
    if (this.#view.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }

  /** Copies bytes into the memory and returns their address. */
  store(bytes: Uint8Array): number {
    const address = this.call.malloc(Math.max(1, bytes.length));
    if (address === 0) throw new OutOfMemory();
    new Uint8Array(this.call.memory.buffer).set(bytes, address);
    return address;
  }

  /** Reads a text that PDFium writes to a buffer as UTF-16 with a final zero. */
  readText(write: BufferWriter): string {
    return this.#readUnits(Uint16Array, write);
  }

  /** Reads an ASCII text that PDFium writes to a buffer with a final zero. */
  readName(write: BufferWriter): string {
    return this.#readUnits(Uint8Array, write);
  }

  /** Reads a text of at most `maxUnits` units of UTF-16, with the final zero. */
  readUnits(maxUnits: number, write: (buffer: number) => number): string {
    const buffer = this.call.malloc(maxUnits * 2);
    if (buffer === 0) throw new OutOfMemory();
    const units = Math.min(write(buffer), maxUnits) - 1;
    const bytes = new Uint8Array(this.call.memory.buffer, buffer, Math.max(0, units) * 2);
    const text = UTF16.decode(bytes);
    this.call.free(buffer);
    return text;
  }

  #readUnits(Units: UnitArray, write: BufferWriter): string {
    const bytes = Math.min(write(this.scratch, SCRATCH_BYTES), SCRATCH_BYTES);
    const length = Math.max(0, Math.floor(bytes / Units.BYTES_PER_ELEMENT));
    const units = new Units(this.call.memory.buffer, this.scratch, length);
    return String.fromCharCode(...units).replaceAll('\0', '');
  }

  #buildImports(): Record<string, Record<string, unknown>> {
    const noFile = (): number => NO_FILE;
    const nothing = (): number => 0;
    const env: Record<string, unknown> = {
      _abort_js: () => this.#abort('abort'),
      __assert_fail: () => this.#abort('assertion'),
      _emscripten_throw_longjmp: () => {
        // oxlint-disable-next-line no-throw-literal -- the value that the invoke functions expect
        throw LONGJMP;
      },
      _emscripten_memcpy_js: (to: number, from: number, bytes: number) =>
        new Uint8Array(this.call.memory.buffer).copyWithin(to, from, from + bytes),
      emscripten_resize_heap: (bytes: number) => this.#grow(bytes >>> 0),
      emscripten_date_now: nothing,
      _tzset_js: nothing,
      _localtime_js: nothing,
      _gmtime_js: nothing,
    };
    for (const name of SYSTEM_CALLS) env[`__syscall_${name}`] = noFile;
    for (const name of INVOKED) env[`invoke_${name}`] = this.#invoke;
    const wasi = {
      fd_close: nothing,
      fd_read: noFile,
      fd_seek: noFile,
      fd_sync: nothing,
      fd_write: (_file: number, _parts: number, _count: number, written: number) => {
        this.view.setUint32(written, 0, true);
        return 0;
      },
      environ_get: nothing,
      environ_sizes_get: (count: number, bytes: number) => {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(bytes, 0, true);
        return 0;
      },
    };
    return { env, wasi_snapshot_preview1: wasi };
  }

  /** Calls a function of the table; a longjmp inside it is reported with `setThrew`. */
  readonly #invoke = (index: number, ...values: number[]): number => {
    const stack = this.call.emscripten_stack_get_current();
    try {
      return this.call.__indirect_function_table.get(index)?.(...values) ?? 0;
    } catch (error) {
      this.call._emscripten_stack_restore(stack);
      if (error !== LONGJMP) throw error;
      this.call.setThrew(1, 0);
      return 0;
    }
  };

  /** PDFium aborts if it gets no memory. */
  #abort(reason: string): never {
    if (this.#isFull) throw new OutOfMemory();
    throw new Error(`PDFium stopped: ${reason}`);
  }

  #isFull = false;

  #grow(bytes: number): number {
    const { memory } = this.call;
    const { byteLength } = memory.buffer;
    this.#isFull = bytes > this.#maxBytes;
    if (this.#isFull) return 0;
    // more than requested, because each growth takes about a millisecond
    const wanted = Math.min(this.#maxBytes, Math.max(bytes, byteLength * GROWTH));
    memory.grow(Math.ceil((wanted - byteLength) / PAGE_BYTES));
    return 1;
  }
}

/** Keeps characters that have no meaning, and a byte order mark at the start. */
const UTF16 = new TextDecoder('utf-16le', { ignoreBOM: true });
const SCRATCH_BYTES = 4096;
const SYSTEM_CALLS = [
  ...['openat', 'fcntl64', 'ioctl', 'fstat64', 'stat64', 'newfstatat', 'lstat64'],
  ...['getdents64', 'unlinkat', 'rmdir', 'ftruncate64'],
];
/** Signatures of the functions that C code calls through JavaScript. */
const INVOKED = [
  ...['v', 'vi', 'vii', 'viii', 'viiii', 'viiiiiiiii'],
  ...['ii', 'iii', 'iiii', 'iiiii'],
];
