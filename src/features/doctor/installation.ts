// Doctor checks of the installation: version, configuration files, registered hosts, disk use.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../core/version.ts';
import { readConfigFiles } from '../../store/config/config-file.ts';
import { measureFolder } from '../../store/files/folder-size.ts';
import { planSetup } from '../setup/index.ts';
import type { Check } from './check.ts';

export const versionCheck: Check = {
  id: 'version',
  run: () => ({ status: 'ok', message: `OpenChrome ${VERSION}` }),
};

export const configFilesCheck: Check = {
  id: 'config',
  run: async ({ home }) => {
    const { homeFile, projectFile } = await readConfigFiles({ home: home.root });
    const paths = [homeFile, projectFile].flatMap((file) => (file ? [file.path] : []));
    const variables = Object.keys(process.env).filter(
      (name) => name.startsWith('OPENCHROME_') || name === 'CHROME_PATH',
    );
    const used = [...paths, ...variables];
    return {
      status: 'ok',
      message: used.length === 0 ? 'defaults only, no openchrome.json' : used.join(', '),
    };
  },
};

/** Hosts whose configuration starts this program. */
export const hostsCheck: Check = {
  id: 'hosts',
  run: async () => {
    const machine = { platform: process.platform, homeDir: homedir(), env: process.env };
    const launch = { command: process.execPath, args: [] };
    const planned = await planSetup({ hosts: [], launch, remove: true, machine });
    const registered = planned.filter(({ before, after }) => before !== after);
    if (registered.length > 0)
      return { status: 'ok', message: registered.map(({ name }) => name).join(', ') };
    const found = planned.map(({ name }) => name).join(', ');
    return planned.length === 0
      ? { status: 'ok', message: 'no MCP host was found on this machine' }
      : { status: 'warn', message: `not registered in ${found}`, fix: 'openchrome setup' };
  },
};

/** Above this size, unused data is worth a warning. */
const MANY_BYTES = 2_000_000_000;
const formatBytes = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;

export const diskCheck: Check = {
  id: 'disk',
  run: async ({ home }) => {
    const total = await measureFolder(home.root);
    const kept = [home.output, home.tasks, home.recordings, home.evidence, home.downloads];
    const sizes = await Promise.all(kept.map(measureFolder));
    const results = sizes.reduce((sum, size) => sum + size, 0);
    const cache = join(home.profile, 'Default', 'Cache');
    const freed = results + (await measureFolder(cache));
    const message =
      `${formatBytes(total)} in ${home.root}; stored results and caches that can be deleted: ` +
      formatBytes(freed);
    if (freed < MANY_BYTES) return { status: 'ok', message };
    const folders = [...kept, cache].map((path) => `'${path}'`).join(' ');
    return { status: 'warn', message, fix: `openchrome daemon stop && rm -r ${folders}` };
  },
};
