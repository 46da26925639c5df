// Fields that filter a list: a search field and selects.
import type { Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { Icon } from './view-icons.tsx';

export const SearchField = ({
  label,
  value,
}: {
  readonly label: string;
  readonly value: Signal<string>;
}): VNode => (
  <label class="search">
    <Icon name="search" />
    <input
      type="search"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      data-shortcut="search"
      value={value.value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === 'Escape') focusList(event.currentTarget);
      }}
    />
  </label>
);

/** Moves the focus from the search field to the list, so that j and k work. */
const focusList = (from: HTMLElement): void => {
  const list = from.closest('main')?.querySelector<HTMLElement>('[role="listbox"]');
  (list ?? from).focus();
};

interface FilterSelectProps<T extends string> {
  readonly label: string;
  readonly value: Signal<T | ''>;
  readonly options: readonly T[];
}

export const FilterSelect = <T extends string>({
  label,
  value,
  options,
}: FilterSelectProps<T>): VNode => (
  <select
    class={value.value === '' ? 'select' : 'select select-set'}
    aria-label={label}
    value={value.value}
    onChange={({ currentTarget }) => (value.value = currentTarget.value as T | '')}
  >
    <option value="">{label}: all</option>
    {options.map((option) => (
      <option key={option} value={option}>
        {option}
      </option>
    ))}
  </select>
);
