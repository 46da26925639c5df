// One case of acting: a page, a call, what the call must say, and what the page itself must have
// recorded.
import type { Routes } from '../fixtures.ts';

export type Call = readonly [tool: string, args: Record<string, unknown>];

export interface Case {
  readonly name: string;
  /** Body of the page; a recorder of what really happened stands before it. */
  readonly page: string;
  /**
   * Other paths that the page leads to. `{other}` in a page is the same site under another origin.
   */
  readonly site?: Routes;
  /** Calls before the one that is judged; they must succeed. */
  readonly first?: readonly Call[];
  readonly call: Call;
  /** The reply, with every ref written as e#. */
  readonly says?: string | RegExp;
  /** The failure's code, and what its JSON must hold. */
  readonly fails?: readonly [code: string, holds?: RegExp];
  /**
   * An expression in the page, and what it must give; without an expression the events that were
   * recorded.
   */
  readonly recorded?: string | readonly [expression: string, value: unknown];
  /** The longest that the call may take. */
  readonly withinMs?: number;
}

/**
 * Notes trusted and untrusted events with their targets, before any handler of the page can stop
 * them.
 */
const RECORDER = `<script>
  window.log = [];
  window.nameOf = (t) => t === document || t === window ? 'page' : t.id || t.textContent?.trim().slice(0, 20) || t.localName;
  for (const type of ['click', 'dblclick', 'auxclick', 'contextmenu', 'input', 'change', 'submit', 'drop'])
    addEventListener(type, (e) => log.push(type + ' ' + nameOf(e.composedPath()[0]) + (e.isTrusted ? '' : ' (untrusted)')), true);
</script>`;

export const pageOf = ({ page }: Case, other: string): string =>
  `<!doctype html><meta charset=utf-8><title>Case</title>${RECORDER}${page}`.replaceAll(
    '{other}',
    other,
  );
