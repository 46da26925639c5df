// Declares the module with the path of PDFium's code, and the part of WebAssembly that runs it.
declare module 'pdfium-file' {
  /** The path of the WebAssembly module, which the build compresses. */
  const path: string;
  export default path;
}

declare namespace WebAssembly {
  interface Module extends Record<never, never> {}
  const compile: (bytes: Uint8Array) => Promise<Module>;
  const Instance: new (
    module: Module,
    imports: Record<string, Record<string, unknown>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Table {
    get(index: number): ((...values: number[]) => number) | null;
  }
}
