// Records a real terminal session on the demo site, as docs/session.svg and docs/annotated.webp:
// `npm run build && node scripts/record-session.mjs`.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { ROOT } from './bundle.mjs';
import { startSite } from './demo-site/server.mjs';

const COLUMNS = 96;
const PORT = 8000;

const COMMANDS = [
  `openchrome open localhost:${PORT}`,
  'openchrome find Dijkstra',
  "openchrome click 'Place order'",
  "openchrome fill 'Your name' Ada",
  "openchrome click 'Place order'",
  'openchrome network --format lines',
  "openchrome click 'Place the order'",
  `openchrome crawl localhost:${PORT} --output-mode handle | jq -r .output_handle`,
  `openchrome output query HANDLE "pages[?contains(title, 'Trust')].url" | jq -c .content`,
];

const run = promisify(execFile);

/** A folder with `openchrome` in it, a home, and nothing of the one who records. */
const makePlace = async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'openchrome-session-'));
  const home = path.join(place, 'ada');
  await mkdir(path.join(place, 'bin'));
  await mkdir(home);
  const shim = path.join(place, 'bin/openchrome');
  await writeFile(
    shim,
    `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'dist/index.js')}" "$@"\n`,
  );
  await chmod(shim, 0o755);
  const env = {
    ...process.env,
    HOME: home,
    OPENCHROME_HOME: path.join(home, '.openchrome'),
    TERM: 'xterm-256color',
  };
  return {
    place,
    home,
    env: { ...env, PATH: `${path.join(place, 'bin')}:${process.env.PATH}`, NO_COLOR: undefined },
  };
};

/** Runs a command in a terminal of its own, as somebody would see it. */
const runInTerminal = async (command, { home, env }) => {
  const startedAt = performance.now();
  const shell = `stty cols ${COLUMNS} rows 40; ${command}`;
  const { stdout } = await run('script', ['-qec', shell, '/dev/null'], { cwd: home, env }).catch(
    (error) => error,
  );
  return { command, lines: linesOf(stdout, home), tookMs: performance.now() - startedAt };
};

/**
 * What stays on the screen: of a line that was written anew, the last state. Paths of this machine
 * are shown as anybody's.
 */
const linesOf = (output, home) =>
  output
    .replaceAll(home, '~')
    .replace(/\r*\n/g, '\n')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\r').at(-1).replaceAll('\u001b[K', ''))
    .flatMap((line) => (visible(line).length > COLUMNS ? wrapped(line) : [line]));

// oxlint-disable-next-line no-control-regex
const CODES = /\u001b\[([\d;]*)m/g;
const visible = (line) => line.replace(CODES, '');
const wrapped = (line) => visible(line).match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? [''];

const CLASSES = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y' };
const escaped = (text) =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character]);

/** A line as SVG: one span for each colour. */
const spansOf = (line) => {
  const parts = line.split(CODES); // text, code, text, code …
  return parts
    .map((part, i) => {
      if (i % 2 === 1 || part === '') return '';
      const name = CLASSES[parts[i - 1]?.split(';').at(-1)];
      return name ? `<tspan class="${name}">${escaped(part)}</tspan>` : escaped(part);
    })
    .join('');
};

const [CHAR, LINE, LEFT, TOP] = [8.4, 19, 22, 58];
const TYPED_MS_PER_CHARACTER = 28;
const READ_MS_PER_LINE = 200;

/**
 * When each block appears: the command is typed, runs for as long as it really ran, and is read.
 */
const timed = (blocks) => {
  let clock = 500;
  return blocks.map(({ command, lines, tookMs }) => {
    const typedAt = clock;
    const answeredAt = typedAt + command.length * TYPED_MS_PER_CHARACTER + tookMs;
    clock = answeredAt + 600 + lines.length * READ_MS_PER_LINE;
    return { command, lines, typedAt, answeredAt };
  });
};

/**
 * Lines light up when they come; where nothing moves (print, reduced motion, viewers without
 * animation) all are there at once.
 */
const renderSvg = (blocks) => {
  const rows = [];
  for (const { command, lines, typedAt, answeredAt } of timed(blocks)) {
    rows.push({
      at: typedAt,
      text: `<tspan class="p">$ </tspan><tspan class="c">${escaped(command)}</tspan>`,
    });
    for (const line of lines) rows.push({ at: answeredAt, text: spansOf(line) });
    rows.push({ at: answeredAt, text: '' });
  }
  rows.pop();
  const width = Math.round(COLUMNS * CHAR + 2 * LEFT);
  const height = TOP + rows.length * LINE + 8;
  const texts = rows
    .map(({ at, text }, i) =>
      text === ''
        ? ''
        : `<text x="${LEFT}" y="${TOP + i * LINE}" style="animation-delay:${(at / 1000).toFixed(2)}s">${text}</text>`,
    )
    .filter((text) => text !== '');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>OpenChrome in a terminal: open a page, find, fill, click, list requests, crawl</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6d9e0;white-space:pre}
.p{fill:#7aa2f7}.c{fill:#fff;font-weight:600}.b{font-weight:700}.d{fill:#8b90a0}.r{fill:#f7768e}.g{fill:#9ece6a}.y{fill:#e0af68}
@media (prefers-reduced-motion:no-preference){text{animation:show .01s backwards}}
@keyframes show{from{opacity:.25}to{opacity:1}}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="#1a1b26" stroke="#3b4261"/>
<circle cx="22" cy="20" r="6" fill="#f7768e"/><circle cx="42" cy="20" r="6" fill="#e0af68"/><circle cx="62" cy="20" r="6" fill="#9ece6a"/>
${texts.join('\n')}
</svg>
`;
};

/** The handle of the crawl is used by the command after it. */
const record = async (place) => {
  const blocks = [];
  let handle = '';
  for (const command of COMMANDS) {
    const block = await runInTerminal(command.replace('HANDLE', handle), place);
    handle = block.lines.join('\n').match(/oh_\w+/)?.[0] ?? handle;
    blocks.push(block);
    process.stdout.write(`$ ${block.command}\n${block.lines.join('\n')}\n\n`);
  }
  return blocks;
};

const takePicture = async ({ home, env }, file) => {
  const picture = path.join(home, 'annotated.webp');
  await run(
    'openchrome',
    ['browser', 'screenshot', picture, '--annotate', '--format', 'webp', '--quality', '60'],
    { cwd: home, env },
  );
  await copyFile(picture, file);
};

const site = await startSite(PORT);
const place = await makePlace();
try {
  const [svg, picture] = ['session.svg', 'annotated.webp'].map((name) =>
    path.join(ROOT, 'docs', name),
  );
  const blocks = await record(place);
  await takePicture(place, picture);
  await writeFile(svg, renderSvg(blocks));
  for (const file of [svg, picture])
    console.log(`${path.relative(ROOT, file)}: ${(await stat(file)).size} bytes`);
} finally {
  await run('openchrome', ['daemon', 'stop'], { env: place.env }).catch(() => {});
  await rm(place.place, { recursive: true, force: true, maxRetries: 5 });
  await site.close();
}
