// Packs IndexedDB values as JSON, with tags for dates, bytes, maps, sets, blobs and odd numbers.
import type { Packed } from '../indexed-db-answers.ts';
import { createLookupTable } from '../lookup-table.ts';
import { isObject } from '../objects.ts';

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

export const pack = async (value: unknown, depth = 0): Promise<Packed> => {
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

export const unpack = (packed: Packed): unknown => {
  if (!isObject(packed)) return packed;
  if (Array.isArray(packed)) return packed.map((item) => unpack(item));
  const described = packed as { $?: string; v: never };
  if (described.$ !== undefined) return UNPACK[described.$]?.(described);
  return Object.fromEntries(Object.entries(packed).map(([key, item]) => [key, unpack(item)]));
};
