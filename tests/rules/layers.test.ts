// The layers: imports follow the table of .dependency-cruiser.cjs, and violations are reported.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** The violations in a tree, as `rule: from -> to`. */
const violationsIn = (folder: string): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const args = [CRUISER, '--config', CONFIG, '--output-type', 'json', 'src'];
    execFile(
      process.execPath,
      args,
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!stdout) return reject(error ?? new Error(stderr));
        const { summary } = JSON.parse(stdout) as {
          summary: { violations: { rule: { name: string }; from: string; to: string }[] };
        };
        resolve(
          summary.violations.map(
            ({ rule, from, to }) =>
              `${rule.name}: ${from} -> ${to.replace(/^.*node_modules\//, '')}`,
          ),
        );
      },
    );
  });

const cruisePlanted = async (files: Readonly<Record<string, string>>): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-layers-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await violationsIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

describe('the layers', () => {
  it('are respected in src/', async () => {
    expect(await violationsIn(ROOT)).toEqual([]);
  });

  it('name every room', async () => {
    const services = (await readdir(join(ROOT, 'src'), { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const { default: config } = (await import(CONFIG)) as {
      default: { forbidden: { name: string }[] };
    };
    const known = config.forbidden
      .map(({ name }) => name)
      .filter((name) => name.endsWith('-imports'));
    expect(services.filter((room) => !known.includes(`${room}-imports`))).toEqual([]);
  });
});

describe('a planted violation', () => {
  it('is caught, each by the rule that forbids it', async () => {
    const found = await cruisePlanted({
      'src/core/a.ts': "import 'lodash';\nimport '../policy/a.ts';\n",
      'src/policy/a.ts':
        "import type { B } from '../browser/a.ts';\nimport 'node:fs';\nexport type C = B;\n",
      'src/browser/a.ts': "export type B = 1;\nimport '../store/a.ts';\nimport '../app.ts';\n",
      'src/page/a.ts': "import { join } from 'node:path';\nexport const a = join;\n",
      'src/store/a.ts': "import 'node:fs/promises';\nimport './b.ts';\nexport const s = 1;\n",
      'src/store/b.ts': "import './a.ts';\n",
      'src/toolkit/a.ts':
        "import { s } from '../store/a.ts';\nimport '@modelcontextprotocol/server';\nexport const t = s;\n",
      'src/tools/look/a.ts':
        "import '../act/b.ts';\nimport type P from 'devtools-protocol';\nexport type Q = P;\n",
      'src/tools/act/b.ts': "import { WebSocket } from 'ws';\nexport const b = WebSocket;\n",
      'src/frontends/cli/a.ts': "import '../../browser/a.ts';\nimport './nowhere.ts';\n",
      'src/features/a.ts': "import 'pg';\n",
      'src/helpers/a.ts': "import '../core/a.ts';\n",
      'src/app.ts': "import './store/a.ts';\n",
    });
    expect(found.sort()).toMatchInlineSnapshot(`
      [
        "browser-imports: src/browser/a.ts -> src/app.ts",
        "browser-imports: src/browser/a.ts -> src/store/a.ts",
        "cdp-in-browser: src/tools/look/a.ts -> devtools-protocol",
        "core-imports: src/core/a.ts -> src/policy/a.ts",
        "core-packages: src/core/a.ts -> lodash",
        "database-in-cluster: src/features/a.ts -> pg/esm/index.mjs",
        "frontends-imports: src/frontends/cli/a.ts -> src/browser/a.ts",
        "fs-in-store: src/policy/a.ts -> fs",
        "known-layers-only: src/helpers/a.ts -> src/core/a.ts",
        "mcp-sdk-in-frontend: src/toolkit/a.ts -> @modelcontextprotocol/server/dist/index.d.mts",
        "no-cycles: src/store/a.ts -> src/store/b.ts",
        "page-scripts-alone: src/page/a.ts -> path",
        "policy-imports: src/policy/a.ts -> src/browser/a.ts",
        "resolvable: src/frontends/cli/a.ts -> ./nowhere.ts",
        "root-is-not-imported: src/browser/a.ts -> src/app.ts",
        "sockets-in-browser: src/tools/act/b.ts -> ws/wrapper.mjs",
        "tool-imports-no-tool: src/tools/look/a.ts -> src/tools/act/b.ts",
        "toolkit-types-only: src/toolkit/a.ts -> src/store/a.ts",
      ]
    `);
  });

  it('is not reported if there is none', async () => {
    const found = await cruisePlanted({
      'src/core/a.ts': "import 'zod';\nimport 'node:path';\nexport const a = 1;\n",
      'src/store/a.ts': "import 'node:fs';\nimport '../core/a.ts';\nexport interface S { a: 1 }\n",
      'src/toolkit/a.ts': "import type { S } from '../store/a.ts';\nexport type T = S;\n",
      'src/browser/a.ts':
        "import type P from 'devtools-protocol';\nimport 'ws';\nimport text from 'page-script:walk';\nexport const q = text as P;\n",
      'src/frontends/mcp/a.ts': "import '@modelcontextprotocol/server';\n",
      'src/app.ts': "import './store/a.ts';\nimport './frontends/mcp/a.ts';\n",
      'src/index.ts': "import './app.ts';\n",
    });
    expect(found).toEqual([]);
  });
});
