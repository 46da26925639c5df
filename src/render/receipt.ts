// Renders a receipt as one line: the target, then the observed effects by importance.

import { ifDefined } from '../core/defined.ts';
import type { Effects, Receipt, TargetName } from '../core/receipt.ts';
import { textIf } from '../core/text.ts';

const MAX_URL = 120;
const MAX_FAILED = 3;

/** Escapes quotes and line breaks, so that the text can be parsed back. */
const quote = (text: string): string => JSON.stringify(text);

const MAX_COPIED = 2000;

const shortText = (text: string): string =>
  text.length > MAX_COPIED ? `${text.slice(0, MAX_COPIED - 1)}… (${text.length} characters)` : text;

const renderNamed = ({ ref, role, name }: TargetName): string =>
  [ref, role, name === '' ? undefined : quote(name)].filter((part) => part !== undefined).join(' ');

/** Shortens an address on the same origin to its path. */
const shortUrl = (url: string, from: string): string => {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(from)?.[0];
  const shown = origin && url.startsWith(origin) ? url.slice(origin.length) || '/' : url;
  return shown.length > MAX_URL ? `${shown.slice(0, MAX_URL - 1)}…` : shown;
};

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const URL_STATES: Readonly<Record<string, string>> = {
  pending: ' (no response yet)',
  loading: ' (still loading)',
};

const renderUrl = ({ from, to, state, error, pdf }: NonNullable<Effects['url']>): string => {
  const url = shortUrl(to, from);
  if (state === 'failed') return `load of ${url} failed: ${error ?? ''}`;
  const note = textIf(pdf, ' (a PDF: read_page returns its text)');
  return `url -> ${url}${URL_STATES[state ?? ''] ?? ''}${note}`;
};

const renderRequests = (
  { count: total, pending, failed }: NonNullable<Effects['requests']>,
  here: string,
): string => {
  const shown = failed
    .slice(0, MAX_FAILED)
    .map(({ method, url, status }) => `${method} ${shortUrl(url, here)} ${status}`);
  const more = textIf(failed.length > MAX_FAILED, ` and ${failed.length - MAX_FAILED} more`);
  const facts = [
    failed.length > 0 ? `${failed.length} failed: ${shown.join(', ')}${more}` : undefined,
    pending > 0 ? `${pending === total && total === 1 ? '' : `${pending} `}unanswered` : undefined,
  ].filter((fact) => fact !== undefined);
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
    newTabs,
    dialog,
    answered,
    copied,
    downloads,
    requests,
    announcements,
    invalid,
    pageErrors,
    changes,
    states,
    value,
    focus,
    scrolledTo,
  } = effects;
  return [
    effects.tabClosed ? 'the tab closed' : undefined,
    url ? renderUrl(url) : undefined,
    effects.reloaded ? 'page reloaded' : undefined,
    ...(newTabs ?? []).map((tab) => `new tab ${tab.tabId} ${shortUrl(tab.url, here)}`.trimEnd()),
    dialog ? `${dialog.kind} dialog ${quote(dialog.message)}` : undefined,
    ...(answered ?? []).map(
      ({ kind, message, accepted }) =>
        `${kind} dialog ${quote(message)} ${accepted ? 'accepted' : 'dismissed'}`,
    ),
    effects.chooser ? 'file chooser opened (set files with upload)' : undefined,
    ...(downloads ?? []).map(({ id, file }) => `download ${id} ${quote(file)}`),
    ifDefined(copied, (copied) => `copied ${quote(shortText(copied))}`),
    states ? `now ${states.join(', ')}` : undefined,
    ifDefined(value, (value) => renderValue(value, effects.field)),
    ...(invalid ?? []).map(
      ({ field, message }) => `${renderNamed(field)} rejected: ${quote(message)}`,
    ),
    requests ? renderRequests(requests, here) : undefined,
    ...(pageErrors ?? []).map((error) => `page error ${quote(error)}`),
    ...(announcements ?? []).map(({ role, text }) => `${role} ${quote(text)}`),
    changes ? count(changes, 'DOM change') : undefined,
    effects.focused ? 'focused' : undefined,
    focus ? `focus ${renderNamed(focus)}` : undefined,
    scrolledTo ? `scrolled to ${scrolledTo.x},${scrolledTo.y}` : undefined,
  ].filter((part) => part !== undefined);
};

export const renderReceipt = (
  { did, target, effects, waitedMs, sure, remark }: Receipt,
  here: string,
): string => {
  const parts = renderEffects(effects, here);
  const what = target ? `${did} ${renderNamed(target)}` : did;
  const nothing = sure ? undefined : `no effect seen within ${Math.round(waitedMs)} ms`;
  const followed = parts.length > 0 ? parts.join('; ') : nothing;
  return [what, remark, followed].filter((part) => part !== undefined).join('; ');
};
