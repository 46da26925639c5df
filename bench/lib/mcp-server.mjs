// An MCP server on stdio with a home of its own, and what its client waits for.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endProcesses } from './processes.mjs';
import { clock } from './stats.mjs';

/** A server that stops responding does not block the run. */
const LIMIT_MS = 120_000;
const GOODBYE_MS = 8000;

/**
 * Node 20 parses the file of NODE_EXTRA_CA_CERTS at each start, in up to 45 ms. That is a cost of the
 * machine, not of a server, so no measured process gets the variable.
 */
export const NO_EXTRA_CERTIFICATES = { NODE_EXTRA_CA_CERTS: undefined };

/**
 * Spawns it, says hello and asks for the tools; `readyMs` is from spawn to the list. BENCH_STDERR=1
 * shows what it says on stderr. A script of Node with its arguments, or a function of the server's
 * folder that gives command, args and env.
 */
export const startMcpServer = async (what) => {
  const dir = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const {
    command = process.execPath,
    args,
    env,
  } = typeof what === 'function' ? what(dir) : { args: what };
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: dir,
    stdio: ['pipe', 'pipe', process.env.BENCH_STDERR ? 'inherit' : 'ignore'],
    env: {
      ...process.env,
      ...NO_EXTRA_CERTIFICATES,
      HOME: dir,
      TMPDIR: dir,
      OPENCHROME_HOME: join(dir, 'home'),
      ...env,
    },
  });
  const waiting = new Map();
  child.stdout.setEncoding('utf8');
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let id = 0;
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`${method}: no answer in ${LIMIT_MS} ms`)),
        LIMIT_MS,
      );
      waiting.set(++id, ({ result, error }) => {
        clearTimeout(limit);
        if (error) reject(new Error(error.message));
        else resolve(result);
      });
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const tools = [];
  for (let cursor = {}; cursor;) {
    const { tools: more, nextCursor } = await request('tools/list', cursor);
    tools.push(...more);
    cursor = nextCursor && { cursor: nextCursor };
  }
  const readyMs = performance.now() - startedAt;
  /** The reply as it is: its text, what it holds beside the text, whether it is a failure. */
  const ask = async (name, args = {}) => {
    const {
      content,
      structuredContent,
      isError = false,
    } = await request('tools/call', { name, arguments: args });
    const text = content
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('\n');
    return { text, isError, apart: structuredContent ? JSON.stringify(structuredContent) : '' };
  };
  const call = async (name, args) => {
    const { text, isError } = await ask(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  };
  return {
    dir,
    home: join(dir, 'home'),
    tools,
    readyMs,
    ask,
    call,
    timed: (name, args) => clock(() => call(name, args)),
    residentBytes: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    end: async () => {
      child.stdin.end();
      if (child.exitCode === null)
        await Promise.race([once(child, 'exit'), pause(GOODBYE_MS, undefined, { ref: false })]);
      await endProcesses(dir);
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};
