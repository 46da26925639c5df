// Detects a system proxy, which the guard's proxy must not replace without the user's consent.
import { textIf } from '../../core/text.ts';
import { execFile } from 'node:child_process';

const ASK_MS = 2_000;

type Ask = (program: string, args: readonly string[]) => Promise<string>;

/** The output of a system program; empty if it fails or does not exist. */
const ask: Ask = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: ASK_MS, windowsHide: true }, (error, stdout) =>
      resolve(textIf(!error, stdout)),
    );
  });

const CURRENT_VERSION = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion`;
const INTERNET_SETTINGS = String.raw`${CURRENT_VERSION}\Internet Settings`;

/** The system setting that names a proxy; undefined if there is none or it cannot be read. */
export const findSystemProxy = async (
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  say: Ask = ask,
): Promise<string | undefined> => {
  if (platform === 'darwin')
    return namesMacProxy(await say('scutil', ['--proxy'])) ? 'the network settings' : undefined;
  if (platform === 'win32')
    return namesWindowsProxy(await say('reg', ['query', INTERNET_SETTINGS]))
      ? 'the internet settings'
      : undefined;
  if (!/gnome|unity|cinnamon|mate|pantheon/i.test(env['XDG_CURRENT_DESKTOP'] ?? ''))
    return undefined; // Chrome reads these settings only on these desktops
  return /manual|auto/.test(await say('gsettings', ['get', 'org.gnome.system.proxy', 'mode']))
    ? 'the network settings'
    : undefined;
};

/** Matches lines such as `HTTPSEnable : 1`. */
const namesMacProxy = (printed: string): boolean =>
  /^\s*(?:HTTP|HTTPS|SOCKS|ProxyAutoConfig|ProxyAutoDiscovery)Enable\s*:\s*1\s*$/m.test(printed);

/** A configuration script, or an enabled proxy. */
const namesWindowsProxy = (printed: string): boolean =>
  /^\s*AutoConfigURL\s+REG_\w+\s+\S/m.test(printed) ||
  /^\s*ProxyEnable\s+REG_DWORD\s+0x1\s*$/m.test(printed);
