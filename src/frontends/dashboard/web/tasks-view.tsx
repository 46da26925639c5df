// The tasks: their state and progress, the pages of a crawl as a tree, and actions on one task.
import { computed, signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CrawlPageRow, DashboardAction, TaskDetail, TaskItem } from '../messages.ts';
import { CrawlTree } from './crawl-tree.tsx';
import { clockOffset, isReadonly, tasks } from './dashboard-state.ts';
import { DetailPane, Fact, Facts, JsonText } from './detail-pane.tsx';
import { FilterSelect, SearchField } from './filter-fields.tsx';
import { currentItem, selectItem } from './navigation.ts';
import { fetchJson, postAction } from './server-requests.ts';
import { formatClock, formatCount, formatCounted, formatDay, formatMs } from './text-format.ts';
import { VirtualList } from './virtual-list.tsx';

const search = signal('');
const status = signal<TaskItem['status'] | ''>('');
const kind = signal('');

const STATUSES = ['RUNNING', 'PENDING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
const TONES: Readonly<Record<TaskItem['status'], string>> = {
  PENDING: 'quiet',
  RUNNING: 'busy',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'quiet',
};

const kinds = computed(() => [...new Set(tasks.value.map((task) => task.kind))].sort());

const rows = computed(() => {
  const words = search.value.trim().toLowerCase();
  return tasks.value.filter(
    (task) =>
      (status.value === '' || task.status === status.value) &&
      (kind.value === '' || task.kind === kind.value) &&
      (words === '' || `${task.kind} ${task.about} ${task.id}`.toLowerCase().includes(words)),
  );
});

/** Redraws running times once a second. */
const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1_000);

const measureElapsed = ({ started, created, ended }: TaskItem): number =>
  Math.max(0, (ended ?? now.value - clockOffset.value) - (started ?? created));

interface Pace {
  readonly rate: string;
  readonly left: string;
}

/** The rate and the remaining time; empty if they are unknown. */
const estimatePace = (task: TaskItem): Pace => {
  const { done = 0, total } = task.progress ?? {};
  const elapsed = measureElapsed(task);
  if (done === 0 || elapsed < 1_000) return { rate: '', left: '' };
  const perSecond = (done / elapsed) * 1_000;
  const rate = perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
  const isRunning = task.status === 'RUNNING' && total !== undefined && total > done;
  return { rate, left: isRunning ? `${formatMs(((total - done) / perSecond) * 1_000)} left` : '' };
};

const ProgressBar = ({ task }: { readonly task: TaskItem }): VNode => {
  const { done = 0, total } = task.progress ?? {};
  const isKnown = total !== undefined && total > 0;
  const share = isKnown ? Math.min(1, done / total) : Number(task.ended !== undefined);
  const label = isKnown
    ? `${formatCount(Math.min(done, total))} of ${formatCount(total)}`
    : formatCount(done);
  return (
    <span class="progress-cell">
      <span class="bar" aria-hidden="true">
        <span
          class={`bar-fill bar-${TONES[task.status]}`}
          style={{ width: `${Math.round(share * 100)}%` }}
        />
      </span>
      <span class="bar-label">{task.progress ? label : ''}</span>
    </span>
  );
};

const TaskLine = ({ task }: { readonly task: TaskItem }): VNode => {
  const { rate, left } = estimatePace(task);
  return (
    <>
      <span class={`chip chip-${TONES[task.status]}`}>
        {task.cancelling ? 'CANCELLING' : task.status}
      </span>
      <span class="cell-tool">{task.kind}</span>
      <span class="cell-about">{task.about}</span>
      <ProgressBar task={task} />
      <span class="cell-pace">{left || rate}</span>
      <span class="cell-number">{formatMs(measureElapsed(task))}</span>
      <time class="cell-time">{formatClock(task.created)}</time>
    </>
  );
};

const TaskPane = ({ id }: { readonly id: string }): VNode => {
  const detail = useSignal<TaskDetail | undefined>(undefined);
  const problem = useSignal('');
  const known = tasks.value.find((task) => task.id === id);
  const version = JSON.stringify([known?.status, known?.progress]);
  useEffect(() => {
    fetchJson<TaskDetail>('/dashboard/task', { id }).then(
      (loaded) => {
        detail.value = loaded;
        problem.value = '';
      },
      (error: Error) => (problem.value = error.message),
    );
  }, [id, version]);
  const task = detail.value?.id === id ? detail.value : undefined;
  const act = (action: DashboardAction): void => {
    postAction<{ readonly id?: string }>(action).then(
      (answer) => answer.id !== undefined && selectItem(answer.id),
      (error: Error) => (problem.value = error.message),
    );
  };
  return (
    <DetailPane
      title={known ? `${known.kind} ${id.slice(0, 12)}` : id}
      onClose={() => selectItem(undefined)}
      actions={task && <TaskActions task={task} act={act} />}
    >
      {problem.value !== '' && (
        <p class="notice notice-bad" role="alert">
          {problem.value}
        </p>
      )}
      {task && <TaskFacts task={task} />}
    </DetailPane>
  );
};

const TaskActions = ({
  task,
  act,
}: {
  readonly task: TaskDetail;
  readonly act: (action: DashboardAction) => void;
}): VNode => {
  const { id } = task;
  const mayAct = !isReadonly.value;
  return (
    <>
      {Object.entries(task.links).map(([text, href]) => (
        <a key={text} class="button" href={href} target="_blank" rel="noreferrer">
          {text}
        </a>
      ))}
      {mayAct && task.canResume && task.status !== 'COMPLETED' && (
        <button class="button" type="button" onClick={() => act({ type: 'resume-task', id })}>
          Resume
        </button>
      )}
      {mayAct && task.ended === undefined && (
        <button
          class="button button-bad"
          type="button"
          onClick={() => act({ type: 'cancel-task', id })}
        >
          Cancel task
        </button>
      )}
    </>
  );
};

const countStatuses = (pages: readonly CrawlPageRow[]): string => {
  const failed = pages.filter(
    ({ status: code, error }) => error !== undefined || (code ?? 200) >= 400,
  ).length;
  return failed === 0
    ? formatCounted(pages.length, 'page')
    : `${formatCounted(pages.length, 'page')}, ${formatCount(failed)} failed`;
};

const TaskFacts = ({ task }: { readonly task: TaskDetail }): VNode => {
  const { rate, left } = estimatePace(task);
  return (
    <>
      <Facts>
        <Fact name="State">
          <span class={`chip chip-${TONES[task.status]}`}>{task.status}</span>
        </Fact>
        <Fact name="Progress">{task.progress && <ProgressBar task={task} />}</Fact>
        <Fact name="Now">{task.progress?.message ?? ''}</Fact>
        <Fact name="Rate">{[rate, left].filter(Boolean).join(', ')}</Fact>
        <Fact name="Time">{formatMs(measureElapsed(task))}</Fact>
        <Fact name="Started">{formatDay(task.started ?? task.created)}</Fact>
        <Fact name="Session">{task.session}</Fact>
        <Fact name="Id">{task.id}</Fact>
      </Facts>
      {task.error && (
        <p class="notice notice-bad">
          <strong>{task.error.code}</strong> {task.error.message}
        </p>
      )}
      {task.pages.length > 0 && (
        <section>
          <h3>Pages ({countStatuses(task.pages)})</h3>
          <CrawlTree pages={task.pages} />
          {task.morePages > 0 && <p class="hint">{formatCounted(task.morePages, 'more page')}</p>}
        </section>
      )}
      {task.budget && <JsonText title="Budget" value={task.budget} />}
      <JsonText title="Arguments" value={task.args} />
      {task.events.length > 0 && (
        <section>
          <h3>Events</h3>
          <ol class="event-list">
            {task.events.toReversed().map((event, index) => (
              <li key={`${event.ts}-${index}`}>
                <time>{formatClock(event.ts)}</time> <strong>{event.kind}</strong>{' '}
                <span class="mono">
                  {event.data === undefined ? '' : JSON.stringify(event.data)}
                </span>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
};

export const TasksView = ({ isNarrow }: { readonly isNarrow: boolean }): VNode => {
  const opened = currentItem.value;
  const marked = useSignal<string | undefined>(opened);
  return (
    <>
      <div class="toolbar">
        <SearchField label="Search tasks" value={search} />
        <FilterSelect label="State" value={status} options={STATUSES} />
        <FilterSelect label="Kind" value={kind} options={kinds.value} />
        <span class="toolbar-note" role="status">
          {formatCounted(rows.value.length, 'task')}
        </span>
      </div>
      <div class={opened === undefined ? 'split' : 'split split-open'}>
        <VirtualList
          label="Tasks, newest first"
          items={rows.value}
          rowHeight={isNarrow ? 82 : 46}
          keyOf={(task) => task.id}
          selected={marked.value}
          onSelect={(task) => {
            marked.value = task.id;
            if (opened !== undefined) selectItem(task.id);
          }}
          onOpen={(task) => selectItem(task.id)}
          render={(task) => <TaskLine task={task} />}
          empty={
            tasks.value.length === 0
              ? 'No tasks yet. Crawls, recordings and the tasks of hosts appear here.'
              : 'No task matches the filter.'
          }
        />
        {opened !== undefined && <TaskPane id={opened} />}
      </div>
    </>
  );
};
