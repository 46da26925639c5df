// The timeline: every call as it happens, with filters and the details of one call.
import { computed, signal, useComputed, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { type CallDetail, type CallRow, formatCallKey } from '../messages.ts';
import { calls, loadOlder, olderCalls, thumbnails } from './dashboard-state.ts';
import { DetailPane, Fact, Facts, JsonText } from './detail-pane.tsx';
import { FilterSelect, SearchField } from './filter-fields.tsx';
import { currentItem, selectItem } from './navigation.ts';
import { fetchJson, withKey } from './server-requests.ts';
import { formatClock, formatCount, formatCounted, formatDay, formatMs } from './text-format.ts';
import { VirtualList } from './virtual-list.tsx';

type OutcomeLabel = '' | 'ok' | 'failed' | 'event';

const search = signal('');
const session = signal('');
const tool = signal('');
const outcome = signal<OutcomeLabel>('');

const OUTCOMES: Readonly<Record<Exclude<OutcomeLabel, ''>, (row: CallRow) => boolean>> = {
  ok: ({ ok }) => ok === true,
  failed: ({ ok }) => ok === false,
  event: ({ event }) => event !== undefined,
};

const matchesWords = (row: CallRow, words: string): boolean => {
  const text = `${row.tool ?? row.event} ${row.target ?? ''} ${row.summary ?? ''} ${row.code ?? ''}`;
  return text.toLowerCase().includes(words);
};

const rows = computed((): readonly CallRow[] => {
  const words = search.value.trim().toLowerCase();
  const isWanted = outcome.value === '' ? undefined : OUTCOMES[outcome.value];
  if (words === '' && session.value === '' && tool.value === '' && !isWanted) return calls.value;
  return calls.value.filter(
    (row) =>
      (session.value === '' || row.session === session.value) &&
      (tool.value === '' || (row.tool ?? row.event) === tool.value) &&
      (isWanted?.(row) ?? true) &&
      (words === '' || matchesWords(row, words)),
  );
});

const listValues = (read: (row: CallRow) => string | undefined): string[] => {
  const found = new Set<string>();
  for (const row of calls.value) {
    const value = read(row);
    if (value !== undefined) found.add(value);
  }
  return [...found].sort();
};

const sessions = computed(() => listValues((row) => row.session));
const tools = computed(() => listValues((row) => row.tool ?? row.event));

/** How a question to the user ended. */
const ANSWER_TONES: Readonly<Record<string, string>> = {
  waiting: 'warn',
  approved: 'good',
  done: 'good',
  denied: 'bad',
  cant: 'bad',
  timeout: 'bad',
};

const describeOutcome = ({ ok, code, event }: CallRow): { text: string; tone: string } => {
  if (event !== undefined)
    return { text: code ?? 'event', tone: ANSWER_TONES[code ?? ''] ?? 'quiet' };
  return ok === false ? { text: code ?? 'failed', tone: 'bad' } : { text: 'ok', tone: 'good' };
};

/** The picture of the page after the call, if the server has one. */
const Thumbnail = ({
  row,
  className,
}: {
  readonly row: CallRow;
  readonly className: string;
}): VNode | null => {
  const key = formatCallKey(row);
  if (!thumbnails.value.has(key)) return null;
  const source = withKey('/dashboard/thumbnail', { key });
  return <img class={className} alt={`The page after ${row.tool ?? 'the call'}`} src={source} />;
};

const TimelineRow = ({ row }: { readonly row: CallRow }): VNode => {
  const { text, tone } = describeOutcome(row);
  return (
    <>
      <time class="cell-time">{formatClock(row.ts)}</time>
      <span class={`dot dot-${tone}`} aria-hidden="true" />
      <span class="cell-tool">{row.tool ?? row.event}</span>
      <span class="cell-target mono">{row.target ?? ''}</span>
      <span class="cell-summary">{row.summary ?? ''}</span>
      <span class="cell-picture">
        <Thumbnail row={row} className="row-picture" />
      </span>
      <span class={`cell-outcome tone-${tone}`}>{text}</span>
      <span class="cell-number">{row.ms === undefined ? '' : formatMs(row.ms)}</span>
      <span class="cell-number cell-tokens">
        {row.tokens === undefined ? '' : `${formatCount(row.tokens)} tok`}
      </span>
      <span class="cell-session">{row.session ?? ''}</span>
    </>
  );
};

const CallPane = ({ id }: { readonly id: string }): VNode => {
  const detail = useSignal<CallDetail | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    detail.value = undefined;
    problem.value = '';
    fetchJson<CallDetail>('/dashboard/call', { id }).then(
      (loaded) => (detail.value = loaded),
      (error: Error) => (problem.value = error.message),
    );
  }, [id]);
  const call = detail.value;
  const title = call?.tool ?? call?.event ?? 'Call';
  return (
    <DetailPane title={title} onClose={() => selectItem(undefined)}>
      {problem.value !== '' && <p class="notice notice-bad">{problem.value}</p>}
      {call && <CallFacts call={call} />}
    </DetailPane>
  );
};

const CallFacts = ({ call }: { readonly call: CallDetail }): VNode => {
  const { text, tone } = describeOutcome(call);
  const isCall = call.tool !== undefined;
  return (
    <>
      <Facts>
        <Fact name="Outcome">
          <span class={`chip chip-${tone}`}>{text}</span>
        </Fact>
        <Fact name="Time">{formatDay(call.ts)}</Fact>
        <Fact name="Duration">{call.ms === undefined ? '' : formatMs(call.ms)}</Fact>
        <Fact name="Reply">
          {call.tokens === undefined ? '' : formatCounted(call.tokens, 'token')}
        </Fact>
        <Fact name="Session">{call.session ?? ''}</Fact>
        <Fact name="Tab">{call.tabId ?? ''}</Fact>
        <Fact name="Task">{call.taskId ?? ''}</Fact>
      </Facts>
      <Thumbnail row={call} className="thumbnail" />
      <JsonText title={isCall ? 'Arguments' : 'Event'} value={call.args} />
      {isCall && <ReplyText call={call} />}
    </>
  );
};

const ReplyText = ({ call }: { readonly call: CallDetail }): VNode => (
  <section>
    <h3>Reply</h3>
    {call.reply === undefined ? (
      <>
        <pre class="text" tabIndex={0}>
          {call.summary ?? ''}
        </pre>
        <p class="hint">The beginning only: this server keeps the replies of its last calls.</p>
      </>
    ) : (
      <pre class="text" tabIndex={0}>
        {call.reply}
      </pre>
    )}
    {call.images !== undefined && <p class="hint">{formatCounted(call.images, 'image')}</p>}
    {call.notes?.map((note) => (
      <p class="notice" key={note}>
        {note}
      </p>
    ))}
  </section>
);

export const TimelineView = ({ isNarrow }: { readonly isNarrow: boolean }): VNode => {
  const opened = currentItem.value;
  const marked = useSignal<string | undefined>(opened);
  const failed = useComputed(() => rows.value.filter(({ ok }) => ok === false).length);
  return (
    <>
      <div class="toolbar">
        <SearchField label="Search calls" value={search} />
        <FilterSelect label="Session" value={session} options={sessions.value} />
        <FilterSelect label="Tool" value={tool} options={tools.value} />
        <FilterSelect label="Outcome" value={outcome} options={['ok', 'failed', 'event']} />
        <span class="toolbar-note" role="status">
          {formatCounted(rows.value.length, 'call')}
          {failed.value > 0 && <span class="tone-bad">, {formatCount(failed.value)} failed</span>}
          {olderCalls.value !== undefined && ', older ones load as you scroll'}
        </span>
      </div>
      <div class={opened === undefined ? 'split' : 'split split-open'}>
        <VirtualList
          label="Calls, newest first"
          items={rows.value}
          rowHeight={isNarrow ? 62 : 38}
          keyOf={(row) => row.id}
          selected={marked.value}
          onSelect={(row) => {
            marked.value = row.id;
            if (opened !== undefined) selectItem(row.id);
          }}
          onOpen={(row) => selectItem(row.id)}
          onEnd={() => void loadOlder()}
          render={(row) => <TimelineRow row={row} />}
          empty={
            calls.value.length === 0
              ? 'No calls yet. They appear here as agents and commands make them.'
              : 'No call matches the filter.'
          }
        />
        {opened !== undefined && <CallPane id={opened} />}
      </div>
    </>
  );
};
