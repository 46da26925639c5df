// Servers of the built program over stdio, as hosts start them, which a test can kill.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll } from 'vitest';
import { BINARY } from '../frontends/shell.ts';

export interface McpServer {
  /** The text of a call that must succeed. */
  text(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Like a power cut. */
  kill(): void;
  /** In an orderly way. */
  close(): Promise<void>;
}

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** Starts servers with this home; they end with the test file. */
export const useMcpServers = (
  home: () => string,
): { start(...flags: string[]): Promise<McpServer> } => {
  const clients: Client[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close().catch(() => {}))); // it was killed
  });
  return {
    start: async (...flags) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [BINARY, 'serve', '--log-level', 'error', ...flags],
        env: { ...inherited(), OPENCHROME_HOME: home() },
        stderr: 'inherit',
      });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport);
      clients.push(client);
      const { pid } = transport;
      return {
        text: async (name, args = {}) => {
          const result = await client.callTool({ name, arguments: args });
          const text = JSON.stringify(result.content);
          if (result.isError) throw new Error(`${name} failed: ${text}`);
          return text;
        },
        kill: () => {
          if (pid !== null) process.kill(pid, 'SIGKILL');
        },
        close: () => client.close(),
      };
    },
  };
};
