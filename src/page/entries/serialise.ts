// Converts any script result to JSON; describes values that JSON cannot represent.
import type { Serialised } from '../call-answers.ts';
import { isObject } from '../objects.ts';
import { implement } from '../page-functions.ts';
import { textIf } from '../visible-text.ts';

const serialise = (root: unknown, maxChars: number): Serialised => {
  const path = new Set<unknown>();
  const plain = (value: unknown, depth: number): unknown => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'function') return `[function ${value.name}]`;
    if (typeof value === 'symbol') return String(value);
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (!isObject(value)) return value;
    if (path.has(value)) return '[circular]';
    if (depth > 20) return '[too deep]';
    path.add(value);
    try {
      return plainObject(value, depth + 1);
    } finally {
      path.delete(value);
    }
  };
  const describeElement = (node: { tagName?: string; id?: string; nodeName: string }): string => {
    if (!node.tagName) return `[${node.nodeName}]`;
    const id = textIf(node.id, ` id="${node.id}"`);
    return `[<${node.tagName.toLowerCase()}${id}>]`;
  };
  const plainObject = (value: object, depth: number): unknown => {
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return `[${value.name}: ${value.message}]`;
    if ('nodeType' in value && 'nodeName' in value)
      return describeElement(value as { nodeName: string });
    if (value === globalThis) return '[window]';
    if (value instanceof Map)
      return Object.fromEntries([...value].map(([k, v]) => [String(k), plain(v, depth)]));
    if (value instanceof Set) return [...value].map((item) => plain(item, depth));
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      return `[${value.constructor.name} of ${value.byteLength} bytes]`;
    if (
      Array.isArray(value) ||
      (typeof (value as { length?: unknown }).length === 'number' && Symbol.iterator in value)
    ) {
      return Array.from(value as Iterable<unknown>, (item) => plain(item, depth));
    }
    const toJson = (value as { toJSON?: unknown }).toJSON;
    if (typeof toJson === 'function') return plain(toJson.call(value), depth);
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      try {
        out[key] = plain((value as Record<string, unknown>)[key], depth);
      } catch (error) {
        out[key] = `[getter threw: ${String(error)}]`;
      }
    }
    return out;
  };
  const json = JSON.stringify(plain(root, 0)) ?? 'null';
  return { json: json.slice(0, maxChars), length: json.length };
};

export const functions = implement('serialise', { serialise });
