// A list that renders only its visible rows, so that ten thousand rows stay responsive.
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly keyOf: (item: T) => string;
  readonly render: (item: T) => ComponentChildren;
  readonly selected: string | undefined;
  readonly onSelect: (item: T) => void;
  readonly onOpen: (item: T) => void;
  /** Called near the end of the list. */
  readonly onEnd?: () => void;
  readonly empty: ComponentChildren;
}

const EXTRA_ROWS = 6;

/** Keys that move the selection, and by how many rows. */
const STEPS: Readonly<Record<string, number>> = {
  j: 1,
  ArrowDown: 1,
  k: -1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

export const VirtualList = <T,>(props: VirtualListProps<T>): VNode => {
  const { label, items, rowHeight, keyOf, render, selected, onSelect, onOpen, onEnd } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const firstKey = useRef<string | undefined>(undefined);

  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // New rows at the top do not move the rows that the user reads.
  useLayoutEffect(() => {
    const element = frame.current;
    const before = firstKey.current;
    firstKey.current = items[0] === undefined ? undefined : keyOf(items[0]);
    if (!element || before === undefined || element.scrollTop < rowHeight) return;
    const moved = items.slice(0, 500).findIndex((item) => keyOf(item) === before);
    if (moved > 0) element.scrollTop += moved * rowHeight;
  }, [items]);

  const first = Math.max(0, Math.floor(top / rowHeight) - EXTRA_ROWS);
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + EXTRA_ROWS);
  useEffect(() => {
    if (last >= items.length - 20) onEnd?.();
  }, [last, items.length]);

  const select = (index: number): void => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))];
    const element = frame.current;
    if (item === undefined || !element) return;
    const at = Math.max(0, Math.min(items.length - 1, index)) * rowHeight;
    if (at < element.scrollTop) element.scrollTop = at;
    const below = at + rowHeight - element.clientHeight;
    if (below > element.scrollTop) element.scrollTop = below;
    onSelect(item);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const index = items.findIndex((item) => keyOf(item) === selected);
    const step = STEPS[event.key];
    const item = items[index];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) select(index < 0 ? 0 : index + step);
    else if (event.key === 'Enter' && item !== undefined) onOpen(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  if (items.length === 0) return <div class="empty">{props.empty}</div>;
  const active = items.findIndex((item) => keyOf(item) === selected);
  return (
    <div
      class="list"
      ref={frame}
      tabIndex={0}
      role="listbox"
      aria-label={label}
      aria-activedescendant={active >= first && active < last ? `row-${active}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div
        class="list-space"
        role="presentation"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        {items.slice(first, last).map((item, offset) => {
          const key = keyOf(item);
          return (
            <div
              key={key}
              id={`row-${first + offset}`}
              class={key === selected ? 'row row-selected' : 'row'}
              role="option"
              aria-selected={key === selected}
              aria-setsize={items.length}
              aria-posinset={first + offset + 1}
              style={{ height: `${rowHeight}px`, top: `${(first + offset) * rowHeight}px` }}
              onClick={() => {
                onSelect(item);
                onOpen(item);
              }}
            >
              {render(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
};
