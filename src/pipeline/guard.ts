// Checks the URLs, the files and the secrets that a call names before the tool runs.
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
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
import { requireNoLogin } from '../store/files/login-file.ts';
import { type Call, known, type Step, readToolInput } from './call.ts';
import { allowDomain, withinDomains } from './domains.ts';

export const guard: Step = async (call, next) => {
  const { traits } = known(call, 'tool');
  const input = { ...known(call, 'input') };
  if (revealsSecrets(call) && !call.rooms.config.allowReveal)
    throw fail('reveal_not_allowed', `${call.request.name} does not show secrets on this server.`, {
      argument: 'reveal',
    });
  for (const name of traits.urls ?? []) {
    const address = input[name];
    if (typeof address === 'string') input[name] = await allowAddress(call, address);
  }
  for (const name of traits.files ?? []) {
    const given = input[name];
    if (typeof given === 'string') input[name] = await allowFile(call, given);
    else if (Array.isArray(given))
      input[name] = await Promise.all(given.map((path) => allowFile(call, String(path))));
  }
  call.input = input;
  await withinDomains(call, next);
};

/**
 * Returns the URL to open. File URLs need the server's permission and a file that tools may use.
 */
export const allowAddress = async (call: Call, given: string): Promise<string> => {
  const { allowFileAccess, allowScheme } = call.rooms.config;
  const address = parseAddress(given, { files: allowFileAccess, schemes: allowScheme });
  allowDomain(call, address);
  if (address.startsWith('file:')) await allowFileForPage(call, fileURLToPath(address));
  return address;
};

/** True if the call requests secrets in clear text. */
export const revealsSecrets = (call: Call): boolean =>
  known(call, 'tool').traits.reveals?.(readToolInput(call)) ?? false;

/** Returns the real path of a file that tools may use; throws for any other file. */
const allowFile = async (
  { rooms, request: { folder = process.cwd() } }: Call,
  path: string,
): Promise<string> => {
  const { home, config } = rooms;
  const roots = [
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
export const allowFileForPage = async (call: Call, path: string): Promise<string> => {
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
  return isInside(user, real) ? [] : [{ path: real }];
};

/**
 * Files that a call may neither give to a page nor overwrite: they contain logins, tokens and
 * secrets, or configure the engine.
 */
const ownFiles = (home: Home, { secrets, profile }: Config): string[] => [
  ...[
    home.profile,
    home.browsers,
    home.snapshots,
    home.run,
    home.journal,
    home.tasks,
    home.output,
    home.networkCache,
  ],
  ...[home.daemon, home.daemonLog, home.secretHosts, join(home.root, CONFIG_FILE)],
  ...[secrets, profile].filter((path) => path !== undefined),
];
