// HTTP credentials of a tab: one username and password per origin, sent to that origin only.
import { valueIf } from '../../core/defined.ts';
import { getOrCreate } from '../../core/collections.ts';
import { canParseUrl } from '../../core/text.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Credentials, Registration } from '../traffic/intercept-handler.ts';

const ofTab = new WeakMap<Tab, TabCredentials>();

/** Returns the credentials of a tab. They exist as long as the tab. */
export const getCredentials = (tab: Tab): TabCredentials => {
  return getOrCreate(ofTab, tab, () => new TabCredentials(tab));
};

class TabCredentials {
  readonly #tab: Tab;
  readonly #byOrigin = new Map<string, Credentials & { readonly registration: Registration }>();

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Resolves when all later requests use the credentials. */
  async set(origin: string, credentials: Credentials): Promise<void> {
    await this.clear(origin);
    const registration = this.#tab.interception.addAuth({
      name: 'credentials',
      patterns: [`${origin}/*`],
      authenticate: (challenge) =>
        valueIf(!challenge.isProxy && parseOrigin(challenge.url) === origin, credentials),
    });
    this.#byOrigin.set(origin, { ...credentials, registration });
    await registration.ready;
  }

  /** Removes the credentials of one origin, or all; returns the number removed. */
  async clear(origin?: string): Promise<number> {
    const gone = [...this.#byOrigin].filter(([known]) => origin === undefined || known === origin);
    for (const [known] of gone) this.#byOrigin.delete(known);
    await Promise.all(gone.map(([, { registration }]) => registration.remove()));
    return gone.length;
  }

  list(): { readonly origin: string; readonly username: string }[] {
    return [...this.#byOrigin].map(([origin, { username }]) => ({ origin, username }));
  }
}

const parseOrigin = (url: string): string | undefined =>
  canParseUrl(url) ? new URL(url).origin : undefined;
