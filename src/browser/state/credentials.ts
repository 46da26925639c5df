// The names and passwords with which a tab answers servers that ask for them: one pair for each
// origin, sent nowhere else.
import type { Tab } from '../tabs/tab.ts';
import type { Credentials, Registration } from '../traffic/intercept-handler.ts';

const ofTab = new WeakMap<Tab, TabCredentials>();

/** Those of a tab; they last as long as it does. */
export const getCredentials = (tab: Tab): TabCredentials => {
  let credentials = ofTab.get(tab);
  if (!credentials) ofTab.set(tab, (credentials = new TabCredentials(tab)));
  return credentials;
};

class TabCredentials {
  readonly #tab: Tab;
  readonly #byOrigin = new Map<string, Credentials & { readonly registration: Registration }>();

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Settles when every request sent from then on is answered with it. */
  async set(origin: string, credentials: Credentials): Promise<void> {
    await this.clear(origin);
    const registration = this.#tab.interception.addAuth({
      name: 'http_auth',
      patterns: [`${origin}/*`],
      authenticate: (challenge) =>
        !challenge.isProxy && originOf(challenge.url) === origin ? credentials : undefined,
    });
    this.#byOrigin.set(origin, { ...credentials, registration });
    await registration.ready;
  }

  /** Forgets one origin, or all; returns how many there were. */
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

const originOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).origin : undefined;
