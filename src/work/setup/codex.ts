// Codex: a table in its TOML file.
import { join } from 'node:path';
import type { Host } from './host.ts';
import { editTomlTable } from './toml-entry.ts';

export const codex: Host = {
  id: 'codex',
  name: 'Codex',
  file: ({ homeDir, env }) => join(env['CODEX_HOME'] ?? join(homeDir, '.codex'), 'config.toml'),
  edit: (text, launch) => editTomlTable(text, 'mcp_servers.openchrome', launch && { command: launch.command, args: launch.args }),
  afterwards: 'Restart codex.',
};
