// What a warm command costs over the daemon's own time: the same call as a command, as a bare POST,
// and a Node that does nothing.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_EXTRA_CERTIFICATES } from '../lib/mcp-server.mjs';
import { OPENCHROME } from '../lib/openchrome.mjs';
import { interleaved, median, ms, times } from '../lib/stats.mjs';

const [DIST, ...STARTED] = OPENCHROME;

const AIM_MS = 60;

/** Reads the page, as `state` does. */
const CALL = { name: 'read_page', arguments: { filter: 'interactive' } };

export const cli = async ({ site, reps }) => {
  const home = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const env = { ...process.env, ...NO_EXTRA_CERTIFICATES, OPENCHROME_HOME: home };
  const run = (...args) => runNode(args, env);
  try {
    await run(DIST, 'daemon', 'start', ...STARTED);
    await run(DIST, 'open', `${site.origin}/article`);
    const daemon = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'));
    const ways = {
      command: () => run(DIST, 'state'),
      post: () => post(daemon),
      node: () => run('-e', '0'),
    };
    const took = await interleaved(ways, reps);
    const over = median(took.command) - median(took.post) - median(took.node);
    return [
      [
        'a warm command (state), beyond the call and the start of Node',
        'the same call as a bare POST',
        ms(median(took.post)),
        ms(median(took.command)),
        `+${ms(over)}`,
        `at most +${AIM_MS} ms`,
      ],
      [
        '',
        'a Node that does nothing',
        ms(median(took.node)),
        ms(median(took.command)),
        times(median(took.command) / median(took.node)),
        '',
      ],
    ];
  } finally {
    await run(DIST, 'daemon', 'stop');
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
};

const runNode = (args, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (said += chunk));
    child.once('close', (status) =>
      status === 0 ? resolve(said) : reject(new Error(`${args.join(' ')}: ${status} ${said}`)),
    );
  });

const post = ({ port, token }) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL });
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const asked = request(
      { host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers, agent: false },
      (response) => {
        response.resume();
        response.once('end', resolve);
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
