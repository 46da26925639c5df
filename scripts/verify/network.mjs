// Verifies the contract of network discovery, point by point, over the tool (plain HTTP POSTs) and
// over the command line. Non-zero when one fails.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startCli } from './cli.mjs';
import { startSite } from './ground.mjs';
import { check, point, same, section, verdict } from './points.mjs';
import { startServer } from './server.mjs';

const PAGE = `<!doctype html><title>Shop</title><link rel=stylesheet href="/style.css"><script>
  const post = (body) => fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  (async () => {
    await (await fetch('/api/items?page=1&token=abc0123456789def')).json();
    await (await fetch('/api/items?page=2')).json();
    await (await fetch('/api/pixel-art.json')).json();
    await (await fetch('/api/login', { headers: { authorization: 'Bearer abc0123456789def' } })).json();
    await post({ operationName: 'Stock', query: 'query Stock { stock { id } }', variables: { n: 1 } });
    await post({ query: 'mutation AddItem { add }' });
    await post([{ operationName: 'A' }, { operationName: 'B' }]);
    await fetch('/missing');
    await fetch('http://127.0.0.1:1/refused').catch(() => {});
    document.title = 'ready';
  })();
</script>`;

const ITEMS = {
  page: 1,
  items: [
    { id: 1, name: 'a', note: 'x'.repeat(100) },
    { id: '2', name: 'b', tags: [] },
  ],
};
const SECRETS = /abc0123456789def|hunter2/;

const json = (value) => ['application/json', JSON.stringify(value)];
const ANSWERS = {
  '/': ['text/html', PAGE],
  '/style.css': ['text/css', 'p{}'],
  '/api/items': json(ITEMS),
  '/api/pixel-art.json': json({ art: true }),
  '/api/login': json({ user: 'ada', password: 'hunter2' }),
  '/graphql': json({ data: { stock: [{ id: 1 }] } }),
};

const site = await startSite((request, response) => {
  const [type, body] = ANSWERS[request.url.split('?')[0]] ?? [];
  request.resume();
  response
    .writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' })
    .end(body ?? 'not found');
});

/** Every point over one way to the engine. */
const verify = async (server) => {
  const network = (args = {}) => server.json('network', args);
  const cacheFile = path.join(server.home, 'cache', 'browser-network', 'browser_default.json');
  const key = (name) => `GET ${site.host}${name}`;

  await server.call('navigate', { url: `${site.origin}/` });
  for (
    let i = 0;
    i < 100 &&
    (await server.json('javascript_tool', { code: 'document.title === "ready"' })) !== true;
    i++
  )
    await wait(50);
  await wait(200);

  await point('a listing has the fields of the contract, without static files', async () => {
    const listing = await network();
    for (const field of [
      'workspace',
      'captured_at',
      'count',
      'filtered_out',
      'filtered_by',
      'cursor',
      'entries',
      'detail_hint',
    ])
      check(field in listing, `no ${field}`);
    same(listing.workspace, 'browser:default', 'workspace');
    same(listing.count, listing.entries.length, 'count');
    same(
      Object.keys(listing.entries[0]),
      ['key', 'method', 'status', 'url', 'ct', 'size', 'shape'],
      'fields of an entry',
    );
    check(listing.filtered_by.static >= 2, 'static files are counted');
    check(
      listing.entries.some((entry) => entry.url.endsWith('/api/pixel-art.json')),
      '/api/pixel-art.json stays',
    );
    check(!listing.entries.some((entry) => entry.url.endsWith('.css')), 'styles are left out');
    check(
      listing.entries.some((entry) => (entry.error ?? '').startsWith('net::ERR_')),
      'failed requests stay, with their net error',
    );
    return `${listing.count} entries, ${listing.filtered_out} filtered out`;
  });

  await point(
    'keys: operations, method host path, repeats from #2, the same whatever the filter',
    async () => {
      const keys = (await network()).entries.map((entry) => entry.key);
      for (const expected of [
        'Stock',
        'AddItem',
        'A+B',
        key('/api/items'),
        `${key('/api/items')}#2`,
      ])
        check(keys.includes(expected), `no ${expected}: ${keys.join(', ')}`);
      check(!keys.some((one) => one.endsWith('#1')), 'there is no #1');
      same(
        (await network({ url: 'page=2' })).entries.map((entry) => entry.key),
        [`${key('/api/items')}#2`],
        'filtered',
      );
    },
  );

  await point(
    'shapes: merged over elements, optional and differing types, long strings',
    async () => {
      const { shape } = (await network({ url: 'page=1' })).entries[0];
      same(
        shape,
        {
          $: 'object',
          '$.page': 'number',
          '$.items': 'array(2)',
          '$.items[0]': 'object',
          '$.items[0].id': 'number|string',
          '$.items[0].name': 'string',
          '$.items[0].note': 'string(len=100)?',
          '$.items[0].tags': 'array(0)?',
        },
        'shape',
      );
    },
  );

  await point('detail, path, raw and max_body', async () => {
    same((await network({ detail: key('/api/items') })).body, ITEMS, 'body');
    same((await network({ detail: key('/api/items'), path: '$.items[1].name' })).body, 'b', 'path');
    const cut = await network({ detail: key('/api/items'), max_body: 20 });
    check(
      cut.body_truncated === true &&
        cut.body_full_size === JSON.stringify(ITEMS).length &&
        cut.body_why,
      'a cut body says so',
    );
    check(
      'date' in (await network({ detail: key('/api/items'), raw: true })).response_headers,
      'raw has all headers',
    );
    check((await network({ raw: true })).entries[0].body !== undefined, 'raw listings have bodies');
  });

  await point('lines, cursor, limit and filters', async () => {
    const { text } = await server.call('network', { format: 'lines' });
    check(
      text.split('\n').some((line) => /^200 \d+ json Stock$/.test(line)),
      'a line is status size type key',
    );
    const seen = [];
    let page;
    do {
      page = await network({ limit: 2, ...(page ? { cursor: page.cursor } : {}) });
      seen.push(...page.entries.map((entry) => entry.key));
    } while (page.remaining);
    const once = new Set(seen);
    check(once.size === seen.length, 'nothing comes twice');
    check(
      (await network()).entries.every((entry) => once.has(entry.key)),
      'everything comes',
    );
    same((await network({ cursor: page.cursor })).count, 0, 'nothing new');
    check(
      (await network({ failed: true })).entries.every(
        (entry) => entry.error || entry.status >= 400,
      ),
      'failed',
    );
    same((await network({ filter: 'items,tags' })).count, 2, 'filter by fields');
    same((await network({ until: '1h' })).count, 0, 'until');
  });

  await point(
    'secrets are neither shown nor stored, and not revealed without the flag',
    async () => {
      for (const args of [
        { raw: true },
        { detail: key('/api/login'), raw: true },
        { detail: key('/api/login'), path: '$.password' },
      ]) {
        check(!SECRETS.test((await server.call('network', args)).text), JSON.stringify(args));
      }
      check(!SECRETS.test(readFileSync(cacheFile, 'utf8')), 'the stored capture');
      same(
        (await server.failure('network', { detail: key('/api/login'), reveal: true })).code,
        'reveal_not_allowed',
        'reveal',
      );
    },
  );

  await point('HAR export', async () => {
    const file = path.join(server.home, 'out.har');
    await network({ har: file });
    const { log } = JSON.parse(readFileSync(file, 'utf8'));
    same(log.version, '1.2', 'version');
    check(
      log.entries.every(
        (entry) => entry.startedDateTime && entry.request.url && entry.response && entry.timings,
      ),
      'entries',
    );
    check(
      log.entries.some((entry) => entry.response.content.text?.includes('"items"')),
      'bodies are in it',
    );
    same(
      (await server.failure('network', { har: '/etc/x.har' })).code,
      'file_not_allowed',
      'elsewhere',
    );
    return `${log.entries.length} entries`;
  });

  await point(
    'replay: GET at once, anything else with confirm, with changed variables',
    async () => {
      const again = await network({ replay: key('/api/items'), args: { page: 7 } });
      check(
        again.status === 200 && again.url.includes('page=7') && again.shape.$ === 'object',
        JSON.stringify(again),
      );
      same(
        (await server.failure('network', { replay: 'Stock' })).code,
        'confirmation_required',
        'unconfirmed',
      );
      same(
        (await network({ replay: 'Stock', confirm: true, args: { n: 2 } })).status,
        200,
        'confirmed',
      );
    },
  );

  await point('describe: OpenAPI 3.1, GraphQL operations, TypeScript', async () => {
    const { openapi, graphql, typescript } = await network({ describe: true });
    same(openapi.openapi, '3.1.0', 'version');
    check(
      openapi.paths['/api/items'].get.parameters.some((parameter) => parameter.name === 'page'),
      'parameters',
    );
    check(
      graphql.some(({ operation }) => operation === 'Stock') &&
        graphql.some(({ type }) => type === 'mutation'),
      'operations',
    );
    check(/export type GetApiItemsResponse = \{/.test(typescript), 'types');
  });

  await point(
    'a request in flight is complete in the next list, also behind a cursor',
    async () => {
      const before = await network();
      await server.call('javascript_tool', { code: "window.later = fetch('/api/items?late'); 1" });
      await wait(300);
      const [entry] = (await network({ cursor: before.cursor })).entries;
      check(entry?.status === 200 && entry.url.endsWith('?late'), JSON.stringify(entry));
    },
  );

  await point('stored: private, and answers with no browser running', async () => {
    await network();
    same(
      (statSync(cacheFile).mode & 0o777).toString(8),
      process.platform === 'win32' ? (statSync(cacheFile).mode & 0o777).toString(8) : '600',
      'mode',
    );
    await server.call('oc_stop');
    same((await network({ detail: key('/api/items') })).body, ITEMS, 'body from the store');
    same(
      (await server.json('oc_connection_health')).state,
      'not_started',
      'no browser was started',
    );
    const stored = readFileSync(cacheFile, 'utf8');
    same((await network()).count, 0, 'an empty listing');
    same(
      readFileSync(cacheFile, 'utf8') === stored,
      true,
      'an empty capture does not overwrite it',
    );
  });

  await point('failures: key_not_found, cache_expired, cache_corrupt, cache_missing', async () => {
    const wrong = await server.failure('network', { detail: 'Stok' });
    check(
      wrong.code === 'key_not_found' &&
        wrong.available_keys[0] === 'Stock' &&
        wrong.retryable === false,
      JSON.stringify(wrong),
    );
    same(
      (await server.failure('network', { detail: 'Stock', ttl: 1 })).code,
      'cache_expired',
      'old',
    );
    writeFileSync(cacheFile, '{"version":1,"work');
    same((await server.failure('network', { detail: 'Stock' })).code, 'cache_corrupt', 'torn');
    rmSync(cacheFile, { force: true });
    same((await server.failure('network', { detail: 'Stock' })).code, 'cache_missing', 'none');
    check(!existsSync(cacheFile), 'nothing was written');
  });

  await server.end();
};

/** What only a shell can ask for. */
const verifyShell = async (cli) => {
  const key = (name) => `GET ${site.host}${name}`;
  await cli.call('navigate', { url: `${site.origin}/` });
  await cli.call('wait_for', { request: 'A+B' });

  await point('follow: one line of JSON for each request, until Ctrl-C', async () => {
    const { cursor } = await cli.json('network');
    const following = cli.begin('browser', 'network', '--follow', '--cursor', String(cursor));
    const lines = () => following.said.stdout.split('\n').filter(Boolean);
    for (const name of ['one', 'two'])
      await cli.call('javascript_tool', {
        code: `await (await fetch('/api/items?${name}')).text()`,
      });
    for (let i = 0; i < 200 && lines().length < 2; i++) await wait(50);
    following.child.kill('SIGINT');
    const { status } = await following.ended;
    same(
      lines().map((line) => new URL(JSON.parse(line).url).search),
      ['?one', '?two'],
      'lines',
    );
    same(status, 130, 'status');
  });

  await point('detail works with no browser and no daemon, and starts neither', async () => {
    await cli.json('network');
    await cli.run('daemon', 'stop');
    same((await cli.json('network', { detail: key('/api/items') })).body, ITEMS, 'body');
    same(
      (await cli.json('network', { detail: key('/api/items'), path: '$.items[1].name' })).body,
      'b',
      'path',
    );
    check(!existsSync(path.join(cli.home, 'daemon.json')), 'no daemon was started');
  });

  await point(
    'every failure is JSON on stdout with its exit status, no daemon and no Chrome included',
    async () => {
      same((await cli.failure('network', { detail: 'Stok' })).exit, 1, 'key_not_found');
      same((await cli.failure('network', { nope: 1 })).exit, 2, 'unknown option');
      same(
        (await cli.failure('network', { detail: 'x', session: 'nobody' })).code,
        'cache_missing',
        'nothing stored',
      );
      const { status, stdout } = await cli.run('daemon', 'status');
      check(status === 3 && JSON.parse(stdout).error.code === 'no_daemon', stdout);
      const noChrome = await cli.run(
        'browser',
        'open',
        site.origin,
        '--chrome-path',
        path.join(cli.home, 'no-chrome'),
      );
      check(
        noChrome.status === 3 && JSON.parse(noChrome.stdout).error.code === 'chrome_not_found',
        noChrome.stdout,
      );
    },
  );
  await cli.end();
};

section('over the tool');
await verify(await startServer());
section('over the command line');
await verify(await startCli());
await verifyShell(await startCli());
site.close();
verdict('all points hold', 'failed: ');
