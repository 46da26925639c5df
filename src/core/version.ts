// The version of this build; the bundler inserts it.

declare const OPENCHROME_VERSION: string | undefined;

export const VERSION: string =
  typeof OPENCHROME_VERSION === 'string' ? OPENCHROME_VERSION : '0.0.0-dev';
