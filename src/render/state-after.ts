// The page after an action: its changes if it was read before, else its outline.
import { type PageChanges, renderChanges, selectChanges } from './diff.ts';
import { selectOutline, type ReadPage } from './page.ts';
import { type OutlineLine, renderOutline } from './tree.ts';

const MAX_TOKENS = 10_000;

interface StateReading {
  readonly now: ReadPage;
  readonly before?: ReadPage;
}

export type StateAfter =
  | { readonly mode: 'ax'; readonly lines: readonly OutlineLine[] }
  | ({ readonly mode: 'diff' } & PageChanges);

export const selectStateAfter = (
  wanted: 'none' | 'ax' | 'diff',
  { now, before }: StateReading,
): StateAfter =>
  wanted === 'diff' && before
    ? { mode: 'diff', ...selectChanges(before, now, { maxTokens: MAX_TOKENS }) }
    : { mode: 'ax', lines: selectOutline(now, { maxTokens: MAX_TOKENS }) };

export const renderStateAfter = (state: StateAfter): string =>
  state.mode === 'diff' ? renderChanges(state) : renderOutline(state.lines);
