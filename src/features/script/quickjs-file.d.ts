// Declares the module with the path of QuickJS's WebAssembly code.
declare module 'quickjs-file' {
  /** The path of the WebAssembly module, which the build writes. */
  const path: string;
  export default path;
}
