// `npm run release`: builds every package of this version in release/, with checksums and a note on
// their origin. Publishes nothing.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { packExtension } from '@anthropic-ai/mcpb';
import { ROOT } from './bundle.mjs';
import {
  buildClaudePlugin,
  buildClaudeServers,
  buildGeminiExtension,
  buildMarketplace,
  buildMcpbManifest,
} from './manifests.mjs';

const out = path.resolve(process.argv[2] ?? path.join(ROOT, 'release'));
const pkg = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
const server = path.join(ROOT, 'dist/index.js');

const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', ...options }).trim();

const writeJson = async (file, value) => {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
};

/** The tool list of the built server, for the manifest that a user sees before the installation. */
const listTools = async () => {
  const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'release', version: pkg.version },
    },
  });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    child.stdin.end();
    return result.tools;
  }
  throw new Error('the server ended before it listed its tools');
};

/** Copies the built server and the texts that every package contains. */
const copyServer = async (folder) => {
  await cp(path.join(ROOT, 'dist'), path.join(folder, 'dist'), { recursive: true });
  for (const file of ['LICENSE', 'README.md'])
    await cp(path.join(ROOT, file), path.join(folder, file));
  await cp(path.join(ROOT, 'docs/icon.png'), path.join(folder, 'icon.png'));
};

const buildTarball = () => run('npm', ['pack', '--silent', '--pack-destination', out]);

const buildMcpb = async (tools) => {
  const folder = path.join(out, '.mcpb');
  await copyServer(folder);
  await writeJson(path.join(folder, 'manifest.json'), buildMcpbManifest(pkg, tools));
  const outputPath = path.join(out, `${pkg.name}-${pkg.version}.mcpb`);
  if (!(await packExtension({ extensionPath: folder, outputPath, silent: true })))
    throw new Error('the MCPB manifest is not valid');
  await rm(folder, { recursive: true });
};

/** A marketplace folder with one plugin: `claude plugin marketplace add FOLDER`. */
const buildClaudeCode = async (skill) => {
  const market = path.join(out, 'claude-code');
  const plugin = path.join(market, 'plugins', pkg.name);
  await copyServer(plugin);
  await writeJson(path.join(market, '.claude-plugin/marketplace.json'), buildMarketplace(pkg));
  await writeJson(path.join(plugin, '.claude-plugin/plugin.json'), buildClaudePlugin(pkg));
  await writeJson(path.join(plugin, '.mcp.json'), buildClaudeServers());
  const skills = path.join(plugin, 'skills', pkg.name);
  await mkdir(skills, { recursive: true });
  await writeFile(path.join(skills, 'SKILL.md'), `${skill}\n`);
};

/** An extension folder: `gemini extensions install --path FOLDER`. */
const buildGemini = async (skill) => {
  const folder = path.join(out, 'gemini');
  await copyServer(folder);
  await writeJson(path.join(folder, 'gemini-extension.json'), buildGeminiExtension(pkg));
  // Gemini reads the file as it is, without the front matter of a skill.
  await writeFile(path.join(folder, 'GEMINI.md'), `${skill.replace(/^---\n[^]*?\n---\n+/, '')}\n`);
};

const sha256 = async (file) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

const listFiles = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(out, path.join(entry.parentPath ?? entry.path, entry.name)))
    .map((file) => file.split(path.sep).join('/'))
    .toSorted();

/** The commit and the tools of this build; whoever builds the same commit can compare the files. */
const writeProvenance = async () =>
  writeJson(path.join(out, 'PROVENANCE.json'), {
    package: `${pkg.name}@${pkg.version}`,
    commit: run('git', ['rev-parse', 'HEAD']),
    changedFiles: run('git', ['status', '--porcelain']).split('\n').filter(Boolean).length,
    node: process.version,
    npm: run('npm', ['--version']),
    lockfileSha256: await sha256(path.join(ROOT, 'package-lock.json')),
    note: 'Built by scripts/release.mjs. `sha256sum -c SHA256SUMS` checks the files of this folder.',
  });

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const tarball = buildTarball(); // `npm pack` builds dist/ first
const skill = run(process.execPath, [server, 'skill']);
await buildMcpb(await listTools());
await buildClaudeCode(skill);
await buildGemini(skill);
await writeProvenance();
const sums = await Promise.all(
  (await listFiles(out)).map(async (file) => `${await sha256(path.join(out, file))}  ${file}`),
);
await writeFile(path.join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
console.log(`${out}\n  ${tarball.split('\n').at(-1)}\n  ${pkg.name}-${pkg.version}.mcpb`);
console.log('  claude-code/  gemini/  PROVENANCE.json  SHA256SUMS');
