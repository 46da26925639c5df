// The payload of a reply with a page-state header.

/** What follows the header's four lines and its blank line. */
export const payload = (reply: string): string => reply.slice(reply.indexOf('\n\n') + 2);
