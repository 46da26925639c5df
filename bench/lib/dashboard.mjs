// The built server over HTTP with a home of its own, for the measures of the dashboard.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const TICKS_PER_SECOND = 100;

/** The parent of a process, and its processor time so far in milliseconds. */
const readProcess = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { parent: Number(fields[1]), cpuMs: (ticks / TICKS_PER_SECOND) * 1000 };
};

const readCpuMs = (pid) => readProcess(pid).cpuMs;

/** The processor time of all processes below this one. */
const readChildrenCpuMs = (pid) => {
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const { parent, cpuMs } = readProcess(name);
      if (parent === pid) sum += cpuMs + readChildrenCpuMs(Number(name));
    } catch {
      // the process has ended
    }
  }
  return sum;
};

/** Percent of one core that the counter grows by. */
const measureShare = async (forMs, read) => {
  const before = read();
  await sleep(forMs);
  return ((read() - before) / forMs) * 100;
};

export const startHttp = async (home) => {
  const args = [BINARY, '--http', '0', '--headless', '--allow-private-network'];
  const env = { ...process.env, OPENCHROME_HOME: home };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await new Promise((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
      const [found] = /http:\/\/\S+\?ticket=\S+/.exec(log) ?? [];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(log)));
  });
  const { origin } = new URL(url);
  const call = async (name, given = {}) => {
    const params = { name, arguments: given };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const response = await fetch(`${origin}/mcp`, { method: 'POST', body });
    return (await response.json()).result;
  };
  return {
    url,
    origin,
    call,
    text: async (name, given) => (await call(name, given)).content[0].text,
    /** Percent of one core that the server itself uses. */
    measureCpu: (forMs) => measureShare(forMs, () => readCpuMs(child.pid)),
    /** Percent of one core that its Chrome uses. */
    measureChromeCpu: (forMs) => measureShare(forMs, () => readChildrenCpuMs(child.pid)),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};
