// Opens a file or a URL with the program of the user's desktop.
import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Returns whether programs can open windows. */
export const hasDisplay = (): boolean => {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
};

/** Returns false without a display or such a program. */
export const openOnDesktop = (target: string): boolean => {
  const opener = OPENERS[process.platform];
  if (opener === undefined || !hasDisplay()) return false;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, target], { detached: true, stdio: 'ignore' });
  child.on('error', () => {}); // the program is not installed: the printed text is enough
  child.unref();
  return child.pid !== undefined;
};
