// node bench/run.mjs [measure …] [--peers] [--servers A,B] [--reps N] [--quick] [--out FILE]
// [--verbose]: measures the built server, alone and beside others; a whole run writes a dated
// table.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CHROME } from './lib/chrome.mjs';
import { startSite } from './lib/site.mjs';
import { peersNamed } from './peers/index.mjs';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130)); // runs the 'exit' listeners, which end Chrome

const known = readdirSync(new URL('measures/', import.meta.url)).map((file) =>
  file.replace('.mjs', ''),
);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: 'boolean' },
    servers: { type: 'string' },
    reps: { type: 'string' },
    quick: { type: 'boolean' },
    out: { type: 'string' },
    verbose: { type: 'boolean' },
  },
});
const isBesidePeers = (name) => name.startsWith('peers-');
const chosen = positionals.length
  ? positionals
  : known.filter((name) => !values.peers || isBesidePeers(name));
const unknown = chosen.find((name) => !known.includes(name));
if (unknown) throw new Error(`no measure ${unknown}; there are: ${known.join(', ')}`);
const peers = chosen.some(isBesidePeers) ? peersNamed(values.servers?.split(',')) : [];
const reps = Number(values.reps ?? (values.quick ? 2 : 10));

const date = new Date().toISOString().slice(0, 10);
const version = execFileSync(CHROME, ['--version']).toString().trim().split(' built')[0];
const load = os.loadavg()[0].toFixed(1);
/** A whole run is kept under its day; of a part only what --out names. */
const whole = fileURLToPath(
  new URL(`results/${date}${values.peers ? '-peers' : ''}.md`, import.meta.url),
);
const out = values.out ?? (positionals.length ? undefined : whole);

const lines = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
const rows = [];
const tables = [];
/** Written after every measure: a run that is ended leaves what it has. */
const write = () => {
  const text = [
    `# Measured on ${date}`,
    '',
    `${os.cpus().length} cores, load ${load} before the run, Node ${process.version}, ${version}, ${reps} repetitions, medians; all sides in one run, interleaved. Repeat with \`npm run bench\`.`,
    ...(peers.length
      ? [`Beside: ${peers.map(({ name, version }) => `${name} ${version}`.trim()).join(', ')}.`]
      : []),
    ...(rows.length
      ? ['', ...lines(['what', 'beside', 'theirs', 'ours', 'ratio', 'aim'], rows)]
      : []),
    ...tables.flatMap(({ title, says, head, rows }) => [
      '',
      `## ${title}`,
      '',
      says,
      '',
      ...lines(head, rows),
    ]),
    '',
  ].join('\n');
  if (out) writeFileSync(out, text);
};

const site = await startSite();
const startedAt = performance.now();
const log = (line) =>
  values.verbose &&
  console.error(`${Math.round((performance.now() - startedAt) / 1000)} s: ${line}`);
for (const name of chosen) {
  const module = await import(`./measures/${name}.mjs`);
  const measure = module[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())];
  const found = await measure({ site, reps, isQuick: values.quick === true, peers, log });
  if (isBesidePeers(name)) tables.push(...[found].flat());
  else rows.push(...found);
  for (const one of isBesidePeers(name) ? [found].flat() : [{ rows: found }]) {
    if (one.title) console.log(`## ${one.title}: ${one.head.join(' | ')}`);
    for (const row of one.rows) console.log(row.join(' | '));
  }
  write();
}
site.end();
