// The licences of everything that is bundled into dist/, as their authors ask.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { pageScriptPlugin } from './page-scripts.mjs';
import { workerSource } from './worker-scripts.mjs';

/**
 * Scripts that are bundled to text inside the bundle: what they hold does not show in its list of
 * inputs.
 */
const EMBEDDED = {
  'page-script': (name) => `src/page/entries/${name}.ts`,
  'worker-script': workerSource,
};

const embeddedInputs = async (inputs, root) => {
  const entryPoints = inputs.flatMap((input) => {
    const [kind, name] = input.split(':');
    return EMBEDDED[kind] === undefined ? [] : [EMBEDDED[kind](name)];
  });
  if (entryPoints.length === 0) return [];
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    plugins: [pageScriptPlugin()],
    bundle: true,
    platform: 'node',
    write: false,
    metafile: true,
    outdir: 'unused',
  });
  return Object.keys(metafile.inputs);
};

/** Packages whose files are copied into dist/, not bundled. */
const COPIED = {
  'pdfium-file': '@embedpdf/pdfium',
  'quickjs-file': '@jitl/quickjs-singlefile-cjs-release-sync',
};

const packageOf = (input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];

const noticeOf = (name, root) => {
  const folder = path.join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const text = texts.length === 0 ? `Licence: ${license}` : texts.join('\n\n');
  return `${name} ${version}\n\n${text}`;
};

export const licencesOf = async (inputs, root) => {
  const all = [...inputs, ...(await embeddedInputs(inputs, root))];
  const copied = inputs.flatMap((input) => COPIED[input.split(':')[0]] ?? []);
  const names = [...new Set([...all.map(packageOf), ...copied])].filter(
    (name) => name !== undefined && existsSync(path.join(root, 'node_modules', name)),
  );
  const notices = names.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => noticeOf(name, root));
  return `OpenChrome contains the work of others:\n\n${notices.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`;
};
