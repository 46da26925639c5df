// Emulates the commands of CDP's root session, which Chrome's debugger does not offer to extensions.
import type { LinkCommand } from '../src/browser/extension/link-commands.ts';
import type { Debuggees } from './debuggees.ts';
import type { DownloadReports } from './download-reports.ts';
import type { Grant, Grants } from './grants.ts';
import type { Params } from './guard.ts';
import { isAllowedUrl } from './page-address.ts';
import { Refusal, TargetGone } from './refusal.ts';

type SendEvent = (method: string, params: Params, sessionId?: string) => void;

interface RootOptions {
  readonly grants: Grants;
  readonly debuggees: Debuggees;
  readonly downloads: DownloadReports;
  readonly sendEvent: SendEvent;
  /** Whether the user has stopped all agents. */
  readonly isStopped: () => boolean;
}

type Command = (params: Params) => Promise<unknown>;

const MAX_LABEL = 60;

export class RootCommands {
  readonly #options: RootOptions;
  #isDiscovering = false;

  constructor(options: RootOptions) {
    this.#options = options;
  }

  /** Throws a Refusal for all other commands. */
  async run(method: string, params: Params): Promise<unknown> {
    const command = Object.hasOwn(this.#commands, method) ? this.#commands[method] : undefined;
    if (!command) throw new Refusal(REASONS[method] ?? `${method} is not allowed.`);
    return command(params);
  }

  /** The link has ended: nothing is reported until the next server requests it. */
  reset(): void {
    this.#isDiscovering = false;
  }

  reportGranted(grant: Grant): void {
    if (this.#isDiscovering)
      this.#options.sendEvent('Target.targetCreated', { targetInfo: this.#describe(grant) });
  }

  reportChanged(grant: Grant): void {
    if (this.#isDiscovering)
      this.#options.sendEvent('Target.targetInfoChanged', { targetInfo: this.#describe(grant) });
  }

  reportRevoked({ targetId }: Grant): void {
    if (this.#isDiscovering) this.#options.sendEvent('Target.targetDestroyed', { targetId });
  }

  readonly #commands: Readonly<Record<string, Command> & Record<LinkCommand, Command>> = {
    'Browser.getVersion': async () => ({
      protocolVersion: '1.3',
      product: /Chrome\/[\d.]+/.exec(navigator.userAgent)?.[0] ?? 'Chrome',
      revision: '',
      userAgent: navigator.userAgent,
      jsVersion: '',
    }),
    // The user's settings apply; the events come from Chrome's download list.
    'Browser.setDownloadBehavior': async () => ({}),
    'Browser.cancelDownload': async ({ guid }) => {
      await this.#options.downloads.cancel(String(guid));
      return {};
    },
    'Target.setDiscoverTargets': async ({ discover }) => {
      this.#isDiscovering = discover === true;
      for (const grant of this.#options.grants.all) this.reportGranted(grant);
      return {};
    },
    'Target.attachToTarget': async ({ targetId, flatten }) => {
      if (flatten !== true) throw new Refusal('Only flat sessions are supported.');
      const grant = this.#requireGrant(targetId);
      const isNew = !this.#options.debuggees.isAttached(grant.tabId);
      const sessionId = await this.#options.debuggees.attach(grant);
      const targetInfo = this.#describe(grant);
      if (isNew)
        this.#options.sendEvent('Target.attachedToTarget', {
          sessionId,
          targetInfo,
          waitingForDebugger: false,
        });
      return { sessionId };
    },
    'Target.closeTarget': async ({ targetId }) => {
      const grant = this.#requireGrant(targetId);
      if (!grant.isOpenedByAgent) throw new Refusal('Agents may only close tabs that they opened.');
      await this.#options.debuggees.close(grant.tabId);
      return { success: true };
    },
    'OpenChrome.openTab': async ({ agent }) => {
      if (this.#options.isStopped())
        throw new Refusal('The user has stopped all agents in the extension.');
      const { targetId } = await this.#options.grants.open(String(agent).slice(0, MAX_LABEL));
      return { targetId };
    },
    'OpenChrome.reportCall': async ({ targetId, action }) => {
      const grant = this.#requireGrant(targetId);
      this.#options.debuggees.markBusy(grant.tabId, action !== undefined);
      if (typeof action === 'string')
        this.#options.grants.update(grant, { lastAction: action.slice(0, MAX_LABEL) });
      return {};
    },
  };

  #requireGrant(targetId: unknown): Grant {
    const grant = this.#options.grants.findByTarget(targetId);
    if (!grant) throw new TargetGone();
    return grant;
  }

  #describe({ targetId, tabId, url, title, openerId }: Grant): Params {
    return {
      targetId,
      type: 'page',
      // The user may open a page of Chrome in a granted tab; its title stays invisible.
      url: isAllowedUrl(url) ? url : 'about:blank',
      title: isAllowedUrl(url) ? title : '',
      attached: this.#options.debuggees.isAttached(tabId),
      canAccessOpener: false,
      ...(openerId === undefined ? {} : { openerId }),
    };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  'Target.createTarget': 'Agents open tabs in their own tab group only.',
  'Target.createBrowserContext':
    'Sessions with their own storage are not available in the user’s Chrome.',
  'Storage.getCookies': "Agents may only use the cookies of the tab's own site.",
};
