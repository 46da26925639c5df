// node bench/run.mjs [measure …] [--reps N] [--out FILE] [--verbose]: measures the built server and prints a table, or writes it with the date.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { CHROME } from './lib/chrome.mjs';
import { startSite } from './lib/site.mjs';

const known = readdirSync(new URL('measures/', import.meta.url)).map((file) => file.replace('.mjs', ''));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { reps: { type: 'string', default: '10' }, out: { type: 'string' }, verbose: { type: 'boolean' } },
});
const chosen = positionals.length ? positionals : known;
const unknown = chosen.find((name) => !known.includes(name));
if (unknown) throw new Error(`no measure ${unknown}; there are: ${known.join(', ')}`);

const site = await startSite();
const rows = [];
for (const name of chosen) {
  const measure = (await import(`./measures/${name}.mjs`))[name];
  const found = await measure({ site, reps: Number(values.reps), log: values.verbose ? (line) => console.error(line) : () => {} });
  for (const row of found) console.log(row.join(' | '));
  rows.push(...found);
}
site.end();

const date = new Date().toISOString().slice(0, 10);
const version = execFileSync(CHROME, ['--version']).toString().trim().split(' built')[0];
const table = [
  `# Measured on ${date}`,
  '',
  `${os.cpus().length} cores, Node ${process.version}, ${version}, ${values.reps} repetitions, medians; both sides in one run, interleaved. Repeat with \`npm run bench\`.`,
  '',
  '| what | beside | theirs | ours | ratio | aim |',
  '| --- | --- | --- | --- | --- | --- |',
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
].join('\n');
if (values.out) writeFileSync(values.out, table);
