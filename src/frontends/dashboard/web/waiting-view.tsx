// Everything that waits for the user: hand-offs, approvals, dialogs and hung pages.
import { signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApprovalScopeName, DashboardAction, WaitingRow } from '../messages.ts';
import { clockOffset, decisions, isReadonly, waiting } from './dashboard-state.ts';
import { postAction } from './server-requests.ts';
import { formatDay, formatMs, shortenUrl } from './text-format.ts';

const KINDS: Readonly<Record<WaitingRow['kind'], { title: string; tone: string }>> = {
  approval: { title: 'Approval', tone: 'warn' },
  handoff: { title: 'Hand-off', tone: 'busy' },
  dialog: { title: 'Dialog', tone: 'warn' },
  hung: { title: 'Hung page', tone: 'bad' },
};

const problem = signal('');
const now = signal(Date.now());

const act = (action: DashboardAction): void => {
  problem.value = '';
  postAction(action).catch((error: Error) => (problem.value = error.message));
};

const Action = ({
  onClick,
  tone = '',
  children,
}: {
  readonly onClick: () => void;
  readonly tone?: string;
  readonly children: ComponentChildren;
}): VNode => (
  <button class={`button ${tone}`} type="button" onClick={onClick}>
    {children}
  </button>
);

const ApprovalActions = ({ row }: { readonly row: WaitingRow }): VNode => {
  const allow = (scope: ApprovalScopeName) => () =>
    act({ type: 'answer-approval', id: row.id, allow: true, scope });
  return (
    <>
      <Action tone="button-main" onClick={allow('once')}>
        Allow once
      </Action>
      <Action onClick={allow('session')}>This session</Action>
      {row.host !== undefined && row.host !== '' && (
        <Action onClick={allow('always')}>Always on {row.host}</Action>
      )}
      <Action
        tone="button-bad"
        onClick={() => act({ type: 'answer-approval', id: row.id, allow: false })}
      >
        Deny
      </Action>
    </>
  );
};

/** The server of this hand-off has ended: its page is opened again in a new tab. */
const InterruptedActions = ({ row }: { readonly row: WaitingRow }): VNode => (
  <>
    <Action tone="button-main" onClick={() => act({ type: 'continue-handoff', id: row.id })}>
      Continue
    </Action>
    <Action onClick={() => act({ type: 'dismiss-handoff', id: row.id })}>Dismiss</Action>
  </>
);

const HandoffActions = ({ row }: { readonly row: WaitingRow }): VNode => (
  <>
    {row.tabId !== undefined && (
      <a class="button" href={`#/live/${encodeURIComponent(row.tabId)}`}>
        Open the tab
      </a>
    )}
    <Action
      tone="button-main"
      onClick={() => act({ type: 'finish-handoff', id: row.id, outcome: 'done' })}
    >
      Done
    </Action>
    <Action
      tone="button-bad"
      onClick={() => act({ type: 'finish-handoff', id: row.id, outcome: 'cant' })}
    >
      Can't
    </Action>
  </>
);

const DialogActions = ({ row }: { readonly row: WaitingRow }): VNode => {
  const { tabId = '', dialogKind, defaultPrompt = '' } = row;
  const answer = (accept: boolean, text?: string): void =>
    act({ type: 'answer-dialog', tabId, accept, ...(text !== undefined && { text }) });
  if (dialogKind === 'prompt')
    return (
      <form
        class="prompt"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get('text');
          answer(true, typeof text === 'string' ? text : '');
        }}
      >
        <input name="text" class="field" aria-label="Answer" defaultValue={defaultPrompt} />
        <button class="button button-main" type="submit">
          OK
        </button>
        <Action onClick={() => answer(false)}>Cancel</Action>
      </form>
    );
  return (
    <>
      <Action tone="button-main" onClick={() => answer(true)}>
        OK
      </Action>
      {dialogKind !== 'alert' && <Action onClick={() => answer(false)}>Cancel</Action>}
    </>
  );
};

const HungActions = ({ row }: { readonly row: WaitingRow }): VNode => (
  <a class="button" href={`#/live/${encodeURIComponent(row.tabId ?? '')}`}>
    Open the tab
  </a>
);

const ACTIONS = {
  approval: ApprovalActions,
  handoff: HandoffActions,
  dialog: DialogActions,
  hung: HungActions,
} as const;

const WaitingCard = ({ row }: { readonly row: WaitingRow }): VNode => {
  const { title, tone } = KINDS[row.kind];
  const Actions = row.interrupted ? InterruptedActions : ACTIONS[row.kind];
  const serverNow = now.value - clockOffset.value;
  const left = row.expiresAt === undefined ? undefined : Math.max(0, row.expiresAt - serverNow);
  return (
    <li class="waiting-card" aria-label={`${title}: ${row.text}`}>
      <header>
        <span class={`chip chip-${tone}`}>{title}</span>
        {row.effect !== undefined && <span class="chip chip-quiet">{row.effect}</span>}
        <span class="hint">{row.session}</span>
        <span class="hint waiting-time">
          {formatMs(Math.max(0, serverNow - row.since))} ago
          {left !== undefined && `, ${formatMs(left)} left`}
        </span>
      </header>
      <p class="waiting-text">{row.text}</p>
      {row.detail !== undefined && <p class="mono waiting-detail">{row.detail}</p>}
      {row.interrupted && (
        <p class="hint">
          The server ended while this hand-off was waiting. Continue opens its page again.
        </p>
      )}
      {row.until !== undefined && <p class="hint">Ends by itself: {row.until}</p>}
      {row.url !== undefined && row.url !== '' && (
        <p class="mono waiting-url">{shortenUrl(row.url)}</p>
      )}
      {!isReadonly.value && (
        <div class="waiting-actions">
          <Actions row={row} />
        </div>
      )}
    </li>
  );
};

const Decisions = (): VNode | null =>
  decisions.value.length === 0 ? null : (
    <section class="panel">
      <h2>Decisions that apply</h2>
      <ul class="decisions">
        {decisions.value.map((one) => (
          <li key={one.id}>
            <span class="chip chip-good">{one.effect}</span>
            <span>
              {one.scope === 'always' ? `always on ${one.host}` : `session ${one.session ?? ''}`}
            </span>
            <span class="hint">
              {formatDay(one.at)}, {one.by}
            </span>
            {!isReadonly.value && (
              <Action onClick={() => act({ type: 'revoke-approval', id: one.id })}>Revoke</Action>
            )}
          </li>
        ))}
      </ul>
    </section>
  );

export const WaitingView = (): VNode => {
  useEffect(() => {
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Waiting for you">
      {problem.value !== '' && (
        <p class="notice notice-bad" role="alert">
          {problem.value}
        </p>
      )}
      {waiting.value.length === 0 ? (
        <div class="empty">
          <p>
            Nothing waits for you. Hand-offs, approvals, open dialogs and hung pages appear here.
          </p>
        </div>
      ) : (
        <ul class="waiting" aria-live="polite">
          {waiting.value.map((row) => (
            <WaitingCard key={row.id} row={row} />
          ))}
        </ul>
      )}
      <Decisions />
    </div>
  );
};
