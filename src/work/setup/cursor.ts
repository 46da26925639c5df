// Cursor: the servers of a user stand in one JSON file in the home folder.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editJsonEntry } from './json-entry.ts';

export const cursor: Host = {
  id: 'cursor',
  name: 'Cursor',
  file: ({ homeDir }) => join(homeDir, '.cursor', 'mcp.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && launch),
  afterwards: 'Cursor sees it at once; Settings > MCP shows it.',
};
