// A versioned JSON file that is replaced atomically and renamed, not deleted, if it is unreadable.
import { rename } from 'node:fs/promises';
import { z } from 'zod';
import { ifDefined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { openRegularFile, Unreadable } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** The unreadable file and its new path. */
export interface SetAside {
  readonly path: string;
  readonly movedTo: string;
  readonly reason: string;
}

interface JsonFileOptions<T extends object> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** Increased when older readers would misinterpret the new format. */
  readonly version: number;
  readonly maxBytes?: number;
  readonly onSetAside?: (found: SetAside) => void;
}

const Versioned = z.looseObject({ version: z.number().int() });

export class JsonFile<T extends object> {
  readonly #options: JsonFileOptions<T>;

  constructor(options: JsonFileOptions<T>) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  /** The content; undefined if the file is missing or unreadable. */
  async load(): Promise<T | undefined> {
    try {
      const text = await this.#read();
      return ifDefined(text, (text) => this.#parse(text));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      await this.#setAside(error.message);
      return undefined;
    }
  }

  async save(value: T): Promise<void> {
    await replaceFile(this.path, JSON.stringify({ version: this.#options.version, ...value }));
  }

  /** Saves a value whose members are JSON already. A power failure may lose the file. */
  async saveMembers(members: Readonly<Record<keyof T & string, string>>): Promise<void> {
    const parts = Object.entries<string>({ version: String(this.#options.version), ...members });
    const text = parts.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',');
    await replaceFile(this.path, `{${text}}`, { durable: false });
  }

  async #read(): Promise<string | undefined> {
    try {
      await using file = await openRegularFile(this.path, this.#options.maxBytes ?? MAX_BYTES);
      return await file?.readFile('utf8');
    } catch (error) {
      throw error instanceof Unreadable ? error : storageFailure('read', this.path, error);
    }
  }

  #parse(text: string): T {
    const head = Versioned.safeParse(parseJson(text));
    if (!head.success) throw new Unreadable('it is not a JSON object with a version');
    if (head.data.version > this.#options.version) throw writtenByNewer(this.path);
    if (head.data.version < this.#options.version)
      throw new Unreadable(`it has the old version ${head.data.version}`);
    const parsed = this.#options.schema.safeParse(head.data);
    if (!parsed.success)
      throw new Unreadable(
        parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      );
    return parsed.data;
  }

  async #setAside(reason: string): Promise<void> {
    const { path, onSetAside } = this.#options;
    const movedTo = `${path}.corrupt-${Date.now()}`;
    try {
      await rename(path, movedTo);
      onSetAside?.({ path, movedTo, reason });
    } catch (error) {
      // missing: another process has already moved it
      if (!isMissing(error)) throw storageFailure('set aside', path, error);
    }
  }
}

/** The file is not set aside, because a newer program may still use it. */
const writtenByNewer = (path: string): Failure =>
  fail('storage_failed', `${path} was written by a newer version of OpenChrome.`, {
    path,
    hint: 'Update OpenChrome, or use another OPENCHROME_HOME.',
    retryable: false,
  });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable('it is not JSON');
  }
};
