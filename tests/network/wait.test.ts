// Waiting for a request by the name that a listing gives it, also for one that was answered before.
import { beforeAll, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();
const later = (code: string): Promise<string> =>
  engine.text('javascript_tool', { code: `setTimeout(() => { ${code} }, 100); 1` });
const post = `fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"operationName":"Late"}' })`;

beforeAll(async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
});

it('a key is waited for, and one that has been answered since the navigation counts', async () => {
  expect(await engine.failure('wait_for', { request: 'Late', timeout_ms: 300 })).toMatchObject({
    code: 'timeout',
  });
  await later(post);
  expect(await engine.text('wait_for', { request: 'Late' })).toContain(
    `POST ${site.origin}/graphql 200`,
  );
  expect(await engine.text('wait_for', { request: 'Late' })).toContain('200');
});

it('requests of the previous page do not count', async () => {
  await engine.text('navigate', { url: `${site.origin}/data.json` });
  expect(await engine.failure('wait_for', { request: 'Late', timeout_ms: 300 })).toMatchObject({
    code: 'timeout',
  });
  expect(await engine.text('wait_for', { request: '/data.json' })).toContain('200');
});

it('requests of a frame, a worker or the next document count', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  await later(
    `document.body.append(Object.assign(document.createElement('iframe'), { src: '/items?framed' }))`,
  );
  expect(await engine.text('wait_for', { request: 'framed' })).toContain('200');
  await later(`new Worker('/worker.js')`);
  expect(await engine.text('wait_for', { request: 'from-worker' })).toContain('200');
  await later(`location.href = '/items?next-document'`);
  expect(await engine.text('wait_for', { request: 'next-document' })).toContain('200');
});
