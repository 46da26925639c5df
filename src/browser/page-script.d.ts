// Page-scripts are bundled at build into one string each.
declare module 'page-script:*' {
  const source: string;
  export default source;
}

declare module 'page-script-functions:*' {
  const names: readonly string[];
  export default names;
}
