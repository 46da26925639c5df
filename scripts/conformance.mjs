// `npm run test:conformance`: the official MCP conformance suite against our own transport, for
// both eras of the protocol, and the official inspector's strict check of the tool list. They need
// Node 22; all are fetched once into .cache/, which is not part of the project.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle, ROOT } from './bundle.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const NODE = 'node@22';
const REQUIREMENTS = ['2025-11-25', '2026-07-28'];

const cache = path.join(ROOT, '.cache', 'conformance');
const runner = path.join(
  cache,
  'node_modules',
  '@modelcontextprotocol',
  'conformance',
  'dist',
  'index.js',
);
const inspector = path.join(
  cache,
  'node_modules',
  '@modelcontextprotocol',
  'inspector',
  'clients',
  'launcher',
  'build',
  'index.js',
);
const node22 =
  Number(process.versions.node.split('.')[0]) >= 22
    ? process.execPath
    : path.join(cache, 'node_modules', 'node', 'bin', 'node');

const install = () => {
  if ([runner, inspector, node22].every((file) => existsSync(file))) return;
  mkdirSync(cache, { recursive: true });
  writeFileSync(path.join(cache, 'package.json'), '{"private":true}');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(
    npm,
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--foreground-scripts',
      SUITE,
      INSPECTOR,
      ...(node22 === process.execPath ? [] : [NODE]),
    ],
    {
      cwd: cache,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  );
};

const startServer = async (folder) => {
  await bundle({
    entryPoints: ['tests/conformance/server.ts'],
    outdir: folder,
    splitting: true,
    outExtension: { '.js': '.mjs' },
    define: { OPENCHROME_VERSION: '"0.0.0"' },
  });
  const env = { ...process.env, OPENCHROME_HOME: path.join(folder, 'home') };
  const server = spawn(process.execPath, [path.join(folder, 'server.mjs'), '--http', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    server.once('exit', () => reject(new Error(`the server ended: ${said}`)));
    server.stderr.on('data', (chunk) => {
      said += chunk;
      const [found] = /http:\S+/.exec(said) ?? [];
      if (found) resolve(found);
    });
  });
  return { server, url };
};

install();
const folder = mkdtempSync(path.join(tmpdir(), 'openchrome-conformance-'));
const { server, url } = await startServer(folder);
const ended = new Promise((resolve) => server.once('exit', resolve));
let status = 0;
for (const revision of REQUIREMENTS) {
  const expected = path.join(ROOT, 'tests', 'conformance', `expected-failures-${revision}.yml`);
  const args = [
    runner,
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--expected-failures',
    expected,
  ];
  const result = spawnSync(node22, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const output = `${result.stdout}${result.stderr}`;
  console.log(`\n# ${revision}\n${output.slice(Math.max(0, output.indexOf('=== SUMMARY ===')))}`);
  status ||= result.status ?? 1;
}
server.kill('SIGTERM');
await ended;

// The inspector's strict check of the whole tool list: what it warns of is a schema that some
// client cannot read.
const target = ['--', process.execPath, path.join(ROOT, 'dist', 'index.js'), '--all-tools'];
const listed = spawnSync(
  node22,
  [inspector, '--cli', '--strict', '--method', 'tools/list', ...target],
  { encoding: 'utf8' },
);
const complaints = listed.stderr.split('\n').filter((line) => /^(?:Warning|Error):/.test(line));
console.log(
  `# inspector, strict: ${JSON.parse(listed.stdout).tools.length} tools, ${complaints.length} complaints`,
);
if (complaints.length > 0) console.log(listed.stderr);
status ||= listed.status || complaints.length > 0 ? 1 : 0;

rmSync(folder, { recursive: true, force: true });
process.exitCode = status;
