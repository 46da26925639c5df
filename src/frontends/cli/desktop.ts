// Opens a file or a URL with the program of the user's desktop.
import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Returns false without a display or such a program. */
export const openOnDesktop = (target: string): boolean => {
  const opener = OPENERS[process.platform];
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const hasDisplay = process.platform !== 'linux' || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
  if (opener === undefined || !hasDisplay) return false;
  const [program, ...args] = opener;
  const child = spawn(program, [...args, target], { detached: true, stdio: 'ignore' });
  child.on('error', () => {}); // the program is not installed: the printed text is enough
  child.unref();
  return child.pid !== undefined;
};
