// Worker threads are bundled at build into one string each.
declare module 'worker-script:*' {
  const source: string;
  export default source;
}
