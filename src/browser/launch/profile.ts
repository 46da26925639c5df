// Chooses Chrome's profile (our own, a named one, or a temporary one), without preloading.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../core/config.ts';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { isObject } from '../../core/json.ts';
import { textIf } from '../../core/text.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import { type LockResult, Locks } from '../../system/lock.ts';
import { ensureFolder, loadJson } from '../../system/private-files.ts';
import { createProcesses } from '../../system/process-identity.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { confinedFolder } from './chrome-locations.ts';
import type { FoundChrome } from './find-chrome.ts';
import { endOrphan, temporaryName } from './ownership.ts';
import { clearSingleton, findRunningChrome, removeProfile } from './singleton.ts';

const TEMPORARY_KINDS = new Set<string>(['isolated', 'temporary']);

export interface ProfileFacts {
  readonly dir: string;
  readonly kind: 'own' | 'named' | 'isolated' | 'temporary';
  /** Why another profile than expected is used. */
  readonly note?: string;
}

export interface Profile extends ProfileFacts {
  /** Releases the profile, or deletes a temporary one; Chrome must have ended. */
  release(): Promise<void>;
}

interface ProfileRequest {
  readonly config: Pick<Config, 'profile' | 'isolated'>;
  readonly home: Home;
  readonly chrome: FoundChrome;
  /** The owner id of the Chrome to start. */
  readonly id: string;
}

export const isTemporary = ({ kind }: ProfileFacts): boolean => TEMPORARY_KINDS.has(kind);

export const acquireProfile = async (wanted: ProfileRequest): Promise<Profile> => {
  const { config, home, chrome, id } = wanted;
  if (config.isolated) return temporaryProfile(wanted, 'isolated');
  const kind = config.profile === undefined ? 'own' : 'named';
  const dir = config.profile === undefined ? ownProfile(home, chrome) : resolve(config.profile);
  await makeFolder(dir);
  const taken = await takeOwnLock(join(dir, 'openchrome.lock'), id);
  if ('heldBy' in taken) {
    const who = textIf(taken.heldBy, ` (process ${taken.heldBy?.pid})`);
    return temporaryProfile(
      wanted,
      'temporary',
      profileInUseFailure(dir, `another OpenChrome server${who}`),
    );
  }
  const { lock } = taken;
  const user =
    lock.inherited === undefined
      ? await findRunningChrome(dir)
      : await afterOrphan(lock.inherited, dir);
  // Only this program uses our own profile: a lock without a running Chrome is stale, from any
  // machine.
  if (user === undefined && lock.inherited !== undefined && kind === 'own')
    await clearSingleton(dir);
  if (user === undefined) return { dir, kind, release: async () => lock[Symbol.dispose]() };
  lock[Symbol.dispose]();
  return temporaryProfile(wanted, 'temporary', profileInUseFailure(dir, user));
};

const LEAVING_MS = 3000;
const POLL_MS = 25;

/**
 * A server has one Chrome: if this server already has the lock, the previous Chrome crashed and is
 * being cleaned up.
 */
const takeOwnLock = async (path: string, id: string): Promise<LockResult> => {
  const processes = createProcesses();
  const locks = new Locks(processes);
  const isOurs = (taken: LockResult): boolean =>
    'heldBy' in taken && isDeepStrictEqual(taken.heldBy, processes.own);
  let taken = await locks.tryTake(path, id);
  for (
    const end = monotonicMs() + LEAVING_MS;
    isOurs(taken) && monotonicMs() < end;
    taken = await locks.tryTake(path, id)
  )
    await sleep(POLL_MS);
  return taken;
};

/** For a Chrome that finds its profile in use. */
export const temporaryProfile = async (
  wanted: ProfileRequest,
  kind: 'isolated' | 'temporary',
  note?: string,
): Promise<Profile> => {
  const dir = temporaryFolder(wanted);
  await makeFolder(dir);
  const release = (): Promise<void> => removeProfile(dir).then(() => {});
  return defined({ dir, kind, note, release });
};

export const profileInUseFailure = (dir: string, by: string): string =>
  `The profile ${dir} is in use by ${by}: this Chrome uses a temporary profile, without its ` +
  'logins.';

/** One profile per product: an older or different browser must not open a newer one's profile. */
const ownProfile = (home: Home, chrome: FoundChrome): string => {
  const confined = confinedFolder(chrome.path, homedir());
  return confined === undefined ? join(home.profile, chrome.product) : join(confined, 'profile');
};

const temporaryFolder = ({
  home,
  chrome,
  id,
}: Pick<ProfileRequest, 'home' | 'chrome' | 'id'>): string =>
  join(confinedFolder(chrome.path, homedir()) ?? home.run, temporaryName(id));

const makeFolder = async (dir: string): Promise<void> => {
  try {
    await ensureFolder(dir);
  } catch (error) {
    const message = `The profile folder ${dir} cannot be used: ${(error as Error).message}`;
    throw fail(
      'chrome_launch_failed',
      message,
      { hint: 'Check its permissions, or set --profile to another folder.' },
      error,
    );
  }
};

/**
 * Like findRunningChrome, after ending the Chrome of a dead server, which may respond for another
 * moment.
 */
const afterOrphan = async (id: string, dir: string): Promise<string | undefined> => {
  await endOrphan(id);
  let user = await findRunningChrome(dir);
  for (
    const end = monotonicMs() + LEAVING_MS;
    user !== undefined && monotonicMs() < end;
    user = await findRunningChrome(dir)
  )
    await sleep(POLL_MS);
  return user;
};

// Settings of our own profiles. Without preloading, interception sees every request: it does not see
// prefetches by speculation rules and preconnects. Without autofill and saved passwords, Chrome does
// not store the values of submitted fields, which can be secrets, in the profile.

/** "No preloading" in Chrome's settings. */
const NEVER = 2;

const PREFERENCES: Readonly<Record<string, unknown>> = {
  net: { network_prediction_options: NEVER },
  autofill: { profile_enabled: false, credit_card_enabled: false },
  credentials_enable_service: false,
};

const withPreferences = (
  current: Record<string, unknown>,
  wanted: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(current), ...Object.keys(wanted)])].map((key) => {
      const [before, after] = [current[key], wanted[key]];
      if (after === undefined) return [key, before];
      return [key, isObject(after) ? withPreferences(asObject(before), after) : after];
    }),
  );

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? { ...value } : {});

/** Must run before Chrome starts, which otherwise overwrites the file. */
export const savePreferences = async (profileDir: string): Promise<void> => {
  const path = join(profileDir, 'Default', 'Preferences');
  const before = asObject(await loadJson(path));
  const after = JSON.stringify(withPreferences(before, PREFERENCES));
  if (after === JSON.stringify(before)) return;
  await replaceFile(path, after, { durable: false });
};
