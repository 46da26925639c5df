// The vocabulary of consent: effects of calls, the owner's rules, and the scopes of an approval.
import { z } from 'zod';

export const CONSENT_EFFECTS = [
  'read',
  'act',
  'submit',
  'download',
  'upload',
  'script',
  'cookies',
] as const;
export type ConsentEffect = (typeof CONSENT_EFFECTS)[number];

export const CONSENT_DECISIONS = ['allow', 'ask', 'deny'] as const;
export type ConsentDecision = (typeof CONSENT_DECISIONS)[number];

/** `always`: on this host, until the owner revokes it. */
export const APPROVAL_SCOPES = ['once', 'session', 'always'] as const;
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

// An empty list would match nothing, which a rule that denies must not do by accident.
const names = z.array(z.string().min(1).max(253)).min(1).max(200).optional();

/** A rule of the owner's policy. Unknown keys are rejected, so that no misspelt limit is ignored. */
export const ConsentRule = z.strictObject({
  decision: z.enum(CONSENT_DECISIONS),
  effect: z.enum(CONSENT_EFFECTS).optional(),
  domains: names,
  tools: names,
  sessions: names,
});
export type ConsentRule = Readonly<z.output<typeof ConsentRule>>;
