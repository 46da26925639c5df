// Parses JSON to `unknown`, so that callers must check what they got.

/** Throws a SyntaxError for text that is not JSON. */
export const parseJson = (text: string): unknown => JSON.parse(text);
