// `openchrome setup`: plans the change of each host's configuration, and applies it.
import { valueIf } from '../../core/defined.ts';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fail } from '../../core/failure.ts';
import { replaceFile } from '../../system/replace-file.ts';
import {
  editJsonEntry,
  editTomlTable,
  type Host,
  type HostMachine,
  type ServerCommand,
} from './host-entry.ts';

/** Codex: a table in a TOML file. */
const codex: Host = {
  id: 'codex',
  name: 'Codex',
  file: ({ homeDir, env }) => join(env['CODEX_HOME'] ?? join(homeDir, '.codex'), 'config.toml'),
  edit: (text, launch) =>
    editTomlTable(
      text,
      'mcp_servers.openchrome',
      launch && { command: launch.command, args: launch.args },
    ),
  afterwards: 'Restart codex.',
};

/** VS Code: the section "servers" in the user's mcp.json. */
const vscode: Host = {
  id: 'vscode',
  name: 'VS Code',
  file: (machine) => join(findSettingsFolder(machine, 'Code'), 'User', 'mcp.json'),
  edit: (text, launch) => editJsonEntry(text, 'servers', launch && { type: 'stdio', ...launch }),
  afterwards: 'Run "MCP: List Servers" in VS Code and start openchrome there.',
};

/** Claude Desktop: a JSON file in its settings folder. */
const claudeDesktop: Host = {
  id: 'claude-desktop',
  name: 'Claude Desktop',
  file: (machine) => join(findSettingsFolder(machine, 'Claude'), 'claude_desktop_config.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch),
  afterwards: 'Quit Claude Desktop and start it again.',
};

/** Gemini CLI: a JSON file in the home folder. */
const gemini: Host = {
  id: 'gemini',
  name: 'Gemini CLI',
  file: ({ homeDir }) => join(homeDir, '.gemini', 'settings.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && launch),
  afterwards: 'Restart gemini; /mcp shows it.',
};

/** Cursor: a JSON file in the home folder. */
const cursor: Host = {
  id: 'cursor',
  name: 'Cursor',
  file: ({ homeDir }) => join(homeDir, '.cursor', 'mcp.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && launch),
  afterwards: 'Cursor sees it at once; Settings > MCP shows it.',
};

/** Claude Code: a JSON file in the home folder. */
const claudeCode: Host = {
  id: 'claude-code',
  name: 'Claude Code',
  file: ({ homeDir }) => join(homeDir, '.claude.json'),
  edit: (text, launch) => editJsonEntry(text, 'mcpServers', launch && { type: 'stdio', ...launch }),
  afterwards: 'Start a new session; /mcp shows it.',
};

const HOSTS: readonly Host[] = [claudeCode, claudeDesktop, cursor, vscode, codex, gemini];

export const HOST_IDS: readonly string[] = HOSTS.map(({ id }) => id);

export interface SetupChange {
  readonly host: string;
  readonly name: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly afterwards: string;
}

export interface SetupRequest {
  /** Host ids; if empty, all hosts that seem to be installed. */
  readonly hosts: readonly string[];
  readonly launch: ServerCommand;
  readonly remove: boolean;
  readonly machine: HostMachine;
}

/** Returns the changes without writing them. */
export const planSetup = async ({
  hosts,
  launch,
  remove,
  machine,
}: SetupRequest): Promise<readonly SetupChange[]> => {
  const chosen =
    hosts.length > 0
      ? hosts.map(requireHost)
      : HOSTS.filter((host) => seemsInstalled(host, machine));
  return Promise.all(
    chosen.map(async (host) => {
      const file = host.file(machine);
      const before = await readIfThere(file);
      // A missing file has no entry to remove.
      const after =
        remove && before === '' ? '' : editFile(host, file, before, valueIf(!remove, launch));
      return { host: host.id, name: host.name, file, before, after, afterwards: host.afterwards };
    }),
  );
};

const editFile = (
  host: Host,
  file: string,
  before: string,
  launch: ServerCommand | undefined,
): string => {
  try {
    return host.edit(before, launch);
  } catch (error) {
    throw error instanceof Error
      ? fail(
          'invalid_argument',
          `${file}: ${error.message}`,
          { hint: 'Correct the file manually, then call again.' },
          error,
        )
      : error;
  }
};

const requireHost = (id: string): Host => {
  const host = HOSTS.find((known) => known.id === id);
  if (!host)
    throw fail(
      'invalid_argument',
      `Unknown host "${id.slice(0, 100)}" (available: ${HOST_IDS.join(', ')}).`,
      {
        argument: 'hosts',
        known: HOST_IDS,
      },
    );
  return host;
};

/** Whether the host's file or its folder exists. The home folder itself does not count. */
const seemsInstalled = (host: Host, machine: HostMachine): boolean => {
  const file = host.file(machine);
  const folder = dirname(file);
  return existsSync(file) || (folder !== machine.homeDir && existsSync(folder));
};

const readIfThere = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw fail(
      'storage_failed',
      `${file} cannot be read.`,
      { hint: 'Check its permissions.' },
      error,
    );
  }
};

/**
 * Replaces the file atomically, follows symbolic links and keeps the mode. Throws if the file has
 * changed since it was read.
 */
export const applyChange = async ({ file, before, after }: SetupChange): Promise<void> => {
  if (before === after) return;
  if ((await readIfThere(file)) !== before)
    throw fail('storage_failed', `${file} was changed by another process in the meantime.`, {
      hint: 'Call again to see the new change.',
      retryable: true,
    });
  try {
    await mkdir(dirname(file), { recursive: true });
    const target = await realpath(file).catch(() => file);
    const mode = await stat(target).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    await replaceFile(target, after, { mode });
  } catch (error) {
    throw fail(
      'storage_failed',
      `${file} cannot be written.`,
      { hint: 'Check its permissions, or add the shown lines manually.' },
      error,
    );
  }
};

/**
 * Returns the command that starts this program: npx if it is installed as a package, else this
 * script.
 */
export const buildServerCommand = (script: string, flags: readonly string[]): ServerCommand => {
  const installed = /[\\/]node_modules[\\/]openchrome[\\/]/.test(script);
  return installed
    ? { command: 'npx', args: ['-y', 'openchrome', ...flags] }
    : { command: process.execPath, args: [script, ...flags] };
};

/** Returns the removed and added lines, with two lines of context. */
export const listChangedLines = ({
  before,
  after,
}: SetupChange): readonly { readonly sign: '-' | '+' | ' '; readonly text: string }[] => {
  const [was, is] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  let end = 0;
  while (
    end < was.length - start &&
    end < is.length - start &&
    was[was.length - 1 - end] === is[is.length - 1 - end]
  )
    end++;
  const around = 2;
  return [
    ...was.slice(Math.max(0, start - around), start).map((text) => ({ sign: ' ' as const, text })),
    ...was.slice(start, was.length - end).map((text) => ({ sign: '-' as const, text })),
    ...is.slice(start, is.length - end).map((text) => ({ sign: '+' as const, text })),
    ...was
      .slice(was.length - end, was.length - end + around)
      .map((text) => ({ sign: ' ' as const, text })),
  ];
};

const splitLines = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** Returns the settings folder of a desktop program. */
const findSettingsFolder = ({ platform, homeDir, env }: HostMachine, program: string): string => {
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', program);
  if (platform === 'win32')
    return join(env['APPDATA'] ?? join(homeDir, 'AppData', 'Roaming'), program);
  return join(env['XDG_CONFIG_HOME'] ?? join(homeDir, '.config'), program);
};
