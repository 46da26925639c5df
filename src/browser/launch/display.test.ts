// With a window or without: every combination of wish and machine.
import { describe, expect, it } from 'vitest';
import { isHeadless } from './display.ts';

type Facts = Parameters<typeof isHeadless>[0];
const headless = (over: Partial<Facts> = {}, config: Partial<Facts['config']> = {}): boolean =>
  isHeadless({
    product: 'chrome',
    platform: 'linux',
    env: {},
    ...over,
    config: { headless: undefined, headed: undefined, ...config },
  });
const X11 = { env: { DISPLAY: ':0' } };

describe('Chrome runs without a window', () => {
  it('without a display, and with a window if there is a display', () => {
    expect(headless()).toBe(true);
    expect(headless(X11)).toBe(false);
    expect(headless({ env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(false);
    expect(headless({ platform: 'darwin' })).toBe(false);
    expect(headless({ platform: 'win32' })).toBe(false);
  });

  it('or with one as configured', () => {
    expect(headless(X11, { headless: true })).toBe(true);
    expect(headless(X11, { headed: false })).toBe(true);
    expect(headless(X11, { headed: true })).toBe(false);
    expect(headless(X11, { headless: false })).toBe(false);
    expect(headless({}, { headless: true })).toBe(true);
  });

  it('if it can do nothing else', () => {
    expect(headless({ ...X11, product: 'headless-shell' })).toBe(true);
    expect(() => headless({ ...X11, product: 'headless-shell' }, { headed: true })).toThrow(
      'can only run headless',
    );
  });

  it('and reports if the configuration is impossible', () => {
    expect(() => headless({}, { headed: true })).toThrow('needs a display');
    expect(() => headless(X11, { headed: true, headless: true })).toThrow('contradict');
  });
});
