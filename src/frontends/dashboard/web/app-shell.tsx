// The frame of the page: navigation, connection, theme, keyboard shortcuts and the current view.
import { computed, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import {
  connection,
  health,
  isReadonly,
  refusal,
  runningTasks,
  serverVersion,
  tabs,
  waiting,
} from './dashboard-state.ts';
import { currentView, openView, VIEWS, type ViewId } from './navigation.ts';
import { HealthView } from './health-view.tsx';
import { LiveView } from './live-view.tsx';
import { NetworkView } from './network-view.tsx';
import { TasksView } from './tasks-view.tsx';
import { theme, THEMES } from './theme.ts';
import { TimelineView } from './timeline-view.tsx';
import { WaitingView } from './waiting-view.tsx';
import { Icon } from './view-icons.tsx';

const narrowQuery = matchMedia('(max-width: 760px)');
const isNarrow = signal(narrowQuery.matches);
narrowQuery.addEventListener('change', ({ matches }) => (isNarrow.value = matches));

/** The number next to a view in the navigation; 0 shows none. */
const counts = computed((): Readonly<Record<ViewId, number>> => ({
  live: tabs.value.length,
  timeline: 0,
  tasks: runningTasks.value,
  network: 0,
  health: 0,
  waiting: waiting.value.length,
}));

const CONNECTION_TEXTS = {
  connecting: 'Connecting',
  open: 'Connected',
  lost: 'Reconnecting',
  refused: 'No access',
} as const;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches('input, textarea, select, [data-captures-keys]') || target.isContentEditable);

const onShortcut = (event: KeyboardEvent): void => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const view = VIEWS[Number(event.key) - 1];
  if (view) return openView(view.id);
  if (event.key === '/') {
    event.preventDefault();
    document.querySelector<HTMLElement>('[data-shortcut="search"]')?.focus();
  }
  if (event.key === 'j' || event.key === 'k') moveInList(event.key);
};

/** Focuses the list of the view, which then handles the key. */
const moveInList = (key: string): void => {
  const list = document.querySelector<HTMLElement>('main [role="listbox"]');
  list?.focus();
  list?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
};

const Navigation = (): VNode => (
  <nav class="nav" aria-label="Views">
    <a class="brand" href="#/live">
      <img src="/dashboard/icon.svg" alt="" width="26" height="26" />
      <span>OpenChrome</span>
    </a>
    <ul>
      {VIEWS.map(({ id, title }) => (
        <li key={id}>
          <a
            href={`#/${id}`}
            class="nav-link"
            aria-current={currentView.value === id ? 'page' : undefined}
          >
            <Icon name={id} />
            <span class="nav-title">{title}</span>
            {counts.value[id] > 0 && (
              <span class={id === 'waiting' ? 'badge badge-loud' : 'badge'}>
                {counts.value[id]}
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
    <Footer />
  </nav>
);

const Footer = (): VNode => {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  return (
    <div class="nav-foot">
      <p class={`connection connection-${connection.value}`} role="status">
        <span class="connection-dot" aria-hidden="true" />
        {CONNECTION_TEXTS[connection.value]}
        {isReadonly.value && <span class="chip chip-quiet">read-only</span>}
      </p>
      <p class="nav-fact">{health.value?.product ?? 'Chrome is not running'}</p>
      <p class="nav-fact">Version {serverVersion.value}</p>
      <button
        class="button-quiet"
        type="button"
        onClick={() => (theme.value = next)}
        aria-label={`Theme: ${theme.value}. Change to ${next}`}
      >
        <Icon name="theme" /> Theme: {theme.value}
      </button>
    </div>
  );
};

const RENDERERS: Readonly<Record<ViewId, (narrow: boolean) => VNode>> = {
  live: () => <LiveView />,
  timeline: (narrow) => <TimelineView isNarrow={narrow} />,
  tasks: (narrow) => <TasksView isNarrow={narrow} />,
  network: (narrow) => <NetworkView isNarrow={narrow} />,
  health: () => <HealthView />,
  waiting: () => <WaitingView />,
};

/** Explains how to get access if the cookie is missing or has expired. */
const Refused = (): VNode => (
  <main class="refused">
    <img src="/dashboard/icon.svg" alt="" width="48" height="48" />
    <h1>No access</h1>
    <p>{refusal.value}</p>
    <p>
      Run <code>openchrome dashboard</code> in a terminal, or open the URL that the server logged
      when it started. Each URL works once.
    </p>
  </main>
);

export const App = (): VNode => {
  useEffect(() => {
    addEventListener('keydown', onShortcut);
    return () => removeEventListener('keydown', onShortcut);
  }, []);
  const view = currentView.value;
  const title = VIEWS.find(({ id }) => id === view)?.title ?? '';
  const questions = waiting.value.length;
  useEffect(() => {
    const count = questions > 0 ? `(${questions}) ` : '';
    document.title = `${count}${title} - OpenChrome`;
  }, [title, questions]);
  if (connection.value === 'refused') return <Refused />;
  return (
    <div class="shell">
      <Navigation />
      <main class="main" key={view} aria-label={title}>
        <h1 class="view-title">{title}</h1>
        {connection.value === 'lost' && (
          <p class="notice notice-warn" role="alert">
            The server does not answer. The page continues as soon as it is back.
          </p>
        )}
        {RENDERERS[view](isNarrow.value)}
      </main>
    </div>
  );
};
