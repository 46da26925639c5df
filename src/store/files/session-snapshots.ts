// Stores saved sessions, one private file each, because they contain cookies and storage.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { listDefined } from '../../core/collections.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { fail, type Failure, getErrorMessage } from '../../core/failure.ts';
import { createTaskIds, parseTaskTime } from '../../core/ids.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { JsonFile, type SetAside } from './json-file.ts';

const VERSION = 1;
const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 64 * MIB;
const ID = /^snap_[\da-f]{16}$/;
const FILE = /^snap_[\da-f]{16}\.json$/;
/** Maximum number of snapshots that are listed or searched by name. */
const MAX_LISTED = 50;

const Text = z.string().max(8_000_000);
const Short = z.string().max(10_000);
const ElementPath = z.array(Short).max(60);
const Item = z.object({ name: Text, value: Text });
const Position = z.number().min(-10_000_000).max(1_000_000_000);

const Field = z.object({
  at: ElementPath.min(1),
  kind: z.string().max(40),
  name: Short,
  label: z.string().max(200),
  option: Short.optional(),
  value: Text.optional(),
  checked: z.boolean().optional(),
  chosen: z.array(Short).max(10_000).optional(),
  files: z.array(Short).max(1000).optional(),
});

const FrameState = z.object({
  url: Text,
  nth: z.number().int().min(0),
  fields: z.array(Field).max(2000),
  scrolls: z.array(z.object({ at: ElementPath, x: Position, y: Position })).max(100),
  passwords: z.number().int().min(0),
  more: z.number().int().min(0),
});

const KeyPath = z.union([Short, z.array(Short).max(100)]);

export const Database = z.object({
  name: Short,
  version: z.number().int().min(1),
  stores: z
    .array(
      z.object({
        name: Short,
        keyPath: KeyPath.nullable(),
        autoIncrement: z.boolean(),
        indexes: z
          .array(
            z.object({
              name: Short,
              keyPath: KeyPath,
              unique: z.boolean(),
              multiEntry: z.boolean(),
            }),
          )
          .max(1000),
        records: z.array(z.object({ key: z.unknown().optional(), value: z.unknown() })),
      }),
    )
    .max(1000),
});

const Origin = z.string().regex(/^https?:\/\/[^/?#\s*]+$/);

const SavedTabSchema = z.object({
  url: Text,
  title: Text,
  active: z.boolean(),
  frames: z.array(FrameState).max(200),
  sessionStorage: z.array(Item).max(100_000),
  not_saved: z.array(Short).max(100),
});

const SavedSessionSchema = z.object({
  id: z.string().regex(ID),
  name: z.string().max(200).optional(),
  session: z.string().max(100),
  created_at: z.number(),
  memo: z.object({
    objective: Text.optional(),
    currentStep: Text.optional(),
    nextActions: z.array(Text).max(1000).optional(),
  }),
  tabs: z.array(SavedTabSchema).max(1000),
  cookies: z
    .array(
      z.object({
        name: Short,
        value: Text,
        domain: z.string().max(300),
        path: Short,
        expires: z.number(),
        httpOnly: z.boolean(),
        secure: z.boolean(),
        sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
      }),
    )
    .max(20_000),
  origins: z
    .array(
      z.object({
        origin: Origin,
        localStorage: z.array(Item).max(100_000),
        databases: z.array(Database).max(1000),
      }),
    )
    .max(1000),
});

type Loose<T> = T extends readonly (infer U)[]
  ? readonly Loose<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Loose<T[K]> }
    : T;
export type SavedSession = Loose<z.output<typeof SavedSessionSchema>>;
export type SavedTab = SavedSession['tabs'][number];
export type Memo = SavedSession['memo'];

export interface SnapshotSummary {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
  readonly session: string;
  readonly objective?: string;
  readonly tabs: readonly string[];
}

const nextId = createTaskIds();

export class SessionSnapshots {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async save(saved: Omit<SavedSession, 'id'>): Promise<string> {
    const id = `snap_${nextId()}`;
    const text = JSON.stringify(saved);
    if (text.length > MAX_FILE_BYTES / 2 && Buffer.byteLength(text) > MAX_FILE_BYTES - 1000)
      throw fail('storage_failed', 'The session is too large for one file.', {
        hint: 'Close tabs that do not need to be saved.',
        retryable: false,
      });
    await this.#file(id).save({ id, ...saved } as z.output<typeof SavedSessionSchema>);
    return id;
  }

  /**
   * Finds a snapshot by id or name, or else the newest of the session. Throws a failure that lists
   * the available snapshots.
   */
  async load(wanted: string | undefined, session: string): Promise<SavedSession> {
    const ids = await this.#ids();
    if (wanted !== undefined && ID.test(wanted) && ids.includes(wanted)) return this.#read(wanted);
    for (const id of ids.slice(0, MAX_LISTED)) {
      const saved = await this.#peek(id);
      if (saved && (wanted === undefined ? saved.session === session : saved.name === wanted))
        return saved;
      if (wanted === undefined && !saved) throw unreadable(id, this.#broken.get(id));
    }
    throw await this.#notFound(wanted, session);
  }

  /** Newest first. Unreadable snapshots are listed by id. */
  async list(): Promise<{
    readonly snapshots: SnapshotSummary[];
    readonly unreadable?: readonly string[];
  }> {
    const ids = await this.#ids();
    const found = await Promise.all(ids.slice(0, MAX_LISTED).map((id) => this.#peek(id)));
    const broken = ids.filter((_, i) => i < found.length && found[i] === undefined);
    return defined({
      snapshots: found.flatMap((saved) => listDefined(ifDefined(saved, summarise))),
      ...compact({ unreadable: broken }),
    });
  }

  /** The reason why a snapshot is unreadable, by id. */
  readonly #broken = new Map<string, string>();

  async #read(id: string): Promise<SavedSession> {
    const saved = await this.#peek(id);
    if (saved) return saved;
    throw unreadable(id, this.#broken.get(id));
  }

  /**
   * Undefined if the file is incomplete, invalid or of another version; `#broken` then has the
   * reason.
   */
  async #peek(id: string): Promise<SavedSession | undefined> {
    try {
      const saved = await this.#file(id, ({ reason }) => this.#broken.set(id, reason)).load();
      if (saved && saved.id === id) return saved;
      if (saved) this.#broken.set(id, 'it belongs to another snapshot');
    } catch (error) {
      this.#broken.set(id, getErrorMessage(error));
    }
    return undefined;
  }

  #file(
    id: string,
    onSetAside?: (found: SetAside) => void,
  ): JsonFile<z.output<typeof SavedSessionSchema>> {
    const path = join(this.#folder, `${id}.json`);
    const options = {
      path,
      schema: SavedSessionSchema,
      version: VERSION,
      maxBytes: MAX_FILE_BYTES,
    };
    return new JsonFile(defined({ ...options, onSetAside }));
  }

  /** Newest first, because ids start with the creation time. */
  async #ids(): Promise<string[]> {
    const files = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw storageFailure('list', this.#folder, error);
    });
    return files
      .filter((file) => FILE.test(file))
      .map((file) => file.slice(0, -'.json'.length))
      .sort()
      .toReversed();
  }

  async #notFound(wanted: string | undefined, session: string): Promise<Failure> {
    const what = wanted === undefined ? `of the session "${session}"` : `"${wanted.slice(0, 200)}"`;
    const { snapshots } = await this.list();
    return fail('snapshot_not_found', `No snapshot ${what} is stored.`, {
      available: snapshots.slice(0, 10),
    });
  }
}

const summarise = ({ id, name, session, memo, tabs }: SavedSession): SnapshotSummary =>
  defined({
    id,
    name,
    created_at: new Date(parseTaskTime(id.slice('snap_'.length))).toISOString(),
    session,
    objective: memo.objective?.slice(0, 300),
    tabs: tabs.slice(0, 20).map(({ url }) => url.slice(0, 200)),
  });

const unreadable = (id: string, reason = 'it no longer exists'): Failure =>
  fail(
    'snapshot_unreadable',
    `The snapshot ${id} cannot be used: ${reason.slice(0, 300).replace(/\.$/, '')}.`,
    { id },
  );
