// The name of an argument as it is listed: snake_case, and one name for one meaning.

/** Arguments whose listed name differs by more than the spelling. */
const LISTED_NAMES: ReadonlyMap<string, string> = new Map([['waitForMs', 'wait_ms']]);

/** `tabId` -> `tab_id`, `outerHTML` -> `outer_html` */
export const formatArgumentName = (name: string): string =>
  LISTED_NAMES.get(name) ?? name.replaceAll(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);

/** Renames the arguments of an object; nested names are part of a value and stay. */
export const formatArgumentNames = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [formatArgumentName(name), value]),
  );
