// The guard in an attached Chrome: interception without a proxy, and the health that reports it.
import { expect, it } from 'vitest';
import { useAttachedEngine } from '../foreign-chrome.ts';
import { useSites } from './sites.ts';

const sites = useSites();
const { reply: call } = useAttachedEngine(['--allow-domains', 'localhost']);

it('fetches, sockets, frames and redirects of its tabs are refused nevertheless', async () => {
  expect((await call('navigate', { url: `${sites.home}/` })).text).toContain('home');
  const { text, notes } = await call('javascript_tool', {
    code: `return Promise.all([
      fetch('${sites.away}/f', { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
      new Promise((done) => { const w = new WebSocket('${sites.away.replace('http', 'ws')}/w'); w.onopen = () => done('reached'); w.onerror = () => done('refused'); }),
      new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done('refused'); f.src = '${sites.away}/frame'; document.body.append(f); }),
    ]).then((words) => words.join())`,
  });
  expect(text).toContain('refused,refused,refused');
  expect(notes.join()).toContain('refused by the domain guard');
  const led = await call('navigate', {
    url: `${sites.home}/redirect?to=${encodeURIComponent(`${sites.away}/led`)}`,
  });
  expect(led.failure?.code).toBe('domain_not_allowed');
  expect(sites.paths()).toEqual([]);
});

it('the health reports the controls that are missing here', async () => {
  const health = JSON.parse((await call('oc_connection_health')).text ?? '') as {
    chrome: { guard: string };
  };
  expect(health.chrome.guard).toMatch(/^interception .*not checked/);
});
