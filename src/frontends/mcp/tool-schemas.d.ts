// The schemas of our tools as they are listed: made when the project is built, because every host
// waits for them.
declare module 'tool-schemas' {
  const schemas: Readonly<
    Partial<Record<string, import('../../toolkit/tool-description.ts').ToolSchema>>
  >;
  export default schemas;
}
