// Attacks of a script on its sandbox: escapes, bombs, floods and values that JSON cannot represent.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({ '/': '<!doctype html><link rel="icon" href="data:,"><title>Shop</title>' });
const engine = useEngine();

const run = (code: string, more: object = {}): Promise<string> =>
  engine.text('script', { code, ...more });
const failureOf = (code: string, more: object = {}): ReturnType<typeof engine.failure> =>
  engine.failure('script', { code, ...more });

/** Names that would give a script access to the process or the network. */
const ABSENT = [
  'process',
  'require',
  'module',
  'Buffer',
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'Worker',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'WebAssembly',
  'navigator',
  'postMessage',
  'std',
  'os',
  'send',
  'parentPort',
];

describe('a script has no access to', () => {
  it('functions of Node and of browsers', async () => {
    const code = 'args.names.filter((name) => typeof globalThis[name] !== "undefined")';
    expect(await run(code, { args: { names: ABSENT } })).toBe('[]');
  });

  it.each([
    'navigate.constructor("return typeof process")()',
    '(async () => {}).constructor("return typeof process")()',
    '(function* () {}).constructor("return typeof process")().next().value',
    'this?.constructor?.constructor("return typeof process")() ?? "undefined"',
    'globalThis.constructor.constructor("return typeof process")()',
    'args.constructor.constructor("return typeof process")()',
    'log.constructor("return typeof process")()',
    '(0, eval)("typeof process")',
    'Reflect.construct(Function, ["return typeof process"])()',
    'Object.getPrototypeOf(sleep).constructor("return typeof require")()',
    'new Proxy(navigate, {}).constructor("return typeof process")()',
    'Error.prepareStackTrace === undefined ? "undefined" : "a hook"',
  ])('the process through %s', async (code) => {
    expect(await run(code)).toBe('undefined');
  });

  it('the process through the error of a call', async () => {
    const code = `try { await find({ nonsense: 1 }) } catch (error) {
      return error.constructor.constructor('return typeof process')() }`;
    expect(await run(code)).toBe('undefined');
  });

  it.each(['await import("node:fs")', 'await import("fs")', 'await import("./index.js")'])(
    'modules through %s',
    async (code) => {
      expect(await failureOf(code)).toMatchObject({ code: 'script_failed' });
    },
  );

  it('the function of the host through stacks, arguments.callee or replaced built-ins', async () => {
    const code = `
      const seen = [];
      for (const [owner, name] of [[Map.prototype, 'set'], [WeakMap.prototype, 'set'],
        [Array.prototype, 'map'], [Array.prototype, 'includes'], [Promise.prototype, 'then'],
        [Object, 'assign'], [Object, 'keys'], [JSON, 'stringify']]) {
        const real = owner[name];
        owner[name] = function (...given) { seen.push(this, ...given); return real.apply(this, given) };
      }
      await tabs_context().catch(() => {});
      try { await find({ nonsense: 1 }) } catch (error) { seen.push(error) }
      return seen.filter((one) => typeof one === 'function' && one.name === 'send').length;`;
    expect(await run(code)).toBe('0');
  });

  it('the prototypes of the server', async () => {
    const code = `Object.prototype.polluted = 1; Array.prototype.polluted = 1;
      return JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`;
    expect(await run(code)).toContain('"__proto__"');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await engine.reply('script', {
      code: 'navigate(JSON.parse(args.text))',
      args: { text: '{"__proto__": {"url": "http://127.0.0.1/"}}' },
    });
    expect(({} as Record<string, unknown>)['url']).toBeUndefined();
  });

  it('the script tool itself', async () => {
    expect(await failureOf('await script({ code: "1" })')).toMatchObject({
      code: 'tool_not_allowed',
      tool: 'script',
      line: 1,
    });
  });

  it('the variables of an earlier script', async () => {
    await run('globalThis.kept = 1; Array.prototype.kept = 1; return 1');
    expect(await run('typeof kept + typeof [].kept')).toBe('undefinedundefined');
  });

  it('secrets and files beyond those of each call', async () => {
    expect(await failureOf('await navigate({ url: "${SECRET:NAME}" })')).toMatchObject({
      tool: 'navigate',
      line: 1,
    });
    expect(await failureOf('await navigate({ url: "file:///etc/passwd" })')).toMatchObject({
      tool: 'navigate',
    });
  });
});

// Several scripts compute until their limit, so they run at once.
describe.concurrent('a script is ended if it', () => {
  it('computes for longer than 5 s', async () => {
    const endless = [
      'for (;;) {}',
      'for (;;) { try { for (;;) {} } catch {} }',
      'for (;;) await null',
      '/^(a+)+$/.test("a".repeat(50) + "b")',
      'return { get x() { for (;;) {} } }',
      'for (;;) tabs_context().catch(() => {})',
    ];
    const failures = await Promise.all(endless.map((code) => failureOf(code, { max_calls: 5 })));
    for (const [i, failure] of failures.entries())
      expect({ code: endless[i], failure }).toMatchObject({
        failure: { code: 'script_limit_exceeded', limit: 'cpu' },
      });
  });

  it('computes forever, without slowing down other calls', async () => {
    await engine.text('navigate', { url: site.origin });
    const busy = engine.reply('script', { code: 'for (;;) {}' });
    expect(await engine.text('javascript_tool', { code: 'document.title' })).toBe('Shop');
    expect((await busy).failure?.code).toBe('script_limit_exceeded');
  });

  it('computes for longer than 10 s inside a built-in function', async () => {
    const failure = await failureOf('Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)');
    expect(failure).toMatchObject({ code: 'script_limit_exceeded', limit: 'cpu' });
    expect(await run('"alive"')).toBe('alive');
  });

  it.each([
    ['fills an array', 'const all = []; for (;;) all.push("x".repeat(1e5) + all.length)'],
    ['repeats a text', 'return "x".repeat(2 ** 28)'],
    ['creates a large buffer', 'return new ArrayBuffer(2 ** 29).byteLength'],
    ['doubles a text', 'let text = "x"; for (;;) text = (text + text).slice(0)'],
    ['chains promises without end', 'const go = () => Promise.resolve().then(go); await go()'],
    ['collects results', 'const all = []; for (;;) all.push(new Uint8Array(1e6))'],
  ])('%s', async (_, code) => {
    const failure = await failureOf(code);
    // an allocation that fails inside the engine can also end as an error of the script
    expect(['script_limit_exceeded', 'script_failed']).toContain(failure.code);
    expect(await run('"alive"')).toBe('alive');
  });

  it('catches its out-of-memory errors forever', async () => {
    const failure = await failureOf(
      'for (;;) { try { const all = []; for (;;) all.push(new Array(1e5).fill(1)) } catch {} }',
    );
    expect(failure.code).toBe('script_limit_exceeded');
  });

  it.each([
    ['recurses without end', 'const go = () => go() + 1; return go()'],
    ['nests arrays deeply', 'let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return String(a)'],
    ['nests parentheses deeply', `return ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['computes with huge integers', 'return String(2n ** 100000000n).length'],
  ])('%s', async (_, code) => {
    const failure = await failureOf(code);
    expect(['script_limit_exceeded', 'script_failed']).toContain(failure.code);
    expect(await run('"alive"')).toBe('alive');
  });

  it('makes more calls than allowed', async () => {
    expect(await failureOf('for (;;) await tabs_context()', { max_calls: 5 })).toMatchObject({
      code: 'script_limit_exceeded',
      message: 'Line 1: The script made more than 5 calls.',
    });
  });

  it.each([
    'await new Promise(() => {})',
    'return { then() {} }',
    'await Promise.race([])',
    'await new Promise((resolve) => { globalThis.later = resolve })',
  ])('waits for a promise that is never resolved: %s', async (code) => {
    expect(await failureOf(code)).toMatchObject({
      code: 'script_failed',
      message: 'The script waits for a promise that is never resolved.',
    });
  });

  it('returns more data than the server would parse', async () => {
    expect(await failureOf('"x".repeat(5e6)')).toMatchObject({
      code: 'script_limit_exceeded',
      limit: 'value',
    });
  });
});

it.each([
  'return 1;;;}) ; (async()=>{',
  'return 1 }, function () {',
  '1)); ((2',
  '1]]; [[2',
  '} async function other() {',
])('a script cannot leave its function: %s', async (code) => {
  expect(await failureOf(code)).toMatchObject({
    code: 'script_failed',
    message: expect.stringContaining('SyntaxError') as unknown,
  });
});

it('an error without a line has a hint that names no line', async () => {
  expect((await failureOf('throw 5')).hint).toBe('Correct the script and call again.');
});

describe('a script may', () => {
  it('make 1,000 calls, one after another and at once', async () => {
    const one = 'let n = 0; for (let i = 0; i < 1000; i++) { await tabs_context(); n++ } return n';
    expect(await run(one)).toBe('1000');
    const all = `const all = await Promise.all(Array.from({ length: 1000 }, () => tabs_context()));
      return all.length`;
    expect(await run(all)).toBe('1000');
  });

  it('nest promises', async () => {
    const code = `let value = Promise.resolve(7);
      for (let i = 0; i < 1000; i++) { const inner = value; value = Promise.resolve().then(() => inner) }
      return Promise.all([value, (async () => await (async () => 8)())()])`;
    expect(await run(code)).toBe('[7,8]');
  });

  it('return values that JSON cannot represent', async () => {
    const code = `const cycle = { name: 'a' }; cycle.self = cycle;
      return { cycle, big: 12n, call: navigate, symbol: Symbol('s'), no: undefined, nan: NaN,
        date: new Date(0), map: new Map([['k', 1]]), set: new Set([1]), error: new Error('e'),
        re: /a/g, list: [undefined, () => 1], promise: Promise.resolve(1),
        again: { toJSON() { return this } } }`;
    expect(JSON.parse(await run(code))).toEqual({
      cycle: { name: 'a', self: '[circular]' },
      big: '12n',
      call: expect.stringContaining('[function'),
      symbol: 'Symbol(s)',
      nan: 'NaN',
      date: '1970-01-01T00:00:00.000Z',
      map: { k: 1 },
      set: [1],
      error: '[Error: e]',
      re: '/a/g',
      list: [null, expect.stringContaining('[function')],
      promise: '[promise]',
      again: '[circular]',
    });
  });

  it('throw any value', async () => {
    expect(await failureOf('throw 7')).toMatchObject({ message: 'thrown: 7' });
    expect(await failureOf('throw undefined')).toMatchObject({ code: 'script_failed' });
    expect(await failureOf('throw new Proxy({}, { get() { throw 1 } })')).toMatchObject({
      code: 'script_failed',
    });
    const forged = 'throw Object.assign(new Error("x"), { code: "stale_ref", callId: 1 })';
    expect(await failureOf(forged)).toMatchObject({ code: 'script_failed' });
  });

  it('replace the description of its error, but only with a text and the number of a line', async () => {
    const forge = (json: string): string =>
      `Object.prototype.toJSON = function () { return ${json} }; throw new Error('x')`;
    expect(await failureOf(forge('"a text"'))).toMatchObject({ message: 'an unknown error' });
    const failure = await failureOf(
      forge('{ message: 7, line: "L".repeat(1e5), callId: "c", isLimit: 1 }'),
    );
    expect(failure).toMatchObject({ code: 'script_failed', message: 'an unknown error' });
    expect(failure).not.toHaveProperty('line');
  });

  it('sleep for longer than a timer allows, until its time is over', async () => {
    expect(await failureOf('await sleep(1e15)', { timeout_ms: 300 })).toMatchObject({
      code: 'timeout',
    });
  });
});
