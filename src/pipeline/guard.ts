// Judges the addresses and files that a call names, before anything is touched.
import { parseAddress } from '../policy/address.ts';
import { requireAllowedPath } from '../store/allowed-path.ts';
import { known, type Step } from './call.ts';

export const guard: Step = async (call, next) => {
  const { traits } = known(call, 'tool');
  const input = { ...known(call, 'input') };
  for (const name of traits.urls ?? []) {
    const address = input[name];
    if (typeof address === 'string') input[name] = parseAddress(address);
  }
  const roots = [process.cwd(), call.rooms.home.root, ...call.rooms.config.allowRoot];
  for (const name of traits.files ?? []) {
    const given = input[name];
    if (typeof given === 'string') input[name] = await requireAllowedPath(given, roots);
    else if (Array.isArray(given)) input[name] = await Promise.all(given.map((path) => requireAllowedPath(String(path), roots)));
  }
  call.input = input;
  await next();
};
