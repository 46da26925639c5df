// Devices that can be emulated (page size, pixel density, user agent), and network profiles.

import { textIf } from '../../core/text.ts';

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly mobile: boolean;
  readonly touch: boolean;
}

export interface Device extends Screen {
  readonly os: 'ios' | 'android';
  /** The user agent, with `%` in place of Chrome's major version. */
  readonly userAgent: string;
  readonly model: string;
}

const SAFARI_ENGINE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

const iphone = (width: number, height: number, scale: number, version: string): Device => ({
  ...{ width, height, scale, mobile: true, touch: true, os: 'ios', model: 'iPhone' },
  userAgent:
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${version.replace('.', '_')} like Mac OS X) ` +
    `${SAFARI_ENGINE} Version/${version} Mobile/15E148 Safari/604.1`,
});

const ipad = (width: number, height: number): Device => ({
  ...{ width, height, scale: 2, mobile: true, touch: true, os: 'ios', model: 'iPad' },
  userAgent:
    'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ' +
    `${SAFARI_ENGINE} Version/17.5 Mobile/15E148 Safari/604.1`,
});

const android = (
  model: string,
  width: number,
  height: number,
  scale: number,
  tablet = false,
): Device => ({
  ...{ width, height, scale, mobile: true, touch: true, os: 'android', model },
  userAgent:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) ' +
    `Chrome/%.0.0.0${textIf(!tablet, ' Mobile')} Safari/537.36`,
});

export const DEVICES = {
  'iphone-se': iphone(375, 667, 2, '17.5'),
  'iphone-15': iphone(393, 852, 3, '17.5'),
  'iphone-15-pro-max': iphone(430, 932, 3, '17.5'),
  ipad: ipad(810, 1080),
  'ipad-pro': ipad(1024, 1366),
  'pixel-8': android('Pixel 8', 412, 915, 2.625),
  'galaxy-s24': android('SM-S921B', 360, 780, 3),
  'galaxy-tab-s9': android('SM-X710', 800, 1280, 2, true),
} as const satisfies Record<string, Device>;

export type DeviceName = keyof typeof DEVICES;

/** Throttling profiles of Chrome's developer tools. */
export const NETWORKS = {
  'slow-3g': { downKbps: 400, upKbps: 400, latencyMs: 2000 },
  'fast-3g': { downKbps: 1440, upKbps: 675, latencyMs: 562 },
  'slow-4g': { downKbps: 1440, upKbps: 675, latencyMs: 150 },
  'fast-4g': { downKbps: 8100, upKbps: 1350, latencyMs: 165 },
} as const satisfies Record<string, Connection>;

export interface Connection {
  readonly downKbps: number;
  readonly upKbps: number;
  readonly latencyMs: number;
}
