// Saved logins by name: one private file each, in the format of Playwright's storage state.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compact } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isMissing } from '../../system/disk-error.ts';
import { loadLogin, type SavedLogin, saveLogin } from './login-file.ts';

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
