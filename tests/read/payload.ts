// The payload of a reply with a page-state header.

/** What follows the header's four lines and its blank line. */
export const payload = (reply: string): string => reply.slice(reply.indexOf('\n\n') + 2);

/**
 * The text with its refs counted from e1 in order of appearance: in a tab they go on from page to
 * page.
 */
export const withCountedRefs = (text: string): string => {
  const names = new Map<string, string>();
  return text.replace(/\be\d+\b/g, (ref) => {
    if (!names.has(ref)) names.set(ref, `e${names.size + 1}`);
    return names.get(ref) ?? ref;
  });
};
