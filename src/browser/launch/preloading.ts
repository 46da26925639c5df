// Turns off Chrome's preloading in our own profiles: interception sees no prefetch by speculation
// rules and no preconnect.
import { join } from 'node:path';
import { loadJson } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';

/** "No preloading" in Chrome's settings. */
const NEVER = 2;

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Must run before Chrome starts, which otherwise overwrites the file. */
export const turnOffPreloading = async (profileDir: string): Promise<void> => {
  const path = join(profileDir, 'Default', 'Preferences');
  const preferences = asObject(await loadJson(path));
  const net = asObject(preferences['net']);
  if (net['network_prediction_options'] === NEVER) return;
  const changed = { ...preferences, net: { ...net, network_prediction_options: NEVER } };
  await replaceFile(path, JSON.stringify(changed), { durable: false });
};
