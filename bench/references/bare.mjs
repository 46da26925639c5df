// The least a Node MCP server over stdio can be: no SDK, one tool that does nothing.
import { createInterface } from 'node:readline';
const answer = (id, result) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: 'bare', version: '0' };
    if (method === 'initialize')
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo,
      });
    else if (method === 'tools/list')
      answer(id, { tools: [{ name: 'noop', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'ok' }] });
  })
  .on('close', () => process.exit(0));
