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
