// What every piece of work on a workspace's traffic is given.
import type { Browser } from '../../browser/browser.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { NetworkCache } from '../../store/network/network-cache.ts';
import { redactCaptured } from './redact-captured.ts';

export interface NetworkContext {
  readonly browser: Browser;
  readonly session: Session;
  readonly cache: NetworkCache;
  readonly redactor: Redactor;
  /** Secrets are shown: the server was told to allow it, and the call asked for it. */
  readonly reveal: boolean;
  readonly signal: AbortSignal;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

export const formatWorkspace = ({ session }: NetworkContext): string => `browser:${session.name}`;

/** Before anything is picked or cut out of it: a part of a secret is no longer known as one. */
export const cleanCaptured = (
  { reveal, redactor }: Pick<NetworkContext, 'reveal' | 'redactor'>,
  captured: CapturedRequest,
): CapturedRequest => (reveal ? captured : redactCaptured(captured, redactor));
