// Whether the system sends Chrome through a proxy: our own must not take its place unasked, or
// nothing would be reached behind it.
import { execFile } from 'node:child_process';

const ASK_MS = 2_000;

type Ask = (program: string, args: readonly string[]) => Promise<string>;

/** What a program of the system prints; nothing where it is not there. */
const ask: Ask = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: ASK_MS, windowsHide: true }, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
  });

const INTERNET_SETTINGS = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings`;

/** Where the system's settings name a proxy; nothing where they name none, or cannot be read. */
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
    return undefined; // where Chrome looks there
  return /manual|auto/.test(await say('gsettings', ['get', 'org.gnome.system.proxy', 'mode']))
    ? 'the network settings'
    : undefined;
};

/** `HTTPSEnable : 1` and the like. */
const namesMacProxy = (printed: string): boolean =>
  /^\s*(?:HTTP|HTTPS|SOCKS|ProxyAutoConfig|ProxyAutoDiscovery)Enable\s*:\s*1\s*$/m.test(printed);

/** A script, or a proxy that is switched on. */
const namesWindowsProxy = (printed: string): boolean =>
  /^\s*AutoConfigURL\s+REG_\w+\s+\S/m.test(printed) ||
  /^\s*ProxyEnable\s+REG_DWORD\s+0x1\s*$/m.test(printed);
