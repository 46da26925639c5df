// The code that runs in the sandbox before a script: one function per tool, sleep and log.

/** The name of the script in stack traces. */
export const SCRIPT_FILE = 'script.js';

/**
 * Takes the only function of the host, which accepts texts and numbers only, and returns the
 * functions that the host calls. The script never gets a reference to the host's function.
 */
export const SCRIPT_PRELUDE = `(send, tools, argsText) => {
  'use strict';
  const { parse, stringify } = JSON;
  const waiting = new Map();
  const callIds = new WeakMap();
  let lastId = 0;

  const lineOf = (stack) => {
    const found = /\\(?${SCRIPT_FILE}:(\\d+)/.exec(String(stack));
    return found ? Number(found[1]) : -1;
  };

  const plain = (value, above) => {
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'function') return '[function ' + value.name + ']';
    if (typeof value === 'symbol') return String(value);
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (above.includes(value)) return '[circular]';
    if (above.length > 60) return '[too deep]';
    return plainObject(value, [...above, value]);
  };
  const plainObject = (value, above) => {
    if (value instanceof Date) return Number.isNaN(+value) ? 'Invalid Date' : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Error) return '[' + value.name + ': ' + value.message + ']';
    if (value instanceof Map) value = Object.fromEntries(value);
    if (value instanceof Set) value = [...value];
    if (Array.isArray(value)) return value.map((item) => plain(item, above));
    if (typeof value.toJSON === 'function') return plain(value.toJSON(), above);
    if (typeof value.then === 'function') return '[promise]';
    const members = Object.keys(value).map((key) => [key, plain(value[key], above)]);
    return Object.fromEntries(members);
  };
  const encode = (value) => stringify(plain(value, [])) ?? 'null';

  const limits = new WeakSet();
  const limitError = (message) => {
    const error = Object.assign(new Error(message), { name: 'Failure' });
    limits.add(error);
    return Object.assign(error, { code: 'script_limit_exceeded' });
  };
  const request = (kind, first, second, line) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const refused = send(kind, id, first, second, line);
      if (typeof refused === 'string') reject(limitError(refused));
      else waiting.set(id, { resolve, reject });
    });

  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const log = (...values) => {
    const text = values.map((value) => (typeof value === 'string' ? value : encode(value)));
    send('log', 0, text.join(' '), '', -1);
  };
  for (const tool of tools)
    define(tool, (given = {}) =>
      request('call', tool, encode(given), lineOf(new Error().stack)));
  const logger = typeof globalThis.console === 'function' ? globalThis.console : {};
  define('console', Object.assign(logger, { log, info: log, warn: log, error: log, debug: log }));
  define('log', log);
  define('sleep', (ms) => request('sleep', String(Number(ms) || 0), '', -1));
  define('args', parse(argsText));

  const describe = (error) => {
    if (!(error instanceof Error)) return { message: 'thrown: ' + encode(error) };
    const own = lineOf(error.stack);
    return {
      message: error.name === 'Failure' ? error.message : error.name + ': ' + error.message,
      line: own === -1 ? undefined : own,
      callId: callIds.get(error),
      isLimit: limits.has(error),
    };
  };
  const safely = (make, fallback) => {
    try {
      return make();
    } catch {
      return fallback;
    }
  };
  const finish = (kind, text) => void send(kind, 0, text, '', -1);
  const fail = (error) =>
    finish('thrown', stringify(safely(() => describe(error), { message: 'an unknown error' })));

  return {
    deliver: (id, ok, text) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (ok) return resolve(text === '' ? undefined : parse(text));
      const { message, ...facts } = parse(text);
      const error = Object.assign(new Error(message), facts, { name: 'Failure' });
      callIds.set(error, id);
      reject(error);
    },
    start: (main) => {
      try {
        main().then((value) => finish('returned', encode(value))).catch(fail);
      } catch (error) {
        fail(error);
      }
    },
  };
}`;
