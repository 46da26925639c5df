// Checks the URLs, the files and the secrets that a call names before the tool runs.
import { listIf } from '../core/collections.ts';
import { homedir } from 'node:os';
import { basename, join, parse, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../core/config.ts';
import { fail } from '../core/failure.ts';
import type { Home } from '../core/home.ts';
import { parseAddress } from '../policy/address.ts';
import {
  isInside,
  requireAllowedPath,
  resolveRealPath,
  type AllowedRoot,
} from '../store/files/allowed-path.ts';
import { CONFIG_FILE } from '../store/config/config-file.ts';
import { requireNoLogin } from '../store/files/logins.ts';
import type { SessionCall, Step } from './call.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import { allowDomain, withinDomains } from './domains.ts';

export const guard: Step<SessionCall, SessionCall, ToolOutput> = async (call, next) => {
  if (call.toolCall.revealsSecrets && !call.rooms.config.allowReveal)
    throw fail('reveal_not_allowed', `${call.request.name} cannot reveal secrets on this server.`, {
      argument: 'reveal',
    });
  const toolCall = await call.toolCall.check({
    address: (url) => allowAddress(call, url),
    file: (path) => allowFile(call, path),
  });
  call.course.toolCall = toolCall;
  return withinDomains({ ...call, toolCall }, next);
};

/**
 * Returns the URL to open. File URLs need the server's permission and a file that tools may use.
 */
export const allowAddress = async (call: SessionCall, given: string): Promise<string> => {
  const { allowFileAccess, allowScheme } = call.rooms.config;
  const address = parseAddress(given, { files: allowFileAccess, schemes: allowScheme });
  allowDomain(call, address);
  if (address.startsWith('file:')) await allowFileForPage(call, fileURLToPath(address));
  return address;
};

/** Returns the real path of a file that tools may use; throws for any other file. */
const allowFile = async (
  { rooms, request: { folder = process.cwd(), shell } }: SessionCall,
  path: string,
): Promise<string> => {
  const { home, config } = rooms;
  // A path that the user typed may be anywhere; the files of the engine stay closed.
  const roots = shell
    ? [{ path: parse(resolve(folder, path)).root }]
    : [
        ...(await workingRoots(folder)),
        ...[home.root, ...config.allowRoot].map((root) => ({ path: root })),
      ];
  const real = await requireAllowedPath(resolve(folder, path), roots, ownFiles(home, config));
  if (basename(real).toLowerCase() === CONFIG_FILE)
    throw fail(
      'file_not_allowed',
      `${CONFIG_FILE} configures the server, so tools may not use it.`,
      { path: path.slice(0, 300) },
    );
  return real;
};

/**
 * Returns the real path of a file that may be given to a page: tools may use it and it contains no
 * saved login.
 */
export const allowFileForPage = async (call: SessionCall, path: string): Promise<string> => {
  const real = await allowFile(call, path);
  await requireNoLogin(real);
  return real;
};

/**
 * Some hosts start servers in the root folder or in the user's home folder. In the home folder,
 * hidden files (keys, logins, shell start-up files) are not allowed; a folder that contains the
 * home folder is not a working folder. Real paths are compared, because of links.
 */
const workingRoots = async (folder: string): Promise<AllowedRoot[]> => {
  const [real, user] = await Promise.all([
    resolveRealPath(resolve(folder)),
    resolveRealPath(homedir()),
  ]);
  if (real === user) return [{ path: real, shownOnly: true }];
  return listIf(!isInside(user, real), { path: real });
};

/**
 * Files that a call may neither give to a page nor overwrite: they contain logins, tokens and
 * secrets, or configure the engine.
 */
const ownFiles = (home: Home, { secrets, profile, clientCert, clientKey }: Config): string[] => [
  ...[
    home.profile,
    home.browsers,
    home.snapshots,
    home.logins,
    home.run,
    home.journal,
    home.tasks,
    home.output,
    home.networkCache,
  ],
  ...[home.approvals, home.waiting],
  ...[home.daemon, home.daemonLog, home.secretHosts, join(home.root, CONFIG_FILE)],
  ...[secrets, profile].filter((path) => path !== undefined),
  ...[...clientCert, ...clientKey].map((text) => text.slice(text.indexOf('=') + 1)),
];
