// VS Code: the user's mcp.json, whose section is called servers.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editJsonEntry } from './json-entry.ts';
import { settingsFolder } from './places.ts';

export const vscode: Host = {
  id: 'vscode',
  name: 'VS Code',
  file: (machine) => join(settingsFolder(machine, 'Code'), 'User', 'mcp.json'),
  edit: (text, launch) => editJsonEntry(text, 'servers', launch && { type: 'stdio', ...launch }),
  afterwards: 'Run "MCP: List Servers" in VS Code and start openchrome there.',
};
