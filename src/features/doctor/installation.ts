// Doctor checks of the installation: Node, version, configuration files, hosts, disk use.
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RunningChrome } from '../../browser/launch/launch-chrome.ts';
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import { VERSION } from '../../core/version.ts';
import { readConfigFiles } from '../../store/config/config-file.ts';
import { measureFolder } from '../../store/files/sweeper.ts';
import { planSetup } from '../setup/index.ts';

// The interface of a doctor check, which returns one finding.

export interface DoctorFinding {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
}

export interface Examination {
  readonly config: Config;
  readonly home: Home;
  readonly signal: AbortSignal;
  /**
   * Starts Chrome with a temporary profile at the first call and shares it; undefined if none is
   * installed.
   */
  readonly chrome: () => Promise<RunningChrome | undefined>;
}

export interface Check {
  readonly id: string;
  readonly run: (
    examination: Examination,
  ) => Promise<Omit<DoctorFinding, 'id'>> | Omit<DoctorFinding, 'id'>;
}

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

// Checks that the running Node version is supported.

/** `^20.19 || ^22.12 || >=24`, as in package.json. */
const isSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
};

export const nodeVersionCheck = (version = process.versions.node): Check => ({
  id: 'node',
  run: () =>
    isSupported(version)
      ? { status: 'ok', message: `Node ${version}` }
      : {
          status: 'fail',
          message: `Node ${version} is not supported.`,
          fix: 'Install Node 20.19, 22.12, 24 or newer.',
        },
});
