// One running server of a kind, and the log of what was asked of it: milliseconds, tokens read and
// written.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMcpServer } from './mcp-server.mjs';
import { tokens } from './outline.mjs';

const sum = (entries, of) => entries.reduce((total, entry) => total + of(entry), 0);

/** BENCH_TRACE=200 shows every call and so much of its reply. */
const SHOWN = Number(process.env.BENCH_TRACE ?? 0);

/**
 * Starts what an adapter is for. An operation gives `{ text, ms, isError }`; tokens are counted
 * only afterwards, so never in a time.
 */
export const startSession = async (adapter) => {
  const log = [];
  const session = { log };
  /** Times one operation; `steps` are the calls it is made of. */
  session.operation = async (name, wrote, work) => {
    const from = performance.now();
    const { text = '', isError = false, apart = '', steps = 1 } = (await work()) ?? {};
    const entry = { name, wrote, text, isError, apart, steps, ms: performance.now() - from };
    if (SHOWN)
      console.error(
        `  [${adapter.name}] ${wrote.slice(0, SHOWN)} -> ${Math.round(entry.ms)} ms ${JSON.stringify(text.slice(0, SHOWN))}`,
      );
    log.push(entry);
    return entry;
  };
  const server = adapter.start
    ? await adapter.start(session)
    : await startMcpServer(adapter.command);
  session.call = (name, args = {}) =>
    session.operation(name, name + JSON.stringify(args), () => server.ask(name, args));
  session.file = join(server.dir, 'note.txt');
  writeFileSync(session.file, 'A note.\n');
  return Object.assign(session, {
    dir: server.dir,
    tools: server.tools,
    readyMs: server.readyMs,
    /** What the work cost: calls, milliseconds of waiting, tokens that a model read and wrote. */
    cost: async (work) => {
      const from = log.length;
      const value = await work();
      const made = log.slice(from);
      return {
        value,
        calls: sum(made, ({ steps }) => steps),
        ms: sum(made, ({ ms }) => ms),
        read: sum(made, ({ text }) => tokens(text)),
        wrote: sum(made, ({ wrote }) => tokens(wrote)),
      };
    },
    end: async () => {
      await adapter.goodbye?.(session)?.catch(() => {}); // one that is gone already
      await server.end();
    },
  });
};
