// Emulates device, location, locale, time zone, colours and speed of a tab, across navigations.
import type { Protocol } from 'devtools-protocol';
import { getOrCreate, listDefined } from '../../core/collections.ts';
import { defined, ifDefined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { matchGroups, textIf } from '../../core/text.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { CdpError } from '../cdp/errors.ts';
import type { NetworkSpeed } from '../guard/tab-guard.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Connection, type Device, type DeviceName, DEVICES, type Screen } from './devices.ts';

/** The emulated settings; an absent setting is not emulated. */
export interface Emulated {
  readonly device?: DeviceName;
  readonly viewport?: Pick<Screen, 'width' | 'height'> & {
    readonly [K in 'scale' | 'mobile' | 'touch']?: Screen[K] | undefined;
  };
  readonly userAgent?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly geolocation?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly accuracy: number;
  };
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
  readonly contrast?: 'more' | 'less';
  readonly media?: 'print' | 'screen';
  /** By name, for all origins of the tab's storage. */
  readonly permissions?: Readonly<Record<string, Protocol.Browser.PermissionSetting>>;
  /** Headers that are added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cpuSlowdown?: number;
  readonly network?: Connection;
  readonly offline?: boolean;
}

/** `null` removes a setting. */
export type EmulationChanges = { readonly [K in keyof Emulated]?: Emulated[K] | null | undefined };

const ofTab = new WeakMap<Tab, Emulation>();

/** Returns the emulation of a tab. It exists as long as the tab. */
export const getEmulation = (tab: Tab): Emulation => {
  return getOrCreate(ofTab, tab, () => new Emulation(tab));
};

type EmulationStep = (
  session: CdpSession,
  settings: Emulated,
  signal?: AbortSignal,
) => Promise<unknown>;

/** Settings of a whole tab, which its frames share. */
const TAB_SETTINGS = new Set<keyof Emulated>(['device', 'viewport', 'cpuSlowdown']);

class Emulation {
  readonly #tab: Tab;
  /** The viewport size without emulation. */
  readonly #viewport: Tab['viewport'];
  #settings: Emulated = {};
  #chrome: Protocol.Browser.GetVersionResponse | undefined;
  readonly #sessions = new WeakSet<CdpSession>();
  /** Parts that Chrome rejected when the tab was opened. */
  readonly #rejected = new Set<EmulationStep>();

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#viewport = tab.viewport;
    this.#sessions.add(tab.cdp);
    tab.events.on('frame', ({ session }) => void this.#join(session));
  }

  get settings(): Emulated {
    return this.#settings;
  }

  async change(changes: EmulationChanges, signal?: AbortSignal): Promise<void> {
    const next = mergeSettings(this.#settings, changes);
    this.#chrome ??= await this.#tab.cdp.send('Browser.getVersion', undefined, signal);
    const touched = Object.keys(changes) as (keyof Emulated)[];
    // In sequence: if Chrome rejects a part, the earlier parts stay in effect and are in
    // `settings`.
    for (const [names, part] of this.#parts()) {
      if (!names.some((name) => touched.includes(name))) continue;
      await part(this.#tab.cdp, next, signal).catch((error: unknown) => {
        throw settingRejectedFailure(names, error);
      });
      this.#settings = pickSettings(this.#settings, next, names);
    }
    await Promise.all(this.#childSessions().map((session) => this.#applyToFrame(session)));
  }

  /**
   * Sends all settings at once to a tab without settings. A paused tab answers some commands only
   * after it was resumed, so the caller waits for `done` later.
   */
  async begin(settings: Emulated): Promise<{ readonly done: Promise<unknown> }> {
    const { cdp } = this.#tab;
    this.#chrome ??= await cdp.send('Browser.getVersion');
    const names = Object.keys(settings) as (keyof Emulated)[];
    const parts = this.#parts().filter(([parts]) => parts.some((name) => names.includes(name)));
    const done = Promise.all(
      parts.map(([, part]) => part(cdp, settings).catch(() => this.#rejected.add(part))),
    );
    this.#settings = settings;
    this.#tab.events.on('navigated', () => void this.#retry());
    return { done };
  }

  /**
   * A popup in the process of its opener already has some settings of the opener, and Chrome
   * rejects the same command of the popup. After a navigation it can be in another process.
   */
  async #retry(): Promise<void> {
    const parts = [...this.#rejected];
    this.#rejected.clear();
    await Promise.all(
      parts.map((part) =>
        part(this.#tab.cdp, this.#settings).catch(() => this.#rejected.add(part)),
      ),
    );
  }

  async reset(signal: AbortSignal): Promise<void> {
    await this.change(
      Object.fromEntries(Object.keys(this.#settings).map((name) => [name, null])),
      signal,
    );
  }

  /** The settings that one command sets together, and that command. */
  #parts(): readonly (readonly [readonly (keyof Emulated)[], EmulationStep])[] {
    return [
      [
        ['device', 'viewport'],
        (session, settings, signal) => this.#setScreen(session, settings, signal),
      ],
      [
        ['device', 'userAgent', 'locale'],
        (session, settings, signal) => this.#setUserAgent(session, settings, signal),
      ],
      [
        ['locale'],
        (session, { locale }, signal) =>
          session.send('Emulation.setLocaleOverride', defined({ locale }), signal),
      ],
      [
        ['timezone'],
        (session, { timezone = '' }, signal) =>
          session.send('Emulation.setTimezoneOverride', { timezoneId: timezone }, signal),
      ],
      [['geolocation'], (session, settings, signal) => this.#setPlace(session, settings, signal)],
      [['colorScheme', 'reducedMotion', 'forcedColors', 'contrast', 'media'], setMedia],
      [['permissions'], (session, settings, signal) => this.#allow(session, settings, signal)],
      [
        ['headers'],
        (session, { headers = {} }, signal) =>
          session.send('Network.setExtraHTTPHeaders', { headers: { ...headers } }, signal),
      ],
      [
        ['cpuSlowdown'],
        (session, { cpuSlowdown: rate = 1 }, signal) =>
          session.send('Emulation.setCPUThrottlingRate', { rate }, signal),
      ],
      [
        ['network', 'offline'],
        (session, settings, signal) =>
          this.#tab.guard.setSpeed(session, buildSpeed(settings), signal),
      ],
    ];
  }

  async #setScreen(session: CdpSession, settings: Emulated, signal?: AbortSignal): Promise<void> {
    const screen = buildScreen(settings);
    const tab = this.#tab;
    const size = screen
      ? buildMetrics(screen)
      : this.#viewport && buildPlainMetrics(this.#viewport);
    const touch = screen?.touch ?? false;
    await Promise.all([
      size
        ? session.send('Emulation.setDeviceMetricsOverride', size, signal)
        : session.send('Emulation.clearDeviceMetricsOverride', undefined, signal),
      session.send(
        'Emulation.setTouchEmulationEnabled',
        touch ? { enabled: true, maxTouchPoints: 5 } : { enabled: false },
        signal,
      ),
    ]);
    tab.viewport = screen ? layoutSize(screen) : this.#viewport;
    tab.pixelRatio = screen?.scale ?? 1;
  }

  async #setUserAgent(
    session: CdpSession,
    { device, userAgent, locale }: Emulated,
    signal?: AbortSignal,
  ): Promise<void> {
    const { userAgent: own = '', product = '' } = this.#chrome ?? {};
    const [, major = '120'] = matchGroups(/\/(\d+)/, product);
    const model = ifDefined(device, (device) => DEVICES[device]);
    const name = userAgent ?? model?.userAgent.replace('%', major);
    if (name === undefined && locale === undefined)
      return session.send('Emulation.setUserAgentOverride', { userAgent: '' }, signal);
    const isChrome = userAgent === undefined && model?.os !== 'ios';
    await session.send(
      'Emulation.setUserAgentOverride',
      defined({
        userAgent: name ?? own,
        acceptLanguage: ifDefined(locale, listLanguages),
        platform: ifDefined(model, platformName),
        userAgentMetadata: isChrome ? buildClientHints(major, own, model) : undefined,
      }),
      signal,
    );
  }

  /**
   * Also grants the geolocation permission: to all origins in our own Chrome, elsewhere to the
   * current origin only.
   */
  async #setPlace(
    session: CdpSession,
    { geolocation }: Emulated,
    signal?: AbortSignal,
  ): Promise<void> {
    const placed = geolocation
      ? session.send('Emulation.setGeolocationOverride', geolocation, signal)
      : session.send('Emulation.clearGeolocationOverride', undefined, signal);
    const origin = this.#tab.ours ? undefined : findOrigin(this.#tab.url);
    const setting = geolocation ? 'granted' : 'prompt';
    await Promise.all([
      placed,
      session === this.#tab.cdp
        ? this.#tab.setPermission('geolocation', setting, defined({ origin, signal }))
        : undefined,
    ]);
  }

  /** Sets the permissions; those that were set before and are not any more become `prompt`. */
  async #allow(
    session: CdpSession,
    { permissions = {} }: Emulated,
    signal?: AbortSignal,
  ): Promise<void> {
    if (session !== this.#tab.cdp) return;
    const origin = this.#tab.ours ? undefined : findOrigin(this.#tab.url);
    const names = new Set([
      ...Object.keys(this.#settings.permissions ?? {}),
      ...Object.keys(permissions),
    ]);
    await Promise.all(
      [...names].map((name) => {
        const setting = permissions[name] ?? 'prompt';
        return this.#tab.setPermission(name, setting, defined({ origin, signal }));
      }),
    );
  }

  /** Applies the settings to a frame in another process. */
  async #join(session: CdpSession): Promise<void> {
    if (this.#sessions.has(session)) return;
    this.#sessions.add(session);
    await this.#applyToFrame(session);
  }

  #childSessions(): CdpSession[] {
    const sessions = new Set(this.#tab.frames.all().map((frame) => frame.session));
    sessions.delete(this.#tab.cdp);
    return [...sessions];
  }

  /**
   * Frames inherit screen, touch and CPU speed from the page. A frame's process may reject a
   * setting that another frame in it has already set.
   */
  async #applyToFrame(session: CdpSession): Promise<void> {
    const parts = this.#parts().filter(([names]) => names.some((name) => !TAB_SETTINGS.has(name)));
    await Promise.all(parts.map(([, part]) => part(session, this.#settings).catch(() => {})));
  }
}

const buildMetrics = ({
  width,
  height,
  scale,
  mobile,
}: Screen): Protocol.Emulation.SetDeviceMetricsOverrideRequest => ({
  ...{ width, height, mobile },
  deviceScaleFactor: scale,
});

const buildPlainMetrics = (
  viewport: NonNullable<Tab['viewport']>,
): Protocol.Emulation.SetDeviceMetricsOverrideRequest => ({
  ...viewport,
  deviceScaleFactor: 0,
  mobile: false,
});

const setMedia: EmulationStep = (session, settings, signal) => {
  const { colorScheme, reducedMotion, forcedColors, contrast, media = '' } = settings;
  const wanted = {
    'prefers-color-scheme': colorScheme,
    'prefers-reduced-motion': valueIf(reducedMotion, 'reduce'),
    'forced-colors': valueIf(forcedColors, 'active'),
    'prefers-contrast': contrast,
  };
  const features = Object.entries(wanted).flatMap(([name, value]) =>
    listDefined(ifDefined(value, (value) => ({ name, value }))),
  );
  return session.send('Emulation.setEmulatedMedia', { media, features }, signal);
};

const BYTES_PER_KBIT = 1000 / 8;

const buildSpeed = ({ network, offline = false }: Emulated): NetworkSpeed => ({
  offline,
  latency: network?.latencyMs ?? 0,
  downloadThroughput: network ? network.downKbps * BYTES_PER_KBIT : -1,
  uploadThroughput: network ? network.upKbps * BYTES_PER_KBIT : -1,
});

/** A mobile layout may be wider than the screen, so its width is only known from a screenshot. */
const layoutSize = ({ mobile, width, height }: Screen): Tab['viewport'] =>
  valueIf(!mobile, { width, height });

const buildScreen = ({ device, viewport }: Emulated): Screen | undefined => {
  const base: Screen | undefined = ifDefined(device, (device) => DEVICES[device]);
  if (!viewport) return base;
  const {
    width,
    height,
    scale = base?.scale ?? 1,
    mobile = base?.mobile ?? false,
    touch = base?.touch ?? false,
  } = viewport;
  return { width, height, scale, mobile, touch };
};

/** Returns the settings with the changes; `null` removes one. */
export const mergeSettings = (settings: Emulated, changes: EmulationChanges): Emulated => {
  const entries = Object.entries({ ...settings, ...changes });
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
};

/** Returns the settings, with the named ones taken from `next`. */
const pickSettings = (
  settings: Emulated,
  next: Emulated,
  names: readonly (keyof Emulated)[],
): Emulated =>
  mergeSettings(settings, Object.fromEntries(names.map((name) => [name, next[name] ?? null])));

/** Adds the base language: `de-AT` becomes `de-AT,de`. */
const listLanguages = (locale: string): string => {
  const [language = locale] = locale.split('-');
  return language === locale ? locale : `${locale},${language}`;
};

const platformName = ({ os, model }: Device): string => (os === 'ios' ? model : 'Linux armv81');

const detectSystem = (userAgent: string): string => {
  if (/Windows/.test(userAgent)) return 'Windows';
  return /Mac OS/.test(userAgent) ? 'macOS' : 'Linux';
};

const buildClientHints = (
  major: string,
  userAgent: string,
  device: Device | undefined,
): Protocol.Emulation.UserAgentMetadata => {
  const system = detectSystem(userAgent);
  return {
    brands: [
      { brand: 'Chromium', version: major },
      { brand: 'Not=A?Brand', version: '24' },
    ],
    platform: device === undefined ? system : 'Android',
    platformVersion: textIf(device !== undefined, '14'),
    architecture: textIf(device === undefined, 'x86'),
    model: device?.model ?? '',
    mobile: device?.userAgent.includes(' Mobile ') ?? false,
  };
};

const findOrigin = (url: string): string | undefined =>
  /^https?:/.test(url) ? new URL(url).origin : undefined;

const settingRejectedFailure = (names: readonly string[], error: unknown): unknown =>
  error instanceof CdpError
    ? fail(
        'invalid_argument',
        `Chrome rejected this ${names[0]}: ${error.message.slice(0, 300)}.`,
        { argument: names[0] },
        error,
      )
    : error;
