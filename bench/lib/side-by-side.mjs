// What was measured of several servers, and the table of it: a row for each thing, a column for
// each server, raw CDP first.
import { median, ms, times } from './stats.mjs';

/**
 * Collects numbers by thing and server. What failed is told in the place of a number, and does not
 * end the run.
 */
export const collection = () => {
  const things = new Map();
  const cellOf = (what, { name }) => {
    if (!things.has(what)) things.set(what, new Map());
    const cells = things.get(what);
    if (!cells.has(name)) cells.set(name, { values: [] });
    return cells.get(name);
  };
  return {
    note: (what, peer, value) => cellOf(what, peer).values.push(value),
    failed: (what, peer, error) =>
      (cellOf(what, peer).failed ??= `failed: ${firstLine(error.message ?? error)}`),
    things: () => [...things.keys()],
    /** The median, or why there is none. */
    of: (what, peer) => {
      const { values, failed } = cellOf(what, peer);
      return failed ?? (values.length ? median(values) : undefined);
    },
  };
};

const firstLine = (text) => String(text).replaceAll('|', '/').split('\n')[0].slice(0, 100);

/** Does one thing with a server and keeps its time. */
export const timeOf = async (found, what, peer, work) => {
  try {
    const entry = await work();
    if (entry.isError) throw new Error(entry.text);
    found.note(what, peer, entry.ms);
  } catch (error) {
    found.failed(what, peer, error);
  }
};

/** A time, and how often that of raw CDP it is. */
export const besideRaw = (value, raw) => {
  if (typeof value !== 'number') return value ?? '–';
  return typeof raw === 'number' && raw !== value
    ? `${ms(value)} (${times(raw ? value / raw : 0)})`
    : ms(value);
};

export const timeRows = (found, peers) =>
  found
    .things()
    .map((what) => [
      what,
      ...peers.map((peer) => besideRaw(found.of(what, peer), found.of(what, peers[0]))),
    ]);

export const table = (title, says, peers, rows) => ({
  title,
  says,
  head: ['', ...peers.map(({ name }) => name)],
  rows,
});

export const grouped = (number) => Math.round(number).toLocaleString('en');
