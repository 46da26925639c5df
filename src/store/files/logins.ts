// Saved logins by name, in the format of Playwright's storage state; one private file each.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { attempt } from '../../core/attempt.ts';
import { compact } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { openRegularFile, Unreadable } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { Database } from './session-snapshots.ts';

// Saves and loads a login (cookies and storage) in the format of Playwright's storage state.

const MAX_BYTES = 64 * 1024 * 1024;

const Item = z.object({ name: z.string(), value: z.string() });
const PasskeySchema = z.object({
  credentialId: z.string().max(2000),
  isResidentCredential: z.boolean(),
  rpId: z.string().max(300).optional(),
  privateKey: z.string().max(10_000),
  userHandle: z.string().max(1000).optional(),
  signCount: z.number().int().min(0),
  backupEligibility: z.boolean().optional(),
  backupState: z.boolean().optional(),
  userName: z.string().max(1000).optional(),
  userDisplayName: z.string().max(1000).optional(),
});
const LoginSchema = z.object({
  cookies: z
    .array(
      z.object({
        name: z.string(),
        value: z.string(),
        domain: z.string(),
        path: z.string().default('/'),
        expires: z.number().default(-1),
        httpOnly: z.boolean().default(false),
        secure: z.boolean().default(false),
        sameSite: z.enum(['Strict', 'Lax', 'None']).optional(),
      }),
    )
    .default([]),
  /** Only in logins that were saved under a name; with their private keys. */
  passkeys: z.array(PasskeySchema).max(1000).default([]),
  /** Facts about a login that was saved under a name. */
  saved: z.object({ at: z.number(), url: z.string().max(10_000).optional() }).optional(),
  origins: z
    .array(
      z.object({
        origin: z.string().regex(/^https?:\/\/[^/?#\s]+$/),
        localStorage: z.array(Item).default([]),
        sessionStorage: z.array(Item).default([]),
        databases: z.array(Database).max(1000).default([]),
      }),
    )
    .default([]),
});

export type SavedLogin = z.output<typeof LoginSchema>;

export const saveLogin = (path: string, login: object): Promise<void> =>
  replaceFile(path, `${JSON.stringify(login, undefined, 1)}\n`);

/** Loads a storage state or a cookies.txt; throws if the file is missing or contains neither. */
export const loadLogin = async (path: string): Promise<SavedLogin> => {
  const text = await readText(path);
  if (text === undefined)
    throw fail('invalid_argument', `The file ${path.slice(0, 300)} does not exist.`, {
      argument: 'path',
    });
  const parsed = LoginSchema.safeParse(
    COOKIES_TXT.test(text) ? { cookies: parseCookiesTxt(text) } : parseJson(text),
  );
  if (!parsed.success)
    throw fail(
      'invalid_argument',
      `${path.slice(0, 300)} does not contain a saved login: ` +
        `${parsed.error.issues[0]?.message ?? 'unknown'}.`,
      {
        argument: 'path',
      },
    );
  return parsed.data;
};

/** Number of bytes at the start of a file that are searched for signs of a login. */
const HEAD_BYTES = 64 * 1024;

/**
 * Throws if the file contains a saved login, whatever its name and folder, because a page must
 * never receive one. Detects storage states, saved sessions and cookies.txt by their first bytes.
 */
export const requireNoLogin = async (path: string): Promise<void> => {
  const head = await readHead(path);
  if (head === undefined || !looksLikeLogin(head)) return;
  throw fail(
    'file_not_allowed',
    `${path.slice(0, 300)} contains a saved login, which is never uploaded to a page.`,
    {
      path: path.slice(0, 300),
      situation: 'saved_login',
    },
  );
};

const COOKIES_TXT = /^\uFEFF?\s*# (?:Netscape )?HTTP Cookie File/i;

/** Parses the lines of a cookies.txt: seven fields between tabs. Other lines are comments. */
const parseCookiesTxt = (text: string): object[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const isHttpOnly = line.startsWith(HTTP_ONLY);
    const fields = (isHttpOnly ? line.slice(HTTP_ONLY.length) : line).split('\t');
    const [host = '', withSubdomains, path, secure, expires, name, value = ''] = fields;
    if (host.startsWith('#') || name === undefined) return [];
    const bare = host.replace(/^\./, '');
    return [
      {
        ...{ name, value, path, httpOnly: isHttpOnly },
        domain: withSubdomains?.toUpperCase() === 'TRUE' ? `.${bare}` : bare,
        secure: secure?.toUpperCase() === 'TRUE',
        expires: Number(expires) > 0 ? Number(expires) : -1,
      },
    ];
  });

const HTTP_ONLY = '#HttpOnly_';

const looksLikeLogin = (head: string): boolean => {
  const text = head.replace(/^\uFEFF/, '').trimStart();
  if (COOKIES_TXT.test(text)) return true;
  if (!text.startsWith('{') && !text.startsWith('[')) return false;
  const has = (...keys: readonly string[]): boolean =>
    keys.every((key) => text.includes(`"${key}"`));
  return (
    has('cookies', 'origins') ||
    has('cookies', 'tabs') ||
    has('domain', 'httpOnly') ||
    has('origin', 'localStorage')
  );
};

const readHead = async (path: string): Promise<string | undefined> => {
  try {
    await using file = await openRegularFile(path);
    if (!file) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } catch (error) {
    // a folder: its files are checked when they are opened
    if (error instanceof Unreadable) return undefined;
    throw storageFailure('read', path, error);
  }
};

const readText = async (path: string): Promise<string | undefined> => {
  try {
    await using file = await openRegularFile(path, MAX_BYTES);
    return await file?.readFile('utf8');
  } catch (error) {
    if (error instanceof Unreadable)
      throw fail(
        'invalid_argument',
        `${path.slice(0, 300)} cannot be read: ${error.message}.`,
        { argument: 'path' },
        error,
      );
    throw storageFailure('read', path, error);
  }
};

const parseJson = (text: string): unknown => attempt(() => JSON.parse(text));

const NAME = /^[A-Za-z0-9][A-Za-z0-9_@.-]{0,99}$/;

export interface LoginSummary {
  readonly name: string;
  readonly saved_at?: string;
  readonly url?: string;
  readonly hosts: readonly string[];
  readonly cookies: number;
  /** Cookies whose time is over. */
  readonly expired: number;
  /** When the first of the other cookies expires; null if they end with the session. */
  readonly expires: string | null;
  readonly passkeys?: number;
}

type NewLogin = Pick<SavedLogin, 'cookies' | 'origins'> & Partial<Pick<SavedLogin, 'passkeys'>>;

export class Logins {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async save(name: string, login: NewLogin, url?: string): Promise<void> {
    const saved = { at: Date.now(), url };
    await saveLogin(this.#path(name), { ...login, saved });
  }

  /** Throws if the login does not exist. */
  async load(name: string): Promise<SavedLogin> {
    const path = this.#path(name);
    const names = await this.names();
    if (names.includes(name)) return loadLogin(path);
    throw fail('login_not_found', `Unknown saved login "${name}".`, {
      available: names.slice(0, 50),
    });
  }

  async names(): Promise<readonly string[]> {
    const files = await readdir(this.#folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return files
      .filter((file) => file.endsWith('.json') && NAME.test(file.slice(0, -'.json'.length)))
      .map((file) => file.slice(0, -'.json'.length))
      .sort();
  }

  async list(): Promise<readonly LoginSummary[]> {
    const names = await this.names();
    return Promise.all(names.map(async (name) => summarise(name, await this.load(name))));
  }

  async summary(name: string): Promise<LoginSummary> {
    return summarise(name, await this.load(name));
  }

  /** Writes the part of a login that other tools can read: a Playwright storage state. */
  async export(name: string, path: string): Promise<Pick<SavedLogin, 'cookies' | 'origins'>> {
    const login = await this.load(name);
    const cookies = login.cookies.map(({ sameSite = 'Lax', ...cookie }) => ({
      ...cookie,
      sameSite,
    }));
    const origins = login.origins.map(({ origin, localStorage }) => ({ origin, localStorage }));
    await saveLogin(path, { cookies, origins });
    return login;
  }

  async remove(name: string): Promise<void> {
    await this.load(name);
    await rm(this.#path(name), { force: true });
  }

  #path(name: string): string {
    if (!NAME.test(name))
      throw fail('invalid_argument', `"${name.slice(0, 100)}" is not a name for a login.`, {
        argument: 'login',
        hint: 'Use letters, digits and _ @ . -',
      });
    return join(this.#folder, `${name}.json`);
  }
}

const summarise = (name: string, login: SavedLogin): LoginSummary => {
  const { saved, cookies, origins, passkeys } = login;
  const now = Date.now() / 1000;
  const timed = cookies.filter(({ expires }) => expires >= 0);
  const alive = timed.filter(({ expires }) => expires > now).map(({ expires }) => expires);
  const hosts = new Set([
    ...origins.map(({ origin }) => new URL(origin).hostname),
    ...cookies.map(({ domain }) => domain.replace(/^\./, '')),
  ]);
  return {
    name,
    ...(saved && { saved_at: new Date(saved.at).toISOString() }),
    ...(saved?.url !== undefined && { url: saved.url }),
    hosts: [...hosts].sort().slice(0, 20),
    cookies: cookies.length,
    expired: timed.length - alive.length,
    expires: alive.length > 0 ? new Date(Math.min(...alive) * 1000).toISOString() : null,
    ...compact({ passkeys: passkeys.length }),
  };
};
