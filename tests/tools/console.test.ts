// console: messages and exceptions of the page, with source-mapped positions.
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';
import { SourceMap } from '../../src/browser/traffic/source-map.ts';
import { estimateTokens } from '../../src/render/tokens.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { readMainThreadMs } from '../main-thread.ts';

const site = useSite();
const server = useEngine();

/** The value makes each message one of its own. */
const bundle = (inline: boolean, value: number): { code: string; map: string } => {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `const explode = (value: number): void => {\n  if (value > 1)\n    throw new TypeError('too much: ' + value);\n};\nsetTimeout(() => explode(${value}), 0);\n`,
      loader: 'ts',
      sourcefile: 'src/explode.ts',
    },
    bundle: true,
    minify: true,
    sourcemap: inline ? 'inline' : 'linked',
    write: false,
    outfile: 'app.js',
  });
  const [last, first] = outputFiles.toReversed();
  return { code: last?.text ?? '', map: first?.text ?? '' };
};

const serve = (path: string, type: string, text: string): void => {
  site.page(
    path,
    (_, response) => void response.writeHead(200, { 'content-type': type }).end(text),
  );
};

const open = (page: string): Promise<unknown> =>
  server.json('navigate', { url: site.page('/page', `<!doctype html><title>T</title>${page}`) });
const since = async (): Promise<number> =>
  Number(/cursor (\d+)/.exec(await server.text('console', {}))?.[1]);

it('lists messages with their level and place, repeats once', async () => {
  await open(`<p>x</p>`);
  const cursor = await since();
  await server.text('javascript_tool', {
    code: `console.log('hello', {a: 1}); for (let i = 0; i < 5; i++) console.warn('again'); console.error('bad'); 1`,
  });
  const text = await server.text('console', { since: cursor });
  expect(text).toMatch(/^info hello \{.*a.*1.*\}/m);
  expect(text).toMatch(/^warning again \(x5\)/m);
  expect(text).toMatch(/^error bad/m);
  expect(await server.text('console', { since: cursor, level: 'error' })).not.toContain('again');
  expect(await server.text('console', { since: cursor, text: 'hello' })).not.toContain('bad');
});

it.each([true, false])('maps an exception to its source (map inline: %s)', async (inline) => {
  const value = inline ? 7 : 8;
  const { code, map } = bundle(inline, value);
  serve('/js/app.js', 'text/javascript', code);
  serve('/js/app.js.map', 'application/json', map);
  await open('<script src="/js/app.js"></script>');
  await server.text('wait_for', { console: `too much: ${value}` });
  expect(await server.text('console', { level: 'error', limit: 1 })).toMatch(
    /^error exception .*TypeError: too much: [78] @ src\/explode\.ts:3:\d+$/m,
  );
});

it('returns only new messages after a cursor', async () => {
  await open('<script>console.log("first")</script>');
  const cursor = await since();
  await server.text('javascript_tool', { code: `console.log('second'); 1` });
  const text = await server.text('console', { since: cursor });
  expect(text).toContain('second');
  expect(text).not.toContain('first');
  expect(await server.text('console', { since: Number(/cursor (\d+)/.exec(text)?.[1]) })).toMatch(
    /^no messages/,
  );
});

it('shows the newest of many and reports their number', async () => {
  await open('<script>for (let i = 0; i < 300; i++) console.log("message " + i)</script>');
  const text = await server.text('console', { limit: 20, text: 'message ' });
  expect(text).toMatch(/^… 280 older/);
  expect(text).toContain('message 299');
  expect(text).not.toContain('message 100 ');
});

it('shows the messages of Chrome itself', async () => {
  await open('<img src="/missing.png">');
  await server.text('wait_for', { console: 'Failed to load' });
  expect(await server.text('console', { level: 'error' })).toMatch(
    /error network Failed to load resource.*404/,
  );
});

it('is not broken by a map that is nonsense', async () => {
  serve(
    '/bad.js',
    'text/javascript',
    `setTimeout(() => { throw new Error('plain') });\n//# sourceMappingURL=/bad.js.map`,
  );
  serve('/bad.js.map', 'application/json', '{"mappings": 12');
  await open('<script src="/bad.js"></script>');
  await server.text('wait_for', { console: 'Error: plain' });
  expect(await server.text('console', { level: 'error', limit: 1 })).toMatch(
    /Error: plain @ bad\.js:1:\d+/,
  );
});

it('reads a source map of many megabytes in a worker thread, also a hostile one', async () => {
  const { code, map } = bundle(false, 9);
  serve('/js/app.js', 'text/javascript', code);
  const large = { ...(JSON.parse(map) as object), padding: 'x'.repeat(4 * 1024 * 1024) };
  serve('/js/app.js.map', 'application/json', JSON.stringify(large));
  serve(
    '/js/hostile.js',
    'text/javascript',
    `setTimeout(() => { throw new Error('hostile') });\n//# sourceMappingURL=hostile.js.map`,
  );
  const mappings = 'AAAA,'.repeat(4 * 1024 * 1024);
  const hostile = JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings });
  serve('/js/hostile.js.map', 'application/json', hostile);
  await open('<script src="/js/app.js"></script><script src="/js/hostile.js"></script>');
  await server.text('wait_for', { console: 'too much: 9' });
  await server.text('wait_for', { console: 'hostile' });
  let isListed = false;
  const list = server
    .text('console', { level: 'error', limit: 2, timeout_ms: 100_000 })
    .finally(() => {
      isListed = true;
    });
  let longestBlockMs = 0;
  const measureBlocks = (since: number): void => {
    const now = readMainThreadMs();
    longestBlockMs = Math.max(longestBlockMs, now - since);
    if (!isListed) setImmediate(measureBlocks, now);
  };
  measureBlocks(readMainThreadMs());
  const text = await list;
  expect(text).toMatch(/TypeError: too much: 9 @ src\/explode\.ts:3:\d+$/m);
  expect(text).toContain('Error: hostile @ ');
  const start = readMainThreadMs();
  SourceMap.parse(hostile, site.origin)?.find(1, 1);
  expect(longestBlockMs).toBeLessThan((readMainThreadMs() - start) / 2);
});

it('lists 1,000 similar messages in less than 8,000 tokens, with all their differences', async () => {
  await open(
    `<script>for (let i = 0; i < 1000; i++)
      console[['log', 'info', 'warn', 'error', 'debug'][i % 5]]('entry ' + i, {i, list: [1, 2]});
    </script>`,
  );
  const text = await server.text('console', { limit: 1000, text: 'entry ' });
  expect(estimateTokens(text)).toBeLessThan(8_000);
  const numbers = new Set(text.match(/#=[\d,]+/g)?.flatMap((list) => list.match(/\d+/g)));
  expect(numbers.size).toBe(1000);
  expect(text).toMatch(/^error entry # \{i: #, list: .*\} \(x200\) @ \S*:\d+:\d+ #=3,8,13,/m);
  const whole = await server.text('console', { limit: 1000, text: 'entry ', fold: false });
  expect(whole.match(/^\w+ entry \d+ /gm)).toHaveLength(1000);
});
