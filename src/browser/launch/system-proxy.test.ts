// What the systems print about their proxies, and what it means.
import { expect, it } from 'vitest';
import { findSystemProxy } from './system-proxy.ts';

const MAC = `<dictionary> {
  ExceptionsList : <array> {
    0 : *.local
  }
  FTPPassive : 1
  HTTPEnable : 0
  HTTPSEnable : 0
}`;
const WINDOWS = `
HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings
    ProxyEnable    REG_DWORD    0x0
    ProxyServer    REG_SZ    old.example:8080
`;

it.each([
  ['darwin', {}, MAC, undefined],
  ['darwin', {}, MAC.replace('HTTPSEnable : 0', 'HTTPSEnable : 1'), 'the network settings'],
  ['darwin', {}, `${MAC}\n  ProxyAutoConfigEnable : 1\n`, 'the network settings'],
  ['darwin', {}, '', undefined],
  ['win32', {}, WINDOWS, undefined],
  ['win32', {}, WINDOWS.replace('0x0', '0x1'), 'the internet settings'],
  [
    'win32',
    {},
    `${WINDOWS}    AutoConfigURL    REG_SZ    http://wpad/wpad.dat\n`,
    'the internet settings',
  ],
  ['linux', { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }, "'manual'\n", 'the network settings'],
  ['linux', { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }, "'none'\n", undefined],
  ['linux', {}, "'manual'\n", undefined],
] as const)('on %s with %j, %j means %j', async (platform, env, printed, found) => {
  expect(await findSystemProxy(platform, env, () => Promise.resolve(printed))).toBe(found);
});
