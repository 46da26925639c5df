// What a model reads before its first call: the tool list in tokens, all of it and per tool.
import { startMcpServer } from '../lib/mcp-server.mjs';
import { tokens } from '../lib/outline.mjs';
import { startSession } from '../lib/session.mjs';
import { grouped } from '../lib/side-by-side.mjs';

/** What clients hand to a model of a tool. */
const forModel = ({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
});

export const peersTools = async ({ peers }) => {
  const rows = [];
  for (const peer of peers.filter(({ command, only }) => command && !only)) {
    for (const [variant, extra] of Object.entries({ '': [], ...peer.variants })) {
      const server = await startMcpServer((dir) => {
        const { args, ...rest } = peer.command(dir);
        return { ...rest, args: [...args, ...extra] };
      });
      const cost = tokens(JSON.stringify(server.tools.map(forModel)));
      rows.push([
        `${peer.name} ${variant}`.trim(),
        server.tools.length,
        grouped(cost),
        Math.round(cost / server.tools.length),
      ]);
      await server.end();
    }
  }
  for (const peer of peers.filter(({ manual }) => manual))
    rows.push([`${peer.name}: its manual`, '–', grouped(await manualOf(peer)), '–']);
  return {
    title: 'Tool list',
    says: 'Names, descriptions and input schemas, as clients hand them to a model.',
    head: ['', 'tools', 'tokens', 'tokens per tool'],
    rows,
  };
};

const manualOf = async (peer) => {
  const session = await startSession(peer);
  const { text } = await peer.manual(session);
  await session.end();
  return tokens(text);
};
