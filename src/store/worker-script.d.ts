// Declares modules with the source of a worker script, which the build bundles as a string.
declare module 'worker-script:*' {
  const source: string;
  export default source;
}
