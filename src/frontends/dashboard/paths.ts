// Paths of the dashboard that other files name. Loads nothing.
export const TICKET_PATH = '/dashboard/ticket';
export const LIVE_PATH = '/dashboard/live';
