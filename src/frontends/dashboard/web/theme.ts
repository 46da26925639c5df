// The colour theme that the user has chosen, kept in this browser.
import { computed, effect, signal } from '@preact/signals';

export type ThemeName = 'system' | 'light' | 'dark';

export const THEMES: readonly ThemeName[] = ['system', 'light', 'dark'];

const readTheme = (): ThemeName =>
  THEMES.find((name) => name === localStorage.getItem('theme')) ?? 'system';

export const theme = signal<ThemeName>(readTheme());

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<'light' | 'dark'>(darkQuery.matches ? 'dark' : 'light');
darkQuery.addEventListener('change', ({ matches }) => {
  systemTheme.value = matches ? 'dark' : 'light';
});

/** The theme in which the page is drawn. */
export const shownTheme = computed(() =>
  theme.value === 'system' ? systemTheme.value : theme.value,
);

effect(() => {
  document.documentElement.dataset['theme'] = shownTheme.value;
  localStorage.setItem('theme', theme.value);
});
