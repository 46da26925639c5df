// Finds pages that do not respond, while a viewer is connected.
import type { Tab } from '../../browser/tabs/tab.ts';

const PATIENCE_MS = 2_500;

export class HungPages {
  /** The time since which a tab does not respond, in Unix milliseconds. */
  readonly #since = new WeakMap<Tab, number>();

  find(tab: Tab): number | undefined {
    return this.#since.get(tab);
  }

  /** A dialog blocks its page, which then is not hung. */
  async check(tabs: readonly Tab[]): Promise<void> {
    const checked = tabs.filter(({ dialog, crashed, closed }) => !dialog && !crashed && !closed);
    await Promise.all(checked.map((tab) => this.#checkTab(tab)));
  }

  async #checkTab(tab: Tab): Promise<void> {
    const askedAt = Date.now();
    const responds = await tab.answers(AbortSignal.timeout(PATIENCE_MS));
    if (responds || tab.closed || tab.dialog) this.#since.delete(tab);
    else if (!this.#since.has(tab)) this.#since.set(tab, askedAt);
  }
}
