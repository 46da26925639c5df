// Judges the addresses and files that a call names and what it asks to be shown, before anything is
// touched.
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
import { type Call, known, type Step } from './call.ts';
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
 * The address as it is opened; one of a file only where the server allows it, and only of a file
 * that tools may use.
 */
export const allowAddress = async (call: Call, given: string): Promise<string> => {
  const { allowFileAccess, allowScheme } = call.rooms.config;
  const address = parseAddress(given, { files: allowFileAccess, schemes: allowScheme });
  allowDomain(call, address);
  if (address.startsWith('file:')) await allowFileForPage(call, fileURLToPath(address));
  return address;
};

/** Whether the call asks for secrets to be shown. */
export const revealsSecrets = (call: Call): boolean =>
  known(call, 'tool').traits.reveals?.(known(call, 'input') as never) ?? false;

/** The real path of a file that tools may use; a failure for any other. */
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
 * The real path of a file that a page may get: one that tools may use and that contains no saved
 * login.
 */
export const allowFileForPage = async (call: Call, path: string): Promise<string> => {
  const real = await allowFile(call, path);
  await requireNoLogin(real);
  return real;
};

/**
 * Some hosts start servers in the root of the disk or in the user's home folder. In the home
 * folder, hidden files (keys, logins, start-up files of shells) stay closed; a folder that contains
 * the home folder is not a working folder. Real paths are compared, because either folder may be
 * reached through a link.
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
 * What a call must neither give to a page nor write over: it holds logins, tokens and secrets, or
 * decides what the engine does.
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
