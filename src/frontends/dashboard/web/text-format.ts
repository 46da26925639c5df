// Formats numbers, times and addresses for people. Pure.

export const formatClock = (ts: number): string =>
  new Date(ts).toLocaleTimeString([], { hour12: false });

/** Hours and minutes, for the axis of a plot. */
export const formatMinute = (ts: number): string =>
  new Date(ts).toLocaleTimeString([], { hour12: false, hour: '2-digit', minute: '2-digit' });

export const formatDay = (ts: number): string =>
  new Date(ts).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });

export const formatMs = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1_000);
  if (minutes < 60) return `${minutes} min ${seconds} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

export const formatCount = (count: number): string => count.toLocaleString('en-US');

export const formatBytes = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
};

/** The host and path of a URL; other texts unchanged. */
export const shortenUrl = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return url;
  return `${host}${pathname === '/' ? '' : pathname}${search}`;
};

export const formatJson = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? '';

export const formatCounted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
