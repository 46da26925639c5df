// The built server over HTTP with a home of its own, for the measures of the dashboard.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const TICKS_PER_SECOND = 100;

/** The processor time of a process so far, in milliseconds. */
const readCpuMs = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
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
    measureCpu: async (forMs) => {
      const before = readCpuMs(child.pid);
      await sleep(forMs);
      return ((readCpuMs(child.pid) - before) / forMs) * 100;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};
