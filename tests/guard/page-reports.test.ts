// Requests that Chrome makes for a page outside of its loading: beacons, CSP reports, preloads,
// source maps. A task's domains apply.
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { lookUp, route, useSites } from './sites.ts';

const sites = useSites();
const site = useSite();
const engine = useEngine([], { lookUp, route });
let taskId = '';

beforeAll(async () => {
  const policy = { allowedDomains: ['localhost'] };
  const started = await engine.json<{ task_id: string }>('oc_task_start', {
    objective: 'stay',
    policy,
  });
  taskId = started.task_id;
});

const servePage = (path: string, html: string, headers: Record<string, string> = {}): string => {
  site.page(path, (_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html', ...headers })
      .end(`<title>T</title>${html}`);
  });
  return `http://localhost:${site.port}${path}`;
};

const serveScript = (path: string, code: string): void => {
  site.page(path, (_, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
  });
};

const openInTask = async (url: string): Promise<string> =>
  (await engine.json<{ tabId: string }>('tabs', { action: 'new', url, taskId })).tabId;

/** Sends a request to the other server from an unrestricted tab, after those of the page. */
const reachAwayFreely = async (path: string): Promise<void> => {
  const { tabId } = await engine.json<{ tabId: string }>('tabs', {
    action: 'new',
    url: `${sites.away}${path}`,
  });
  await engine.text('tabs', { action: 'close', tabId });
  expect(sites.paths()).toContain(path);
};

/** Adds frames of another process one by one, and removes each as soon as its script has run. */
const REMOVE = (url: string): string => `
  let left = 15;
  const add = () => {
    const frame = document.createElement('iframe');
    frame.src = '${url}';
    document.body.append(frame);
    onmessage = () => {
      frame.remove();
      if (--left) add();
      else done.textContent = 'finished';
    };
  };
  onload = add;`;

describe('A page in a tab of a task reaches no server outside of the allowed domains', () => {
  it.each([
    ['beacon', (url: string) => `navigator.sendBeacon('${url}', 'x')`],
    [
      'keepalive',
      (url: string) =>
        `fetch('${url}', { method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' }).catch(() => {})`,
    ],
  ])('with a %s request.', async (name, code) => {
    const tabId = await openInTask(servePage(`/${name}`, ''));
    await engine.text('javascript_tool', {
      code: `${code(`${sites.away}/${name}`)}; return 1`,
      tabId,
      taskId,
    });
    await engine.text('wait_for', { console: 'ERR_BLOCKED_BY_CLIENT', tabId, taskId });
    // shows the refused address as the place of its message
    await engine.text('console', { tabId, taskId });
    await reachAwayFreely(`/after-${name}`);
    expect(sites.paths()).not.toContain(`/${name}`);
  });

  it('with the report of a violated content security policy.', async () => {
    const policy = `img-src 'none'; report-uri ${sites.away}/csp`;
    const tabId = await openInTask(
      servePage('/reports', '<img src="/x.png">', { 'content-security-policy': policy }),
    );
    await engine.text('wait_for', { console: 'ERR_BLOCKED_BY_CLIENT', tabId, taskId });
    // shows the refused address as the place of its message
    await engine.text('console', { tabId, taskId });
    await reachAwayFreely('/after-csp');
    expect(sites.paths()).not.toContain('/csp');
  });

  it('with a rule to prerender it, or a page that redirects to it.', async () => {
    site.page('/leave', (_, response) => {
      response.writeHead(302, { location: `${sites.away}/prerender-redirect` }).end();
    });
    const urls = [`${sites.away}/prerender`, '/leave'];
    const rules = { prerender: [{ source: 'list', urls, eagerness: 'immediate' }] };
    const html = `<script type="speculationrules">${JSON.stringify(rules)}</script>`;
    const tabId = await openInTask(servePage('/prerenders', html));
    await engine.text('wait_for', { console: 'cross-site prerender', tabId, taskId });
    await reachAwayFreely('/after-prerender');
    expect(sites.paths().filter((path) => path.startsWith('/prerender'))).toEqual([]);
  });

  it.each([
    ['an image to preload', (url: string) => `<link rel=preload as=image href="${url}">`],
    ['a resource to prefetch', (url: string) => `<link rel=prefetch href="${url}">`],
  ])('with a link to %s.', async (name, html) => {
    const path = `/${name.replaceAll(' ', '-')}`;
    const tabId = await openInTask(servePage(`${path}-page`, html(`${sites.away}${path}`)));
    await engine.text('wait_for', { console: 'ERR_BLOCKED_BY_CLIENT', tabId, taskId });
    expect(sites.paths()).not.toContain(path);
  });

  it('with a Link header that preloads or prefetches.', async () => {
    const link = ['preload; as=script', 'prefetch']
      .map((rel, i) => `<${sites.away}/header-${i}>; rel=${rel}`)
      .join(', ');
    const tabId = await openInTask(servePage('/link-header', '', { link }));
    await engine.text('wait_for', { console: 'ERR_BLOCKED_BY_CLIENT', tabId, taskId });
    await reachAwayFreely('/after-header');
    expect(sites.paths().filter((path) => path.startsWith('/header'))).toEqual([]);
  });

  // The headless shell has no settings, so that its prefetches cannot be turned off.
  it.skipIf(process.env['CHROME_PATH']?.includes('headless-shell'))(
    'with a rule to prefetch it, a page that redirects to it, or a preconnect.',
    async () => {
      site.page('/leave-prefetch', (_, response) => {
        response.writeHead(302, { location: `${sites.away}/prefetch-redirect` }).end();
      });
      const urls = [`${sites.away}/prefetch`, '/leave-prefetch'];
      const rules = { prefetch: [{ source: 'list', urls, eagerness: 'immediate' }] };
      const html = `<script type="speculationrules">${JSON.stringify(rules)}</script>
        <link rel=preconnect href="${sites.away}"><link rel=dns-prefetch href="${sites.away}">`;
      const before = sites.connections();
      const tabId = await openInTask(servePage('/prefetches', html));
      // Chrome prefetches as soon as it is idle after the load.
      const idle = 'await new Promise((done) => requestIdleCallback(done))';
      for (let i = 0; i < 20; i++)
        await engine.text('javascript_tool', {
          code: `${idle}; await fetch('/idle'); return 1`,
          tabId,
          taskId,
        });
      expect(sites.paths().filter((path) => path.startsWith('/prefetch'))).toEqual([]);
      expect(sites.connections()).toBe(before);
    },
  );

  it.each([
    ['beacon', (url: string) => `navigator.sendBeacon('${url}', 'x')`],
    ['fetch', (url: string) => `fetch('${url}', { mode: 'no-cors' }).catch(() => {})`],
  ])('with a %s request of a frame that is removed at once.', async (name, code) => {
    servePage(
      `/removed-${name}`,
      `<script>${code(`${sites.away}/removed-${name}`)}; parent.postMessage(1, '*')</script>`,
    );
    const inner = `http://other.localhost:${site.port}/removed-${name}`;
    const html = `<p id=done></p><script>${REMOVE(inner)}</script>`;
    const tabId = await openInTask(servePage(`/removes-${name}`, html));
    await engine.text('wait_for', { text: 'finished', tabId, taskId, timeout_ms: 45_000 });
    await reachAwayFreely(`/after-removed-${name}`);
    expect(sites.paths()).not.toContain(`/removed-${name}`);
  });

  it('with a request of a popup that closes itself.', async () => {
    servePage(
      '/leaver',
      `<script>navigator.sendBeacon('${sites.away}/leaver', 'x'); close()</script>`,
    );
    const tabId = await openInTask(servePage('/leavers', ''));
    for (let i = 0; i < 5; i++)
      await engine.text('javascript_tool', {
        code: `const w = open('/leaver'); while (!w.closed) await new Promise((r) => setTimeout(r, 10)); return 1`,
        tabId,
        taskId,
      });
    await reachAwayFreely('/after-leaver');
    expect(sites.paths()).not.toContain('/leaver');
  });

  it('with a shared worker, over a connection that an unrestricted tab left open.', async () => {
    const url = servePage('/free', '');
    const free = await engine.json<{ tabId: string }>('tabs', { action: 'new', url });
    const fetchFreely = (path: string): Promise<string> =>
      engine.text('javascript_tool', {
        code: `return await (await fetch('${sites.awayByName}${path}')).text()`,
        tabId: free.tabId,
      });
    serveScript(
      '/pool-worker.js',
      `onconnect = ({ ports: [port] }) => {
        const tell = () => port.postMessage(1);
        fetch('${sites.awayByName}/pooled').then(tell, tell);
      }`,
    );
    const tabId = await openInTask(servePage('/pool', ''));
    await fetchFreely('/opened-freely');
    const connections = sites.connections();
    await engine.text('javascript_tool', {
      code: `const { port } = new SharedWorker('/pool-worker.js');
        return await new Promise((done) => { port.onmessage = () => done(1); })`,
      tabId,
      taskId,
    });
    await fetchFreely('/again-freely');
    // The connection is still open, so the worker could have used it.
    expect(sites.connections()).toBe(connections);
    expect(sites.paths()).toContain('/again-freely');
    expect(sites.paths()).not.toContain('/pooled');
  });

  it.each([
    ['shared', `new SharedWorker('/shared-worker.js')`],
    ['service', `navigator.serviceWorker.register('/service-worker.js')`],
  ])('with a request of a %s worker.', async (kind, code) => {
    const path = `/by-${kind}-worker`;
    const report = `fetch('/done${path}')`;
    serveScript(
      `/${kind}-worker.js`,
      `fetch('${sites.away}${path}', { mode: 'no-cors' }).then(() => ${report}, () => ${report})`,
    );
    const done = new Promise<void>((resolve) => {
      site.page(`/done${path}`, (_, response) => {
        response.end();
        resolve();
      });
    });
    const tabId = await openInTask(servePage(`/has-${kind}-worker`, ''));
    await engine.text('javascript_tool', { code: `${code}; return 1`, tabId, taskId });
    await done;
    expect(sites.paths()).not.toContain(path);
  });

  it.each(['direct', 'redirected'])(
    'with the address of a source map (%s), which loads after the task.',
    async (way) => {
      const map = `${sites.away}/map-${way}`;
      site.page('/to-map', (_, response) => void response.writeHead(302, { location: map }).end());
      const address = way === 'direct' ? map : '/to-map';
      serveScript(
        `/${way}.js`,
        `setTimeout(() => { throw new Error('${way}') });\n//# sourceMappingURL=${address}`,
      );
      const tabId = await openInTask(
        servePage(`/maps-${way}`, `<script src="/${way}.js"></script>`),
      );
      await engine.text('wait_for', { console: `Error: ${way}`, tabId, taskId });
      expect(await engine.text('console', { tabId, taskId })).toContain(`${way}.js:1`);
      expect(sites.paths()).not.toContain(`/map-${way}`);
      await engine.text('console', { tabId });
      expect(sites.paths()).toContain(`/map-${way}`);
    },
  );
});

describe('With a list of domains and a proxy of the user, a page reaches no other server', () => {
  // Chrome reaches this machine without that proxy.
  const proxied = useEngine([
    '--allow-domains',
    'localhost',
    '--chrome-arg=--proxy-server=http://127.0.0.1:9',
  ]);

  it('with a request of a frame that is removed at once.', async () => {
    const path = '/removed-beside-proxy';
    servePage(
      path,
      `<script>navigator.sendBeacon('${sites.away}${path}'); parent.postMessage(1, '*')</script>`,
    );
    const inner = `http://other.localhost:${site.port}${path}`;
    const url = servePage(
      '/removes-beside-proxy',
      `<p id=done></p><script>${REMOVE(inner)}</script>`,
    );
    await proxied.text('navigate', { url });
    await proxied.text('wait_for', { text: 'finished', timeout_ms: 45_000 });
    // Beacons are sent before later requests of the page.
    await proxied.text('javascript_tool', { code: `await fetch('/later'); return 1` });
    expect(sites.paths()).not.toContain(path);
  });
});
