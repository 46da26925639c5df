// Claude Code: the servers of a user stand in one JSON file in the home folder.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editJsonEntry } from './json-entry.ts';

export const claudeCode: Host = {
  id: 'claude-code',
  name: 'Claude Code',
  file: ({ homeDir }) => join(homeDir, '.claude.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && { type: 'stdio', ...launch }),
  afterwards: 'Start a new session; /mcp shows it.',
};
