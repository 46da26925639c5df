// Renders a receipt as one line: the target, then the observed effects by importance.

import { listDefined, listIf } from '../core/collections.ts';
import { ifDefined, valueIf } from '../core/defined.ts';
import type { Effects, Receipt, TargetName } from '../core/receipt.ts';
import { textIf } from '../core/text.ts';

const MAX_URL = 120;
const MAX_FAILED = 3;

/** Escapes quotes and line breaks, so that the text can be parsed back. */
const quote = (text: string): string => JSON.stringify(text);

const MAX_COPIED = 2000;

const shortText = (text: string): string => {
  if (text.length <= MAX_COPIED) return text;
  return `${text.slice(0, MAX_COPIED - 1)}… (${text.length} characters)`;
};

const renderNamed = ({ ref, role, name }: TargetName): string =>
  listDefined(ref, role, valueIf(name !== '', quote(name))).join(' ');

/** Shortens an address on the same origin to its path. */
const shortUrl = (url: string, from: string): string => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(from)?.[0];
  const shown = origin && url.startsWith(origin) ? url.slice(origin.length) || '/' : url;
  return shown.length > MAX_URL ? `${shown.slice(0, MAX_URL - 1)}…` : shown;
};

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const URL_STATES = {
  '': '',
  pending: ' (no response yet)',
  loading: ' (still loading)',
} as const;

const renderUrl = (change: NonNullable<Effects['url']>): string => {
  const { from, to, state = '', error = '', pdf } = change;
  const url = shortUrl(to, from);
  if (state === 'failed') return `load of ${url} failed: ${error}`;
  const note = textIf(pdf, ' (a PDF: read_page returns its text)');
  return `url -> ${url}${URL_STATES[state]}${note}`;
};

const renderRequests = (
  { count: total, pending, failed }: NonNullable<Effects['requests']>,
  here: string,
): string => {
  const shown = failed
    .slice(0, MAX_FAILED)
    .map(({ method, url, status }) => `${method} ${shortUrl(url, here)} ${status}`);
  const more = textIf(failed.length > MAX_FAILED, ` and ${failed.length - MAX_FAILED} more`);
  const isOnlyPending = pending === 1 && total === 1;
  const facts = [
    ...listIf(failed.length > 0, `${failed.length} failed: ${shown.join(', ')}${more}`),
    ...listIf(isOnlyPending, 'unanswered'),
    ...listIf(pending > 0 && !isOnlyPending, `${pending} unanswered`),
  ];
  return `${count(total, 'request')}${textIf(facts.length > 0, ` (${facts.join('; ')})`)}`;
};

const renderValue = (value: string, field: TargetName | undefined): string => {
  const shown = value === '' ? 'now empty' : `value ${quote(value)}`;
  return field ? `${renderNamed(field)} ${shown}` : shown;
};

/** The observed effects, each as a short phrase. */
export const renderEffects = (effects: Effects, here: string): string[] => {
  const {
    url,
    newTabs = [],
    dialog,
    answered = [],
    copied,
    downloads = [],
    requests,
    announcements = [],
    invalid = [],
    pageErrors = [],
    changes = 0,
    states,
    value,
    focus,
    scrolledTo,
  } = effects;
  return listDefined(
    valueIf(effects.tabClosed, 'the tab closed'),
    ifDefined(url, renderUrl),
    valueIf(effects.reloaded, 'page reloaded'),
    ...newTabs.map((tab) => `new tab ${tab.tabId} ${shortUrl(tab.url, here)}`.trimEnd()),
    ifDefined(dialog, ({ kind, message }) => `${kind} dialog ${quote(message)}`),
    ...answered.map(
      ({ kind, message, accepted }) =>
        `${kind} dialog ${quote(message)} ${accepted ? 'accepted' : 'dismissed'}`,
    ),
    valueIf(effects.chooser, 'file chooser opened (set files with upload)'),
    ...downloads.map(({ id, file }) => `download ${id} ${quote(file)}`),
    ifDefined(copied, (copied) => `copied ${quote(shortText(copied))}`),
    ifDefined(states, (states) => `now ${states.join(', ')}`),
    ifDefined(value, (value) => renderValue(value, effects.field)),
    ...invalid.map(({ field, message }) => `${renderNamed(field)} rejected: ${quote(message)}`),
    ifDefined(requests, (requests) => renderRequests(requests, here)),
    ...pageErrors.map((error) => `page error ${quote(error)}`),
    ...announcements.map(({ role, text }) => `${role} ${quote(text)}`),
    valueIf(changes > 0, count(changes, 'DOM change')),
    valueIf(effects.focused, 'focused'),
    ifDefined(focus, (focus) => `focus ${renderNamed(focus)}`),
    ifDefined(scrolledTo, ({ x, y }) => `scrolled to ${x},${y}`),
  );
};

export const renderReceipt = (
  { did, target, effects, waitedMs, sure, remark }: Receipt,
  here: string,
): string => {
  const parts = renderEffects(effects, here);
  const what = target ? `${did} ${renderNamed(target)}` : did;
  const nothing = valueIf(!sure, `no effect seen within ${Math.round(waitedMs)} ms`);
  const followed = parts.length > 0 ? parts.join('; ') : nothing;
  return listDefined(what, remark, followed).join('; ');
};
