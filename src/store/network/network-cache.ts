// Stores the last network capture of each workspace, for reading without a running browser.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { CapturedRequestSchema, type CapturedRequest } from '../../core/captured-request.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { removeFile } from '../../system/private-files.ts';
import { JsonFile, type SetAside } from '../files/json-file.ts';

const VERSION = 1;
export const NETWORK_CACHE_TTL_MS = 24 * 60 * 60 * 1000;

const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 64 * MIB;

const CaptureSchema = z.object({
  workspace: z.string(),
  captured_at: z.number(),
  requests: z.array(CapturedRequestSchema),
});

export interface NetworkCapture {
  readonly workspace: string;
  /** Wall-clock time in milliseconds. */
  readonly captured_at: number;
  readonly requests: readonly CapturedRequest[];
}

/** A capture whose requests are JSON already. */
interface SerialisedCapture extends Omit<NetworkCapture, 'requests'> {
  readonly requests: readonly string[];
}

interface LoadOptions {
  readonly ttlMs: number;
  readonly now: number;
}

export class NetworkCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The capture must be redacted. An empty capture does not replace the stored one. */
  async save({ workspace, captured_at, requests }: SerialisedCapture): Promise<void> {
    if (requests.length === 0) return;
    await this.#file(workspace).saveMembers({
      workspace: JSON.stringify(workspace),
      captured_at: String(captured_at),
      requests: `[${requests.join(',')}]`,
    });
  }

  /** Throws if the capture is missing, corrupt or expired. */
  async load(workspace: string, { ttlMs, now }: LoadOptions): Promise<NetworkCapture> {
    let broken: SetAside | undefined;
    const capture = await this.#file(workspace, (found) => (broken = found)).load();
    if (broken) throw corrupt(workspace, broken);
    // On a case-insensitive disk the file may belong to another workspace.
    if (!capture || capture.workspace !== workspace)
      throw fail('cache_missing', `No network capture of ${workspace} is stored.`, { workspace });
    const ageMs = now - capture.captured_at;
    if (ageMs > ttlMs) throw expired(workspace, ageMs, ttlMs);
    return capture;
  }

  /** Deletes the stored capture, if there is one. */
  async remove(workspace: string): Promise<void> {
    await removeFile(join(this.#folder, `${buildFileName(workspace)}.json`));
  }

  #file(
    workspace: string,
    onSetAside?: (found: SetAside) => void,
  ): JsonFile<z.output<typeof CaptureSchema>> {
    const path = join(this.#folder, `${buildFileName(workspace)}.json`);
    return new JsonFile(
      defined({
        path,
        schema: CaptureSchema,
        version: VERSION,
        maxBytes: MAX_FILE_BYTES,
        onSetAside,
      }),
    );
  }
}

/**
 * `browser:default` gives `browser_default`. Names with other characters get a dot and a hash,
 * which plain names cannot contain.
 */
export const buildFileName = (workspace: string): string => {
  const [kind = '', ...rest] = workspace.split(':');
  const name = rest.join(':');
  if (/^[A-Za-z0-9_-]+$/.test(name)) return `${kind}_${name}`;
  const hash = createHash('sha256').update(workspace).digest('hex').slice(0, 12);
  return `${kind}_${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60)}.${hash}`;
};

const corrupt = (workspace: string, { reason, movedTo }: SetAside): Failure =>
  fail(
    'cache_corrupt',
    `The stored network capture of ${workspace} cannot be read: ${reason.slice(0, 200)}.`,
    {
      workspace,
      set_aside: movedTo,
    },
  );

const expired = (workspace: string, ageMs: number, ttlMs: number): Failure =>
  fail(
    'cache_expired',
    `The stored network capture of ${workspace} is ${minutes(ageMs)} old, ` +
      `more than ${minutes(ttlMs)}.`,
    {
      workspace,
      age_ms: ageMs,
      ttl_ms: ttlMs,
    },
  );

const minutes = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
