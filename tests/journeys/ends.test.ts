// However the server ends, its Chrome ends with it, and nothing of it is left.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../frontends/servers.ts';

const DIST = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

interface Running {
  readonly server: ReturnType<typeof spawn>;
  readonly chromePid: number;
  readonly call: (name: string, args?: object) => Promise<string>;
}

/** A server on stdio whose Chrome runs; `command` is how it is started. */
const startServer = async (
  command: readonly string[] = [process.execPath, DIST, '--headless'],
): Promise<Running> => {
  const home = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  const [file = '', ...args] = command;
  const server = spawn(file, args, {
    stdio: 'pipe',
    env: { ...process.env, OPENCHROME_HOME: home },
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const lines = linesOf(server);
  let id = 0;
  const call = async (name: string, args: object = {}): Promise<string> => {
    server.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: args } })}\n`,
    );
    const { result } = (await lines.next()) as { result: { content: { text: string }[] } };
    return result.content[0]?.text ?? '';
  };
  await call('tabs', { action: 'new' });
  const { chrome } = JSON.parse(await call('oc_connection_health')) as { chrome: { pid: number } };
  return { server, chromePid: chrome.pid, call };
};

describe('Chrome ends with its server', () => {
  test('when the client closes stdin', async () => {
    const { server, chromePid } = await startServer();
    server.stdin?.end();
    await expect
      .poll(() => [alive(chromePid), server.exitCode], { timeout: 5000 })
      .toEqual([false, 0]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'when the server gets %s',
    async (signal) => {
      const { server, chromePid } = await startServer();
      server.kill(signal);
      await expect.poll(() => alive(chromePid), { timeout: 5000 }).toBe(false);
    },
  );

  test('when the server is killed while a page hangs in a loop', async () => {
    const { server, chromePid, call } = await startServer();
    await call('javascript_tool', { code: 'setTimeout(() => { while (true) {} }, 0); 1' });
    server.kill('SIGKILL');
    await expect.poll(() => alive(chromePid), { timeout: 5000 }).toBe(false);
  });

  test('when the shell that started it, as npx does, is killed', async () => {
    const { server, chromePid } = await startServer([
      'sh',
      '-c',
      `"${process.execPath}" "${DIST}" --headless; true`,
    ]);
    server.kill('SIGKILL');
    server.stdin?.end();
    await expect.poll(() => alive(chromePid), { timeout: 5000 }).toBe(false);
  });
});
