// Lists, saves and restores the IndexedDB databases of a page.
import { createLookupTable, isObject } from '../objects.ts';
import { implement } from '../page-functions.ts';
import type {
  DatabaseNames,
  DatabasesAnswer,
  Packed,
  SavedDatabase,
  SavedStore,
} from '../state-answers.ts';

// Packs IndexedDB values as JSON, with tags for dates, bytes, maps, sets, blobs and odd numbers.

interface PackedValue {
  readonly $: string;
  readonly v?: unknown;
  readonly type?: string;
}

const encodeBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192)
    text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
};

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

const VIEWS = {
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  DataView,
};

/** Packs a value that JSON cannot represent; undefined for all others. */
const describe = async (value: unknown): Promise<PackedValue | undefined> => {
  if (value === undefined) return { $: 'undefined' };
  if (typeof value === 'bigint') return { $: 'bigint', v: String(value) };
  if (typeof value === 'number' && !Number.isFinite(value))
    return { $: 'number', v: String(value) };
  if (value instanceof Date) return { $: 'date', v: value.getTime() };
  if (value instanceof RegExp) return { $: 'regexp', v: [value.source, value.flags] };
  if (value instanceof ArrayBuffer) return { $: 'buffer', v: encodeBase64(new Uint8Array(value)) };
  if (ArrayBuffer.isView(value))
    return {
      $: 'view',
      type: value.constructor.name,
      v: encodeBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)),
    };
  if (value instanceof Blob)
    return {
      $: 'blob',
      type: value.type,
      v: encodeBase64(new Uint8Array(await value.arrayBuffer())),
    };
  if (value instanceof Map)
    return { $: 'map', v: await Promise.all([...value].map((entry) => pack(entry))) };
  if (value instanceof Set)
    return { $: 'set', v: await Promise.all([...value].map((entry) => pack(entry))) };
  return undefined;
};

const MAX_DEPTH = 100;

const pack = async (value: unknown, depth = 0): Promise<Packed> => {
  const described = await describe(value);
  if (described) return described;
  if (!isObject(value)) return value;
  if (depth > MAX_DEPTH) throw new Error('a record refers to itself');
  if (Array.isArray(value)) return Promise.all(value.map((item) => pack(item, depth + 1)));
  if (Object.prototype.toString.call(value) !== '[object Object]')
    throw new Error(`it contains a ${value.constructor.name}`);
  const entries = await Promise.all(
    Object.entries(value).map(async ([key, item]) => [key, await pack(item, depth + 1)] as const),
  );
  return Object.hasOwn(value, '$') ? { $: 'object', v: entries } : Object.fromEntries(entries);
};

const UNPACK = createLookupTable<(described: { v: never; type?: string }) => unknown>({
  undefined: () => undefined,
  bigint: ({ v }) => BigInt(v),
  number: ({ v }) => Number(v),
  date: ({ v }) => new Date(v),
  regexp: ({ v }) => new RegExp(v[0], v[1]),
  buffer: ({ v }) => decodeBase64(v).buffer,
  view: ({ v, type }) => new (VIEWS[type as 'Uint8Array'] ?? Uint8Array)(decodeBase64(v).buffer),
  blob: ({ v, type }) => new Blob([decodeBase64(v)], { type: type ?? '' }),
  map: ({ v }) => new Map((v as unknown[]).map((entry) => unpack(entry) as [unknown, unknown])),
  set: ({ v }) => new Set((v as unknown[]).map((entry) => unpack(entry))),
  object: ({ v }) =>
    Object.fromEntries((v as [string, unknown][]).map(([key, item]) => [key, unpack(item)])),
});

const unpack = (packed: Packed): unknown => {
  if (!isObject(packed)) return packed;
  if (Array.isArray(packed)) return packed.map((item) => unpack(item));
  const described = packed as { $?: string; v: never };
  if (described.$ !== undefined) return UNPACK[described.$]?.(described);
  return Object.fromEntries(Object.entries(packed).map(([key, item]) => [key, unpack(item)]));
};

const MAX_CHARS = 8_000_000;

/** Opening a database can block while another page has it open. */
const OPEN_MS = 3000;

const listDatabases = async (): Promise<{ name: string; version: number }[]> =>
  (await indexedDB.databases()).flatMap(({ name, version }) =>
    name === undefined || version === undefined ? [] : [{ name, version }],
  );

const readNames = async (): Promise<DatabaseNames> => ({
  indexedDB: (await listDatabases().catch(() => [])).map(({ name }) => name),
  caches: await (globalThis.caches?.keys() ?? Promise.resolve([])).catch(() => []),
});

const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error as DOMException));
  });

const waitForTransaction = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    for (const name of ['error', 'abort'])
      transaction.addEventListener(name, () => reject(transaction.error as DOMException));
  });

const open = (
  name: string,
  version?: number,
  upgrade?: (database: IDBDatabase) => void,
): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('another tab keeps it open')), OPEN_MS);
    const request = indexedDB.open(name, version);
    request.addEventListener('upgradeneeded', () => upgrade?.(request.result));
    waitForRequest(request)
      .then(resolve, reject)
      .finally(() => clearTimeout(late));
  });

const readStore = async (store: IDBObjectStore): Promise<SavedStore> => {
  const { name, keyPath, autoIncrement, indexNames } = store;
  const indexes = [...indexNames].map((index) => {
    const { keyPath: path, unique, multiEntry } = store.index(index);
    return { name: index, keyPath: path, unique, multiEntry };
  });
  const [keys, values] = await Promise.all([
    waitForRequest(store.getAllKeys()),
    waitForRequest(store.getAll() as IDBRequest<unknown[]>),
  ]);
  const records = await Promise.all(
    values.map(async (value, i) => {
      if (keyPath !== null) return { value: await pack(value) };
      return { key: await pack(keys[i]), value: await pack(value) };
    }),
  );
  return { name, keyPath, autoIncrement, indexes, records };
};

const readDatabase = async (name: string): Promise<SavedDatabase> => {
  const database = await open(name);
  try {
    const names = [...database.objectStoreNames];
    const transaction = names.length > 0 ? database.transaction(names, 'readonly') : undefined;
    const stores = await Promise.all(
      names.map((store) => readStore(transaction?.objectStore(store) as IDBObjectStore)),
    );
    return { name, version: database.version, stores };
  } finally {
    database.close();
  }
};

const read = async (): Promise<DatabasesAnswer> => {
  const databases: SavedDatabase[] = [];
  const left: { name: string; why: string }[] = [];
  let chars = 0;
  for (const { name } of await listDatabases().catch(() => [])) {
    try {
      const saved = await readDatabase(name);
      const size = JSON.stringify(saved).length;
      if (chars + size > MAX_CHARS) left.push({ name, why: 'it is too large' });
      else {
        chars += size;
        databases.push(saved);
      }
    } catch (error) {
      left.push({ name, why: (error as Error).message.slice(0, 200) });
    }
  }
  return { databases, left };
};

const makeStores = (database: IDBDatabase, stores: readonly SavedStore[]): void => {
  for (const { name, keyPath, autoIncrement, indexes } of stores) {
    if (database.objectStoreNames.contains(name)) continue;
    const store = database.createObjectStore(name, {
      keyPath: keyPath as string | string[] | null,
      autoIncrement,
    });
    for (const { name: index, keyPath: path, unique, multiEntry } of indexes)
      store.createIndex(index, path as string | string[], { unique, multiEntry });
  }
};

/** Writes saved records. An existing database keeps a higher version and its other records. */
const writeDatabase = async ({ name, version, stores }: SavedDatabase): Promise<void> => {
  const known = (await listDatabases()).find((one) => one.name === name);
  const database = await open(name, Math.max(version, known?.version ?? 1), (fresh) =>
    makeStores(fresh, stores),
  );
  try {
    const there = stores.filter((store) => database.objectStoreNames.contains(store.name));
    if (there.length === 0) return;
    const transaction = database.transaction(
      there.map((store) => store.name),
      'readwrite',
    );
    const done = waitForTransaction(transaction);
    for (const { name: store, records, keyPath } of there)
      for (const { key, value } of records)
        transaction
          .objectStore(store)
          .put(unpack(value), keyPath === null ? (unpack(key) as IDBValidKey) : undefined);
    await done;
  } finally {
    database.close();
  }
};

const write = async (databases: readonly SavedDatabase[]): Promise<DatabasesAnswer['left']> => {
  const left: { name: string; why: string }[] = [];
  for (const database of databases)
    await writeDatabase(database).catch((error: unknown) =>
      left.push({ name: database.name, why: (error as Error).message.slice(0, 200) }),
    );
  return left;
};

export const functions = implement('indexedDb', { readNames, read, write });
