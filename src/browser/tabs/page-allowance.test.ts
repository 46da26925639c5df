// The limits on popups and downloads between two actions, counted without a browser.
import { expect, it } from 'vitest';
import { PageAllowance } from './page-allowance.ts';

const MIB = 1024 ** 2;

it('limits the bytes of further downloads together, and allows the first one more', () => {
  const allowance = new PageAllowance();
  const [first, second, third] = [
    allowance.takeDownload(),
    allowance.takeDownload(),
    allowance.takeDownload(),
  ];
  expect(first?.(1000 * MIB)).toBe(true);
  expect(second?.(150 * MIB)).toBe(true);
  expect(third?.(60 * MIB)).toBe(false);
  expect(first?.(2000 * MIB)).toBe(false);
  expect(allowance.takeReport()).toBe(
    'blocked 2 downloads of the page: more than allowed between two actions',
  );
  expect(allowance.takeReport()).toBeUndefined();
});

it('does not count a popup that a gesture of the user opens', () => {
  const allowance = new PageAllowance();
  for (let i = 0; i < 5; i++) expect(allowance.takePopup()).toBe(true);
  expect(allowance.takePopup()).toBe(false);
  allowance.countGesture();
  expect([allowance.takePopup(), allowance.takePopup()]).toEqual([true, false]);
  expect(allowance.takeReport()).toContain('2 popups');
});

it('renews the allowance of removed frames with each action', () => {
  const strays = new PageAllowance();
  const allowance = new PageAllowance(strays);
  for (let i = 0; i < 10; i++) expect(strays.takeDownload()).toBeDefined();
  expect(strays.takeDownload()).toBeUndefined();
  allowance.renew();
  expect(strays.takeDownload()).toBeDefined();
});
