// What the tools' declarations say, as plain data: made when the project is built, so that it is
// never out of date.
declare module 'tool-usage' {
  const usages: import('../../toolkit/usage.ts').Usages;
  export default usages;
}
