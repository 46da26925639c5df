// Everything that waits for the user: hand-offs, approvals, dialogs and hung pages.
import { computed, signal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { ApprovalScopeName, DashboardAction, WaitingRow } from '../messages.ts';
import { clockOffset, decisions, isReadonly, tabs, waiting } from './dashboard-state.ts';
import { postAction } from './server-requests.ts';
import { formatDay, formatMs, shortenUrl } from './text-format.ts';

const KINDS: Readonly<Record<WaitingRow['kind'], { title: string; tone: string }>> = {
  approval: { title: 'Approval', tone: 'warn' },
  handoff: { title: 'Hand-off', tone: 'busy' },
  dialog: { title: 'Dialog', tone: 'warn' },
  hung: { title: 'Hung page', tone: 'bad' },
};

/** Cards move when one appears or ends: a click that was meant for another card is ignored. */
const SETTLE_MS = 500;

const problem = signal('');
const now = signal(Date.now());
const isSettling = signal(false);
const shownIds = computed(() => waiting.value.map(({ id }) => id).join());

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
  <button
    class={`button ${tone}`}
    type="button"
    aria-disabled={isSettling.value}
    onClick={({ detail }) => {
      // The keyboard acts on the focused button, wherever its card is.
      if (!isSettling.value || detail === 0) onClick();
    }}
  >
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
      <Action onClick={allow('session')}>Allow for this session</Action>
      {row.host !== undefined && row.host !== '' && (
        <Action onClick={allow('always')}>Always allow on {row.host}</Action>
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

const ACTIONS: Readonly<
  Record<WaitingRow['kind'], (props: { readonly row: WaitingRow }) => VNode | null>
> = {
  approval: ApprovalActions,
  handoff: HandoffActions,
  dialog: DialogActions,
  hung: () => null,
};

/** Tabs of other servers cannot be shown here. */
const TabLink = ({ tabId }: { readonly tabId: string | undefined }): VNode | null =>
  tabs.value.some((tab) => tab.tabId === tabId) ? (
    <a class="button" href={`#/live/${encodeURIComponent(tabId ?? '')}`}>
      Open the tab
    </a>
  ) : null;

/** Who wrote the text of a card; the other texts are our own. */
const AUTHORS: Readonly<Partial<Record<WaitingRow['kind'], string>>> = {
  handoff: 'The agent asks:',
  dialog: 'The page says:',
};

/** The client that works in the tab; unknown for tabs of other servers. */
const findClient = ({ tabId }: WaitingRow): string | undefined =>
  tabs.value.find((tab) => tab.tabId === tabId)?.host;

const WaitingCard = ({ row }: { readonly row: WaitingRow }): VNode => {
  const { title, tone } = KINDS[row.kind];
  const author = AUTHORS[row.kind];
  const Actions = row.interrupted ? InterruptedActions : ACTIONS[row.kind];
  const serverNow = now.value - clockOffset.value;
  const left = row.expiresAt === undefined ? undefined : Math.max(0, row.expiresAt - serverNow);
  return (
    <li class="waiting-card" aria-label={`${title}: ${row.text}`}>
      <header>
        <span class={`chip chip-${tone}`}>{title}</span>
        {row.effect !== undefined && <span class="chip chip-quiet">{row.effect}</span>}
        <span class="hint">{[row.session, findClient(row)].filter(Boolean).join(', ')}</span>
        <span class="hint waiting-time">
          {formatMs(Math.max(0, serverNow - row.since))} ago
          {left !== undefined && `, ${formatMs(left)} left`}
        </span>
      </header>
      {author !== undefined && <p class="hint">{author}</p>}
      <p class={author === undefined ? 'waiting-text' : 'waiting-text waiting-quote'}>{row.text}</p>
      {row.detail !== undefined && <p class="mono waiting-detail">{row.detail}</p>}
      {row.interrupted && (
        <p class="hint">
          The server ended while this hand-off was waiting. Continue opens its page again.
        </p>
      )}
      {row.until !== undefined && <p class="hint">Ends by itself when: {row.until}</p>}
      {row.url !== undefined && row.url !== '' && (
        <p class="mono waiting-url">{shortenUrl(row.url)}</p>
      )}
      {!isReadonly.value && (
        <div class="waiting-actions">
          <Actions row={row} />
          <TabLink tabId={row.tabId} />
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
  useLayoutEffect(() => {
    isSettling.value = true;
    const timer = setTimeout(() => (isSettling.value = false), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shownIds.value]);
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
        <ul class="waiting" aria-live="polite" aria-relevant="additions">
          {waiting.value.map((row) => (
            <WaitingCard key={row.id} row={row} />
          ))}
        </ul>
      )}
      <Decisions />
    </div>
  );
};
