// The views of the page and the current one, which is in the fragment of the address.
import { computed, signal } from '@preact/signals';

export const VIEWS = [
  { id: 'live', title: 'Live' },
  { id: 'timeline', title: 'Timeline' },
  { id: 'tasks', title: 'Tasks' },
  { id: 'network', title: 'Network' },
  { id: 'health', title: 'Budgets and health' },
  { id: 'waiting', title: 'Waiting for you' },
] as const;

export type ViewId = (typeof VIEWS)[number]['id'];

const readFragment = (): string => location.hash.replace(/^#\/?/, '');

const fragment = signal(readFragment());

addEventListener('hashchange', () => (fragment.value = readFragment()));

/** `#/tasks/0123` is the view `tasks` with the item `0123`. */
export const currentView = computed((): ViewId => {
  const [name] = fragment.value.split('/');
  return VIEWS.find(({ id }) => id === name)?.id ?? 'live';
});

export const currentItem = computed((): string | undefined => {
  const item = fragment.value.split('/')[1];
  return item === undefined || item === '' ? undefined : decodeURIComponent(item);
});

export const openView = (view: ViewId, item?: string): void => {
  location.hash = item === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(item)}`;
};

/** Changes the selected item without a new entry in the history. */
export const selectItem = (item: string | undefined): void => {
  const rest = item === undefined ? '' : `/${encodeURIComponent(item)}`;
  history.replaceState(null, '', `#/${currentView.value}${rest}`);
  fragment.value = readFragment();
};
