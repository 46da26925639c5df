// Renders the page after an action: its changes if it was read before, else the whole page.
import { renderDiff } from './diff.ts';
import { renderPage, type ReadPage } from './page.ts';

const MAX_TOKENS = 10_000;

interface StateReading {
  readonly now: ReadPage;
  readonly before?: ReadPage;
}

export const renderStateAfter = (
  mode: 'ax' | 'diff',
  { now, before }: StateReading,
): { readonly mode: 'ax' | 'diff'; readonly text: string } =>
  mode === 'diff' && before
    ? { mode, text: renderDiff(before, now, { maxTokens: MAX_TOKENS }) }
    : { mode: 'ax', text: renderPage(now, { maxTokens: MAX_TOKENS }) };
