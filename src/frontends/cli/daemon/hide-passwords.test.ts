// The settings that the status of the daemon and a mismatch show.
import { expect, it } from 'vitest';
import type { Config } from '../../../core/config.ts';
import { hidePasswords } from './hide-passwords.ts';

const PASSWORDS: Partial<Config> = {
  cluster: 'postgres://ada:db-password@db.test/oc',
  proxy: ['https=socks5://ada:proxy-p@ssword@proxy.test:1080', 'http://proxy.test:3128'],
  attach: 'wss://browsers.test/session?token=attach-password',
  attachFrom: 'https://ada:from-password@browsers.test/v1',
  attachHeader: ['authorization=Bearer header=password'],
};

it('passwords in proxies, addresses and headers are hidden, and the rest is shown', () => {
  const hidden = hidePasswords(PASSWORDS as Config);
  expect(JSON.stringify(hidden)).not.toMatch(/password|ssword/);
  expect(hidden.proxy).toEqual([
    expect.stringMatching(/^https=socks5:\/\/\(set, \w{8}\)@proxy\.test:1080$/),
    'http://proxy.test:3128',
  ]);
  expect(hidden.attach).toMatch(/^wss:\/\/browsers\.test\/session\?\(set, \w{8}\)$/);
  expect(hidden.attachFrom).toMatch(/^https:\/\/\(set, \w{8}\)@browsers\.test\/v1$/);
  expect(hidden.attachHeader).toEqual([expect.stringMatching(/^authorization=\(set, \w{8}\)$/)]);
});

it('settings with different passwords stay different', () => {
  const [one, other] = ['a', 'b'].map(
    (password) => hidePasswords({ proxy: [`http://ada:${password}@proxy.test`] } as Config).proxy,
  );
  expect(one).not.toEqual(other);
});

it('settings without a password do not change', () => {
  const config = { attach: 'auto', proxy: ['pac:/etc/proxy.pac'], headless: true };
  expect(hidePasswords(config as Config)).toEqual(config);
});
