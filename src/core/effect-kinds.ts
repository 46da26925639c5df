// The kinds of an action's effects, which are the same in each run, without texts and counts. Pure.
import { z } from 'zod';
import { compact, defined } from './defined.ts';
import type { Effects } from './receipt.ts';
import { parseUrl, quoteText } from './text.ts';

const text = z.string().max(10_000);

export const EffectKinds = z.strictObject({
  /** The path after the action, without its query; `*` replaces ids. */
  url: text.optional(),
  dialog: text.optional(),
  newTab: z.literal(true).optional(),
  download: z.literal(true).optional(),
  closed: z.literal(true).optional(),
  /** Fields that rejected their value, or failed requests. */
  problem: z.literal(true).optional(),
  /** A request that may change data on the server. */
  sent: z.literal(true).optional(),
  /** The roles of announcements: alert, status, dialog … */
  announced: z.array(text).max(20).readonly().optional(),
  /** The DOM, a state or a value changed. */
  changed: z.literal(true).optional(),
  /** A request of any kind. */
  requested: z.literal(true).optional(),
});
export type EffectKinds = z.output<typeof EffectKinds>;

export const listEffectKinds = (effects: Effects): EffectKinds => {
  const { url, dialog, answered = [], requests, announcements = [] } = effects;
  const hasLoaded = url !== undefined && url.state !== 'failed';
  return defined({
    url: hasLoaded ? formatPath(url.to) : undefined,
    dialog: (dialog ?? answered[0])?.kind,
    ...compact({
      newTab: hasItems(effects.newTabs),
      download: hasItems(effects.downloads),
      closed: effects.tabClosed === true,
      problem: hasItems(effects.invalid) || hasItems(requests?.failed) || url?.state === 'failed',
      sent: (requests?.changing ?? 0) > 0,
      announced: [...new Set(announcements.map(({ role }) => role))].filter(
        (role) => role !== 'timer',
      ),
      changed: hasChanged(effects),
      requested: requests !== undefined,
    }),
  });
};

const hasItems = (list: readonly unknown[] | undefined): boolean => (list?.length ?? 0) > 0;

const hasChanged = ({ changes = 0, states, value, chooser, reloaded, copied }: Effects): boolean =>
  changes > 0 || [states, value, chooser, reloaded, copied].some((one) => one !== undefined);

/** Parts of a path that differ between two runs: numbers, and long texts with digits. */
const isId = (part: string): boolean =>
  /^\d+$/.test(part) || (part.length >= 8 && /\d/.test(part) && /^[\w-]+$/.test(part));

/** The path of an address, with `*` instead of ids. */
const formatPath = (address: string): string => {
  const path = parseUrl(address)?.pathname ?? address.split(/[?#]/, 1)[0] ?? '';
  return path
    .split('/')
    .map((part) => (isId(part) ? '*' : part))
    .join('/');
};

/**
 * The kinds that each run must repeat. `all`: also those that show that the action worked. A page
 * that was left shows no further effects, and a DOM change or a request may have other causes: they
 * count only if the action had no other effect.
 */
export const selectRepeatable = (kinds: EffectKinds, all: boolean): EffectKinds => {
  const { sent, announced, changed, requested, ...same } = kinds;
  if (!all) return same;
  const isLeft = kinds.url !== undefined || kinds.closed === true;
  const strong = defined({ ...same, sent, announced: isLeft ? undefined : announced });
  if (Object.keys(strong).length > 0) return strong;
  return changed ? { changed } : defined({ requested });
};

/** Kinds that must be the same; each of the others must not be missing. */
const SAME: Readonly<Partial<Record<keyof EffectKinds, string>>> = {
  url: 'the address after the action',
  dialog: 'the dialog',
  newTab: 'a new tab',
  download: 'a download',
  closed: 'the end of the tab',
  problem: 'a rejected field or a failed request',
};

/** The first difference as a sentence; undefined if there is none. */
export const compareEffectKinds = (
  recorded: EffectKinds,
  actual: EffectKinds,
): string | undefined => {
  const keys = Object.keys(SAME) as (keyof EffectKinds)[];
  const key = keys.find((one) => recorded[one] !== actual[one]);
  if (!key) return describeMissing(recorded, actual);
  const [before, now] = [recorded[key], actual[key]].map(describeEffect);
  return `${SAME[key]} differs from the recording: recorded ${before}, now ${now}`;
};

const describeEffect = (effect: EffectKinds[keyof EffectKinds]): string => {
  if (effect === undefined) return 'none';
  return typeof effect === 'string' ? quoteText(effect) : 'one';
};

const describeMissing = (recorded: EffectKinds, actual: EffectKinds): string | undefined => {
  const { sent, announced = [], changed, requested } = recorded;
  const roles = actual.announced ?? [];
  if (sent && !actual.sent) return 'the recorded action sent data to the server, this one did not';
  if (announced.length > 0 && !announced.some((role) => roles.includes(role)))
    return (
      `the recorded action caused an announcement (${announced.join(', ')}), ` +
      describeRoles(roles)
    );
  const isChanged = [actual.changed, actual.sent, actual.announced].some(Boolean);
  if (changed && !isChanged) return 'the recorded action changed the page, this one did not';
  return requested && !isChanged && !actual.requested
    ? 'the recorded action had an effect, this one had none'
    : undefined;
};

const describeRoles = (roles: readonly string[]): string =>
  roles.length > 0 ? `this one caused another (${roles.join(', ')})` : 'this one did not';
