// Judges the addresses and files that a call names and what it asks to be shown, before anything is touched.
import { fail } from '../core/failure.ts';
import { parseAddress } from '../policy/address.ts';
import { requireAllowedPath } from '../store/allowed-path.ts';
import { type Call, known, type Step } from './call.ts';

export const guard: Step = async (call, next) => {
  const { traits } = known(call, 'tool');
  const input = { ...known(call, 'input') };
  if (revealsSecrets(call) && !call.rooms.config.allowReveal)
    throw fail('reveal_not_allowed', `${call.request.name} does not show secrets on this server.`, { argument: 'reveal' });
  for (const name of traits.urls ?? []) {
    const address = input[name];
    if (typeof address === 'string') input[name] = parseAddress(address);
  }
  for (const name of traits.files ?? []) {
    const given = input[name];
    if (typeof given === 'string') input[name] = await allowFile(call, given);
    else if (Array.isArray(given)) input[name] = await Promise.all(given.map((path) => allowFile(call, String(path))));
  }
  call.input = input;
  await next();
};

/** Whether the call asks for secrets to be shown. */
export const revealsSecrets = (call: Call): boolean => known(call, 'tool').traits.reveals?.(known(call, 'input') as never) ?? false;

/** The real path of a file that tools may use; a failure for any other. */
export const allowFile = ({ rooms }: Call, path: string): Promise<string> =>
  requireAllowedPath(path, [process.cwd(), rooms.home.root, ...rooms.config.allowRoot]);
