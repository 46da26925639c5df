// Claude Desktop: one JSON file among its settings.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editJsonEntry } from './json-entry.ts';
import { settingsFolder } from './places.ts';

export const claudeDesktop: Host = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  file: (machine) => join(settingsFolder(machine, 'Claude'), 'claude_desktop_config.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch),
  afterwards: 'Quit Claude Desktop and start it again.',
};
