// The colour theme that the user has chosen, kept in this browser.
import { effect, signal } from '@preact/signals';

export type ThemeName = 'system' | 'light' | 'dark';

export const THEMES: readonly ThemeName[] = ['system', 'light', 'dark'];

const readTheme = (): ThemeName =>
  THEMES.find((name) => name === localStorage.getItem('theme')) ?? 'system';

export const theme = signal<ThemeName>(readTheme());

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem('theme', theme.value);
});
