// Reads and changes localStorage and sessionStorage.
import type {
  StorageAnswer,
  StorageChange,
  StorageEntries,
  StorageRequest,
} from '../storage-answers.ts';

const storageOf = (area: StorageRequest['area']): Storage =>
  area === 'local' ? localStorage : sessionStorage;

const entriesOf = (storage: Storage, key: string | undefined): StorageEntries => {
  const keys =
    key === undefined
      ? Array.from({ length: storage.length }, (_, index) => storage.key(index))
      : [key];
  return keys.flatMap((name) => {
    const value = name === null ? null : storage.getItem(name);
    return name === null || value === null ? [] : [[name, value] as const];
  });
};

const guarded = (work: () => StorageEntries): StorageAnswer => {
  try {
    return { entries: work() };
  } catch (error) {
    const { name, message } = error as DOMException;
    return { problem: name === 'QuotaExceededError' ? 'full' : 'denied', message };
  }
};

export const read = ({ area, key }: StorageRequest): StorageAnswer =>
  guarded(() => entriesOf(storageOf(area), key));

/** Returns the previous values of the removed keys, or of all keys for `clear`. */
export const change = ({ area, set = [], remove = [], clear }: StorageChange): StorageAnswer =>
  guarded(() => {
    const storage = storageOf(area);
    const before = clear
      ? entriesOf(storage, undefined)
      : remove.flatMap((key) => entriesOf(storage, key));
    if (clear) storage.clear();
    for (const key of remove) storage.removeItem(key);
    for (const [key, value] of set) storage.setItem(key, value);
    return before;
  });
