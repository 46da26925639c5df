// Records a real terminal session on the demo site, as docs/session.svg, docs/annotated.webp and
// docs/replay.webp: `npm run build && node scripts/record-session.mjs`.
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
  'openchrome network',
  "openchrome click 'Place the order'",
  `openchrome crawl localhost:${PORT} --max-pages 6 --out pages`,
  'grep -rl Trust pages',
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
  const shell = `stty cols ${COLUMNS} rows 40; ${command}`;
  const { stdout } = await run('script', ['-qec', shell, '/dev/null'], { cwd: home, env }).catch(
    (error) => error,
  );
  return { command, lines: linesOf(stdout, home) };
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

/** All lines are readable at once: no animation. */
const renderSvg = (blocks) => {
  const rows = [];
  for (const { command, lines } of blocks) {
    rows.push(`<tspan class="p">$ </tspan><tspan class="c">${escaped(command)}</tspan>`);
    rows.push(...lines.map(spansOf), '');
  }
  rows.pop();
  const width = Math.round(COLUMNS * CHAR + 2 * LEFT);
  const height = TOP + rows.length * LINE + 8;
  const texts = rows.flatMap((text, i) =>
    text === '' ? [] : `<text x="${LEFT}" y="${TOP + i * LINE}">${text}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>OpenChrome in a terminal: open a page, find, fill, click, list requests, crawl</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6d9e0;white-space:pre}
.p{fill:#7aa2f7}.c{fill:#fff;font-weight:600}.b{font-weight:700}.d{fill:#8b90a0}.r{fill:#f7768e}.g{fill:#9ece6a}.y{fill:#e0af68}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="#1a1b26" stroke="#3b4261"/>
<circle cx="22" cy="20" r="6" fill="#f7768e"/><circle cx="42" cy="20" r="6" fill="#e0af68"/><circle cx="62" cy="20" r="6" fill="#9ece6a"/>
${texts.join('\n')}
</svg>
`;
};

const record = async (place) => {
  const blocks = [];
  for (const command of COMMANDS) {
    const block = await runInTerminal(command, place);
    blocks.push(block);
    process.stdout.write(`$ ${block.command}\n${block.lines.join('\n')}\n\n`);
  }
  return blocks;
};

const savePicture = async ({ home, env }, file, ...flags) => {
  const picture = path.join(home, path.basename(file));
  await run('openchrome', ['screenshot', picture, '--quality', '60', ...flags], { cwd: home, env });
  await copyFile(picture, file);
};

/** Records an order, and opens the replay at its end. */
const openReplay = async ({ home, env }) => {
  const openchrome = (...args) => run('openchrome', args, { cwd: home, env });
  const folder = path.join(home, 'order');
  await openchrome('open', `localhost:${PORT}`);
  await openchrome('record', 'start', folder);
  await openchrome('fill', 'Your name', 'Ada');
  await openchrome('click', 'Place order');
  await openchrome('record', 'stop');
  const replay = path.join(folder, 'replay.html');
  const served = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    createReadStream(replay).pipe(response);
  });
  await new Promise((resolve) => served.listen(0, '127.0.0.1', resolve));
  await openchrome('open', `http://127.0.0.1:${served.address().port}`);
  return served;
};

const site = await startSite(PORT);
const place = await makePlace();
try {
  const [svg, picture, replay] = ['session.svg', 'annotated.webp', 'replay.webp'].map((name) =>
    path.join(ROOT, 'docs', name),
  );
  const blocks = await record(place);
  await savePicture(place, picture, '--annotate');
  await writeFile(svg, renderSvg(blocks));
  const served = await openReplay(place);
  await savePicture(place, replay);
  served.close();
  for (const file of [svg, picture, replay])
    console.log(`${path.relative(ROOT, file)}: ${(await stat(file)).size} bytes`);
} finally {
  await run('openchrome', ['daemon', 'stop'], { env: place.env }).catch(() => {});
  await rm(place.place, { recursive: true, force: true, maxRetries: 5 });
  await site.close();
}
