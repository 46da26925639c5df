// Small line icons of the page.
import type { VNode } from 'preact';

const PATHS = {
  live: 'M3 5h18v12H3zM8 21h8M12 17v4',
  timeline: 'M4 6h3M4 12h3M4 18h3M10 6h10M10 12h10M10 18h6',
  tasks: 'M4 6l1.5 1.5L8 5M4 12.5l1.5 1.5L8 11.5M4 19l1.5 1.5L8 18M11 6.5h9M11 13h9M11 19.5h9',
  network: 'M4 6h8M7 12h10M11 18h9',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  waiting: 'M6 10a6 6 0 1 1 12 0c0 5 2 6 2 6H4s2-1 2-6M10 20a2 2 0 0 0 4 0',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M16 16l4.5 4.5',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9',
  open: 'M9 5H5v14h14v-4M13 5h6v6M19 5l-9 9',
  hand: 'M8 12V6a1.5 1.5 0 0 1 3 0v5M11 10V4.5a1.5 1.5 0 0 1 3 0V11M14 10V6a1.5 1.5 0 0 1 3 0v8c0 4-2 7-6 7-3 0-4.500-1.500-7-6-.600-1.200 1-2.200 2-1l2 2',
  back: 'M15 5l-7 7 7 7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  keyboard: 'M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { readonly name: IconName }): VNode => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
