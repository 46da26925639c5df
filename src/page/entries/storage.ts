// Reads and changes localStorage and sessionStorage.
import type {
  StorageAnswer,
  StorageChange,
  StorageEntries,
  StorageRequest,
} from '../state-answers.ts';
import { implement } from '../page-functions.ts';

const getStorage = (area: StorageRequest['area']): Storage =>
  area === 'local' ? localStorage : sessionStorage;

const readEntries = (storage: Storage, key: string | undefined): StorageEntries => {
  const keys =
    key === undefined
      ? Array.from({ length: storage.length }, (_, index) => storage.key(index))
      : [key];
  return keys.flatMap((name) => {
    const value = name === null ? null : storage.getItem(name);
    return name === null || value === null ? [] : [[name, value] as const];
  });
};

const catchStorageErrors = (work: () => StorageEntries): StorageAnswer => {
  try {
    return { entries: work() };
  } catch (error) {
    const { name, message } = error as DOMException;
    return { problem: name === 'QuotaExceededError' ? 'full' : 'denied', message };
  }
};

const read = ({ area, key }: StorageRequest): StorageAnswer =>
  catchStorageErrors(() => readEntries(getStorage(area), key));

/** Returns the previous values of the removed keys, or of all keys for `clear`. */
const change = ({ area, set = [], remove = [], clear }: StorageChange): StorageAnswer =>
  catchStorageErrors(() => {
    const storage = getStorage(area);
    const before = clear
      ? readEntries(storage, undefined)
      : remove.flatMap((key) => readEntries(storage, key));
    if (clear) storage.clear();
    for (const key of remove) storage.removeItem(key);
    for (const [key, value] of set) storage.setItem(key, value);
    return before;
  });

export const functions = implement('storage', { read, change });
