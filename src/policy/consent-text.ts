// Texts about consent: what a call wants to do, and the failure if the owner's policy denies it.
import type { ConsentEffect } from '../core/consent-rule.ts';
import { fail, type Failure } from '../core/failure.ts';
import { parseUrl } from '../core/text.ts';
import { type ConsentVerdict, EVERY_HOST } from './consent-policy.ts';

const MAX_DETAIL_CHARS = 200;

/** Host and port; empty for a page without a host. */
export const formatConsentHost = (url: string | undefined): string => {
  if (url === undefined || url === EVERY_HOST) return url ?? '';
  return parseUrl(url)?.host ?? '';
};

const VERBS: Readonly<Record<ConsentEffect, string>> = {
  read: 'open or read pages of',
  act: 'act on',
  submit: 'submit a form on',
  download: 'download a file from',
  upload: 'give a file to',
  script: 'run JavaScript on',
  cookies: 'use cookies and storage of',
};

const nameHost = (host: string): string => {
  if (host === EVERY_HOST) return 'all sites';
  return host === '' ? 'a page without a host' : host;
};

/** `tool` is empty for a page; `detail` are the arguments of the call as a short text. */
export const describeNeed = (
  tool: string,
  effect: ConsentEffect,
  host: string,
  detail = '',
): string => {
  const line = `${tool || 'A page'} wants to ${VERBS[effect]} ${nameHost(host)}`;
  return detail === '' ? line : `${line}: ${detail.slice(0, MAX_DETAIL_CHARS)}`;
};

export const denyByPolicy = (
  tool: string,
  { effect, url, isReadOnly }: ConsentVerdict,
): Failure => {
  if (isReadOnly)
    return fail('tool_not_allowed', `${tool} acts, and this server is read-only.`, {
      hint: 'Use tools that read, or open another page.',
    });
  const host = formatConsentHost(url);
  return fail(
    'consent_denied',
    `The owner's policy denies this: ${describeNeed(tool, effect, host)}.`,
    { effect, host, reason: 'policy' },
  );
};
