// emulate: emulates a device, location, language, time zone, colour scheme or network speed.
import { z } from 'zod';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import {
  type Connection,
  type DeviceName,
  DEVICES,
  NETWORKS,
} from '../../browser/state/devices.ts';
import { type Emulated, getEmulation, mergeSettings } from '../../browser/state/emulation.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { attempt } from '../../core/attempt.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const isTimezone = (timeZone: string): boolean =>
  attempt(
    () => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '',
    false,
  );

const isLocale = (locale: string): boolean =>
  attempt(() => Intl.getCanonicalLocales(locale).length === 1, false);

/** Permissions that Chrome can grant without a window. */
const PERMISSIONS = [
  'geolocation',
  'notifications',
  'camera',
  'microphone',
  'clipboard-read',
  'clipboard-write',
  'midi',
  'storage-access',
  'persistent-storage',
  'background-sync',
  'idle-detection',
  'local-fonts',
  'window-management',
  'screen-wake-lock',
] as const;

const isPermission = (name: string): boolean => (PERMISSIONS as readonly string[]).includes(name);
const PERMISSION_RULE = `it must be one of: ${PERMISSIONS.join(', ')}`;

const HEADER_NAME = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~\w]{1,100}$/, 'a header name has no spaces or separators');
const HEADER_VALUE = z
  .string()
  .max(10_000)
  // oxlint-disable-next-line no-control-regex -- they would end the header
  .regex(/^[^\0\r\n]*$/, 'a header value is one line');

const network = z.union([
  z.enum(Object.keys(NETWORKS) as (keyof typeof NETWORKS)[]),
  z.object({
    downKbps: z.number().positive().max(10_000_000),
    upKbps: z.number().positive().max(10_000_000),
    latencyMs: z.number().min(0).max(60_000).default(0),
  }),
]);

const input = () => ({
  action: z.enum(['set', 'reset', 'show']).default('set').describe('reset: turn all emulation off'),
  scope: z
    .enum(['tab', 'session'])
    .default('tab')
    .describe('session: all its tabs, also new ones and popups'),
  device: z
    .enum(Object.keys(DEVICES) as DeviceName[])
    .nullish()
    .describe('Screen, touch and user agent'),
  viewport: z
    .object({
      width: z.number().int().min(50).max(10_000),
      height: z.number().int().min(50).max(10_000),
      scale: z.number().min(0.1).max(10).optional(),
      mobile: z.boolean().optional(),
      touch: z.boolean().optional(),
    })
    .nullish(),
  userAgent: z.string().min(1).max(2000).nullish(),
  locale: z.string().refine(isLocale, 'it must be a language tag like "de-AT"').nullish(),
  timezone: z.string().refine(isTimezone, 'it must be an IANA name like "Asia/Tokyo"').nullish(),
  geolocation: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      accuracy: z.number().min(0).max(1_000_000).default(10),
    })
    .nullish(),
  colorScheme: z.enum(['light', 'dark']).nullish(),
  reducedMotion: z.boolean().nullish(),
  forcedColors: z.boolean().nullish(),
  contrast: z.enum(['more', 'less']).nullish(),
  media: z.enum(['print', 'screen']).nullish(),
  permissions: z
    .record(
      z.string().refine(isPermission, PERMISSION_RULE),
      z.enum(['granted', 'denied', 'prompt']),
    )
    .nullish()
    .describe('For all sites of the session'),
  headers: z
    .record(HEADER_NAME, HEADER_VALUE)
    .nullish()
    .describe('Added to every request; do not put secrets here'),
  cpuSlowdown: z.number().min(1).max(50).nullish().describe('Slowdown factor'),
  network: network.nullish(),
  offline: z.boolean().nullish(),
});

/** The reply's form of the settings, without defaults. */
const formatSettings = (settings: Emulated): object => {
  const { network: connection, ...rest } = settings;
  return {
    emulated: defined({
      ...rest,
      network: ifDefined(connection, (connection) => nameOf(connection) ?? connection),
    }),
  };
};

const otherTabs = (session: Session, tab: Tab): Tab[] =>
  [...session.tabs.values()].filter((other) => other !== tab && !other.closed);

const nameOf = (connection: Connection): string | undefined =>
  Object.entries(NETWORKS).find(([, known]) => known === connection)?.[0];

export const emulate = defineTool({
  name: 'emulate',
  description:
    'Make this tab, or all tabs of the session, look like another device or place: device, ' +
    'viewport, user agent, locale, timezone, geolocation, colour scheme, media features, ' +
    'permissions, extra headers, slower CPU or network, offline. Applies across navigations ' +
    'until changed, set to null, or reset. Reload pages that read these values only ' +
    'once.',
  returns: 'the settings of the tab',
  keywords:
    'mobile phone device viewport resize window dark geolocation location gps timezone ' +
    'locale language offline slow throttle permissions allow grant camera microphone ' +
    'notifications reduced motion contrast forced colors print headers',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'show' ? 'read' : 'act'),
    scope: 'tab',
    recipe: 'call',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 10_000,
  },
  input,
  prepare: (given) => {
    const { action, scope: _, ...settings } = given;
    const isGiven = Object.values(settings).some((value) => value !== undefined);
    if (action === 'set' && !isGiven)
      throw fail('invalid_argument', 'emulate needs at least one setting.', {
        argument: 'device',
        known: Object.keys(settings),
      });
    if (action !== 'set' && isGiven)
      throw fail('invalid_argument', `emulate: ${action} does not accept settings.`, {
        argument: 'action',
      });
    return given;
  },
  examples: [
    { device: 'iphone-15' },
    { colorScheme: 'dark', timezone: 'Asia/Tokyo', network: 'slow-4g' },
    { action: 'reset' },
  ],
  run: async ({ action, scope, network: connection, ...settings }, { tab, session, signal }) => {
    const emulation = getEmulation(tab);
    const tabs = scope === 'session' ? [tab, ...otherTabs(session, tab)] : [tab];
    if (action === 'reset') for (const one of tabs) await getEmulation(one).reset(signal);
    if (action === 'reset' && scope === 'session') session.emulated = {};
    if (action === 'set') {
      const speed = typeof connection === 'string' ? NETWORKS[connection] : connection;
      const changes = defined({ ...settings, network: speed });
      for (const one of tabs) await getEmulation(one).change(changes, signal);
      if (scope === 'session') session.emulated = mergeSettings(session.emulated, changes);
    }
    return formatSettings(scope === 'session' ? session.emulated : emulation.settings);
  },
});
