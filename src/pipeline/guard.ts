// Judges the addresses and files that a call names and what it asks to be shown, before anything is touched.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../core/failure.ts';
import { parseAddress } from '../policy/address.ts';
import { requireAllowedPath } from '../store/allowed-path.ts';
import { type Call, known, type Step } from './call.ts';
import { allowDomain, withinDomains } from './domains.ts';

export const guard: Step = async (call, next) => {
  const { traits } = known(call, 'tool');
  const input = { ...known(call, 'input') };
  if (revealsSecrets(call) && !call.rooms.config.allowReveal)
    throw fail('reveal_not_allowed', `${call.request.name} does not show secrets on this server.`, { argument: 'reveal' });
  for (const name of traits.urls ?? []) {
    const address = input[name];
    if (typeof address === 'string') input[name] = await allowAddress(call, address);
  }
  for (const name of traits.files ?? []) {
    const given = input[name];
    if (typeof given === 'string') input[name] = await allowFile(call, given);
    else if (Array.isArray(given)) input[name] = await Promise.all(given.map((path) => allowFile(call, String(path))));
  }
  call.input = input;
  await withinDomains(call, next);
};

/** The address as it is opened; one of a file only where the server allows it, and only of a file that tools may use. */
export const allowAddress = async (call: Call, given: string): Promise<string> => {
  const { allowFileAccess, allowScheme } = call.rooms.config;
  const address = parseAddress(given, { files: allowFileAccess, schemes: allowScheme });
  allowDomain(call, address);
  if (address.startsWith('file:')) await allowFile(call, fileURLToPath(address));
  return address;
};

/** Whether the call asks for secrets to be shown. */
export const revealsSecrets = (call: Call): boolean => known(call, 'tool').traits.reveals?.(known(call, 'input') as never) ?? false;

/** The real path of a file that tools may use; a failure for any other. */
export const allowFile = ({ rooms, request: { folder = process.cwd() } }: Call, path: string): Promise<string> =>
  requireAllowedPath(resolve(folder, path), [folder, rooms.home.root, ...rooms.config.allowRoot]);
