// Records a login without a window: a hand-off, which the user completes in the dashboard.
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { SavedLoginFacts } from '../../../features/session/saved-login.ts';
import { fail } from '../../../core/failure.ts';
import { type DaemonClient, readAnswer } from '../client.ts';
import { createDashboardUrl, requireRunningDaemon } from '../daemon/control.ts';
import type { CliContext } from '../command.ts';

export interface LoginOrder {
  readonly url: string;
  readonly name: string;
}

/** The longest time for the user to log in: the limit of one call. */
const PATIENCE_MS = 3_600_000;
/** Time to close the session of a login that was interrupted. */
const CLOSE_MS = 5_000;

export const recordByHandoff = async (
  order: LoginOrder,
  context: CliContext,
  signal: AbortSignal,
): Promise<SavedLoginFacts> => {
  const { wiring } = context;
  const note = await requireRunningDaemon(wiring.home, await wiring.loadSettings([]));
  const session = `login-${randomBytes(4).toString('hex')}`;
  const wishes = { wholeReplies: true, shell: {} };
  const client = await wiring.connect({ flags: [], session, start: true, wishes, signal });
  try {
    return await logIn(
      order,
      { ...context, session, client },
      await createDashboardUrl(note),
      signal,
    );
  } finally {
    // The signal of the command may have ended the login.
    const end = AbortSignal.timeout(CLOSE_MS);
    const args = { action: 'close', name: session };
    await client.callTool('sessions', args, { signal: end }).catch(() => {}); // the daemon is gone
    await client.close();
  }
};

interface LoginSession extends CliContext {
  readonly session: string;
  readonly client: DaemonClient;
}

const logIn = async (
  { url, name }: LoginOrder,
  context: LoginSession,
  dashboard: string,
  signal: AbortSignal,
): Promise<SavedLoginFacts> => {
  const { client, terminal } = context;
  const { host } = new URL(url);
  readAnswer(await client.callTool('navigate', { url }, { signal }));
  const here = terminal.interactive ? ' there, or Enter here' : ' there';
  terminal.err(
    `Log in to ${host} in the dashboard: open this address (it works once), take the tab over, ` +
      `and press Done${here}.\n${dashboard}`,
  );
  using _keys = finishOnEnter(context);
  const args = { reason: `Log in to ${host}`, timeout_ms: PATIENCE_MS };
  const answer = await client.callTool('oc_handoff', args, { signal, onProgress: () => {} });
  const { outcome } = readAnswer<{ readonly outcome: string }>(answer);
  if (outcome !== 'done')
    throw fail('cancelled', `No login was saved: ${OUTCOMES[outcome] ?? outcome}.`);
  return readAnswer(await client.callTool('storage', { action: 'save', login: name }, { signal }));
};

const OUTCOMES: Readonly<Record<string, string>> = {
  cant: 'the user could not log in',
  timeout: 'the user did not finish in time',
};

/** Enter ends the hand-off. Only in a terminal: an agent must not answer for the user. */
const finishOnEnter = ({ terminal, wiring, session }: LoginSession): Disposable | undefined => {
  if (!terminal.interactive) return undefined;
  const finish = async (): Promise<void> => {
    const waiting = await wiring.openWaiting();
    const item = (await waiting.list()).find((one) => one.session === session);
    if (item) await waiting.finishHandoff(item.id, 'done', 'terminal');
  };
  const lines = createInterface({ input: process.stdin });
  lines.on('line', () => {
    finish().catch(() => {}); // it was answered in the dashboard at the same time
  });
  return { [Symbol.dispose]: () => lines.close() };
};
