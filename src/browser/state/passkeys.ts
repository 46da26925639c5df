// The virtual authenticator of a session: creates and uses passkeys in all its tabs.
import type { Protocol } from 'devtools-protocol';
import { getOrCreate } from '../../core/collections.ts';
import { isGone } from '../cdp/errors.ts';
import type { Session } from '../tabs/session.ts';
import type { Tab } from '../tabs/tab.ts';

/** A passkey with its private key, which is never part of a reply. */
export type Passkey = Protocol.WebAuthn.Credential;

/** A page can create passkeys without a user, so their number is limited. */
const MAX_PASSKEYS = 100;

const AUTHENTICATOR: Protocol.WebAuthn.VirtualAuthenticatorOptions = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
};

const ofSession = new WeakMap<Session, Passkeys>();

/** Returns the authenticator of a session, which is off at first. */
export const getPasskeys = (session: Session): Passkeys =>
  getOrCreate(ofSession, session, () => new Passkeys(session));

/** Chrome has one authenticator per tab. This class keeps the same passkeys in all of them. */
class Passkeys {
  readonly #session: Session;
  readonly #known = new Map<string, Passkey>();
  /** Authenticator ids by tab. */
  readonly #authenticators = new Map<Tab, Promise<string>>();
  /** Ids of the passkeys that this class is removing from a tab. */
  readonly #removing = new Set<string>();
  readonly #setUp = (tab: Tab): Promise<unknown> =>
    // The page then has no authenticator, as without this setting.
    this.#join(tab).catch(() => {});

  constructor(session: Session) {
    this.#session = session;
  }

  get isOn(): boolean {
    return this.#session.setups.has(this.#setUp);
  }

  get all(): readonly Passkey[] {
    return [...this.#known.values()];
  }

  /** Turns the authenticator on in all tabs of the session, also in new ones. */
  async turnOn(): Promise<void> {
    await Promise.all([...this.#session.tabs.values()].map((tab) => this.#join(tab)));
    this.#session.setups.add(this.#setUp);
  }

  /** Turns the authenticator off; the passkeys are kept until the session is closed. */
  async turnOff(): Promise<void> {
    this.#session.setups.delete(this.#setUp);
    const tabs = [...this.#authenticators.keys()];
    this.#authenticators.clear();
    await Promise.all(tabs.map((tab) => ignoreGone(tab.cdp.send('WebAuthn.disable'))));
  }

  /** Adds saved passkeys and turns the authenticator on. */
  async restore(passkeys: readonly Passkey[]): Promise<void> {
    for (const passkey of passkeys) await this.#put(passkey);
    await this.turnOn();
  }

  /** Returns false if the passkey is unknown. */
  async remove(credentialId: string): Promise<boolean> {
    if (!this.#known.delete(credentialId)) return false;
    await this.#inEachTab((tab, id) => this.#removeFrom(tab, id, credentialId));
    return true;
  }

  async #put(credential: Passkey, except?: Tab): Promise<void> {
    const { credentialId } = credential;
    const isKnown = this.#known.has(credentialId);
    this.#known.set(credentialId, credential);
    await this.#inEachTab(async (tab, authenticatorId) => {
      if (tab === except) return;
      // Chrome cannot change the counter of a passkey, so it is replaced.
      if (isKnown) await this.#removeFrom(tab, authenticatorId, credentialId);
      await tab.cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    });
  }

  async #inEachTab(work: (tab: Tab, authenticatorId: string) => Promise<unknown>): Promise<void> {
    // A tab is skipped if it was closed, or if its page changed the passkey at the same time.
    await Promise.allSettled(
      [...this.#authenticators].map(async ([tab, id]) => work(tab, await id)),
    );
  }

  async #removeFrom(tab: Tab, authenticatorId: string, credentialId: string): Promise<void> {
    this.#removing.add(credentialId);
    try {
      await tab.cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    } finally {
      this.#removing.delete(credentialId);
    }
  }

  async #join(tab: Tab): Promise<void> {
    const known = this.#authenticators.get(tab);
    if (known) return void (await known);
    const creating = this.#createIn(tab);
    this.#authenticators.set(tab, creating);
    tab.events.on('closed', () => this.#authenticators.delete(tab));
    await creating.catch((error: unknown) => {
      this.#authenticators.delete(tab);
      throw error;
    });
  }

  async #createIn(tab: Tab): Promise<string> {
    const { cdp } = tab;
    await cdp.send('WebAuthn.enable', {});
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: AUTHENTICATOR,
    });
    for (const credential of this.all)
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    const keep = ({ credential }: { readonly credential: Passkey }): void =>
      this.#noteChange(tab, authenticatorId, credential);
    cdp.on('WebAuthn.credentialAdded', keep);
    cdp.on('WebAuthn.credentialAsserted', keep);
    cdp.on('WebAuthn.credentialUpdated', keep);
    cdp.on('WebAuthn.credentialDeleted', ({ credentialId }) => {
      if (!this.#removing.has(credentialId)) void this.remove(credentialId);
    });
    return authenticatorId;
  }

  /** A page created or used a passkey in a tab. */
  #noteChange(tab: Tab, authenticatorId: string, credential: Passkey): void {
    const { credentialId, signCount } = credential;
    const known = this.#known.get(credentialId);
    if (known && known.signCount >= signCount) return; // this class added it
    if (!known && this.#known.size >= MAX_PASSKEYS)
      return void ignoreGone(this.#removeFrom(tab, authenticatorId, credentialId));
    void this.#put(credential, tab);
  }
}

const ignoreGone = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (!isGone(error)) throw error; // the tab was closed
  });
