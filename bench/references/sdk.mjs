// The same with the official SDK: what the SDK alone costs.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
serveStdio(() => {
  const server = new McpServer({ name: 'sdk', version: '0' });
  server.registerTool('noop', {}, async () => ({ content: [{ type: 'text', text: 'ok' }] }));
  return server;
});
process.stdin.once('end', () => process.exit(0));
