// The dependencies of every operation on a workspace's network traffic.
import type { Browser } from '../../browser/browser.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import type { NetworkCache } from '../../store/network/network-cache.ts';
import { redactCaptured } from './redact-captured.ts';

export interface NetworkContext {
  readonly browser: Browser;
  readonly session: Session;
  readonly cache: Pick<NetworkCache, 'load' | 'save'>;
  readonly redactor: Redactor;
  /** Threads that run the caller's regular expressions. */
  readonly workers: WorkerPool;
  /** Do not redact secrets: the server option allows it and the call requested it. */
  readonly reveal: boolean;
  readonly signal: AbortSignal;
  /** Current wall-clock time in milliseconds. */
  readonly now: number;
}

export const formatWorkspace = ({ session }: NetworkContext): string => `browser:${session.name}`;

/**
 * Redacts before a part is selected or cut, because the redactor cannot recognise a partial
 * secret.
 */
export const cleanCaptured = async (
  { reveal, redactor, signal }: Pick<NetworkContext, 'reveal' | 'redactor' | 'signal'>,
  captured: CapturedRequest,
): Promise<CapturedRequest> => (reveal ? captured : redactCaptured(captured, redactor, signal));
