// Paths and headers of the dashboard that other files name. Loads nothing.
export const TICKET_PATH = '/dashboard/ticket';
export const LIVE_PATH = '/dashboard/live';
/** The key of a viewer's page. */
export const KEY_HEADER = 'x-openchrome-key';
