// Where programs keep their settings, per platform. Pure.
import { join } from 'node:path';
import type { Machine } from './host.ts';

/** The folder of a desktop program's settings. */
export const settingsFolder = ({ platform, homeDir, env }: Machine, program: string): string => {
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', program);
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homeDir, 'AppData', 'Roaming'), program);
  return join(env['XDG_CONFIG_HOME'] ?? join(homeDir, '.config'), program);
};
