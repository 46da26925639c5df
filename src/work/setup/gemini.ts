// Gemini CLI: the servers of a user stand in one JSON file in the home folder.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editJsonEntry } from './json-entry.ts';

export const gemini: Host = {
  id: 'gemini',
  name: 'Gemini CLI',
  file: ({ homeDir }) => join(homeDir, '.gemini', 'settings.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && launch),
  afterwards: 'Restart gemini; /mcp shows it.',
};
