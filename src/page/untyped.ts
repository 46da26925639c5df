// Checks of values whose type is unknown, such as parsed JSON of a page.

/** Throws a SyntaxError for text that is not JSON. */
export const parseJson = (text: string): unknown => JSON.parse(text);

/** Like Array.isArray, which would make the items `any`. */
export const isUnknownArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
