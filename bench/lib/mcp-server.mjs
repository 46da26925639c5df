// An MCP server on stdio with a home of its own, and what its client waits for.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Spawns it, says hello and asks for the tools; `readyMs` is from spawn to the list. BENCH_STDERR=1 shows what it says on stderr. */
export const startMcpServer = async (args) => {
  const dir = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', process.env.BENCH_STDERR ? 'inherit' : 'ignore'],
    env: { ...process.env, HOME: dir, TMPDIR: dir, OPENCHROME_HOME: join(dir, 'home') },
  });
  const waiting = new Map();
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
      waiting.set(++id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { tools } = await request('tools/list');
  const readyMs = performance.now() - startedAt;
  const call = async (name, args = {}) => {
    const { content, isError } = await request('tools/call', { name, arguments: args });
    const text = content
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('\n');
    if (isError) throw new Error(`${name}: ${text}`);
    return text;
  };
  return {
    home: join(dir, 'home'),
    tools,
    readyMs,
    call,
    timed: async (name, args) => {
      const from = performance.now();
      await call(name, args);
      return performance.now() - from;
    },
    residentBytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024,
    end: async () => {
      child.stdin.end();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};
