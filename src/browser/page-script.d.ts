// Type of the page script imports: the build bundles each script into one string.
declare module 'page-script:*' {
  const source: string;
  export default source;
}
