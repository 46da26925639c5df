// The pace of a host for the whole fleet: two crawls of one host, as its server sees them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { startProcess, withCluster } from '../lib/fleet.mjs';
import { ms } from '../lib/stats.mjs';

const HOST_DELAY_MS = 100;
/** Ends by itself if this process is killed. */
const BUSY_LOOP = 'const parent = process.ppid; while (process.ppid === parent);';

const measureHost = async ({ file, url }, requests, busy) => {
  const times = [];
  const site = createServer((_request, response) => {
    times.push(performance.now());
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const loads = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['-e', BUSY_LOOP], { stdio: 'ignore' }),
  );
  const address = `http://127.0.0.1:${site.address().port}/`;
  const each = [address, String(HOST_DELAY_MS), String(requests / 2)];
  const crawls = [1, 2].map(() => startProcess(file('member'), ['turns', url, ...each]));
  await Promise.all(crawls.map((crawl) => crawl.waitFor('done')));
  for (const load of loads) load.kill('SIGKILL');
  site.close();
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  return {
    least: Math.min(...gaps),
    close: gaps.filter((gap) => gap < HOST_DELAY_MS).length,
    mean: (times.at(-1) - times[0]) / gaps.length,
  };
};

/** `busy`: number of processes that use all the processor time they get. */
export const measureHostRow = ({ isQuick, log }, busy, when) =>
  withCluster(async (context) => {
    const requests = isQuick ? 100 : 2_000;
    const { least, close, mean } = await measureHost(context, requests, busy);
    log(`host: ${JSON.stringify({ least, close, mean, busy })}`);
    const what = `cluster: ${requests} requests of two crawls at ${HOST_DELAY_MS} ms that came too close`;
    const found = `${close} (least ${ms(least)}, mean ${ms(mean)})`;
    return [[`${what}${when}`, '', '', found, '', '0']];
  });

export const clusterHosts = (context) => measureHostRow(context, 0, '');
