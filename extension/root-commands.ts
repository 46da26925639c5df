// Emulates the commands of CDP's root session, which Chrome's debugger does not offer to extensions.
import {
  DEFAULT_AGENT,
  type GrantEnd,
  type LinkCommand,
} from '../src/browser/extension/link-commands.ts';
import { defined } from '../src/core/defined.ts';
import type { Agents } from './agents.ts';
import type { Debuggees, SendEvent } from './debuggees.ts';
import type { DownloadReports } from './download-reports.ts';
import type { Grant, Grants } from './grants.ts';
import { type Params, Refusal, TargetGone } from './guard.ts';
import { isAllowedUrl } from './page-address.ts';

interface RootOptions {
  readonly agents: Agents;
  readonly grants: Grants;
  readonly debuggees: Debuggees;
  readonly downloads: DownloadReports;
  readonly sendEvent: SendEvent;
}

type Command = (params: Params) => Promise<unknown>;

const MAX_LABEL = 60;

/** The commands of one server, which sees only the tabs of its own agents. */
export class RootCommands {
  readonly #options: RootOptions;
  readonly #memberId: string;
  #isDiscovering = false;

  constructor(memberId: string, options: RootOptions) {
    this.#memberId = memberId;
    this.#options = options;
    options.agents.claim(memberId, DEFAULT_AGENT);
  }

  /** Throws a Refusal for all other commands. */
  async run(method: string, params: Params): Promise<unknown> {
    const command = Object.hasOwn(this.#commands, method) ? this.#commands[method] : undefined;
    if (!command) throw new Refusal(REASONS[method] ?? `${method} is not allowed.`);
    return command(params);
  }

  reportGranted(grant: Grant): void {
    this.#report('Target.targetCreated', { targetInfo: this.#describe(grant) });
  }

  reportChanged(grant: Grant): void {
    this.#report('Target.targetInfoChanged', { targetInfo: this.#describe(grant) });
  }

  /** `reason`: undefined if the tab was closed. */
  reportRevoked({ targetId }: Grant, reason?: GrantEnd): void {
    if (reason !== undefined) this.#report('OpenChrome.grantEnded', { targetId, reason });
    this.#report('Target.targetDestroyed', { targetId });
  }

  #report(method: string, params: Params): void {
    if (this.#isDiscovering) this.#options.sendEvent(this.#memberId, method, params);
  }

  /** The tabs of the agents of this server. */
  get #grants(): readonly Grant[] {
    const { grants, agents } = this.#options;
    return grants.all.filter(({ agent }) => agents.findMember(agent) === this.#memberId);
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
      for (const grant of this.#grants) this.reportGranted(grant);
      return {};
    },
    'Target.attachToTarget': async ({ targetId, flatten }) => {
      if (flatten !== true) throw new Refusal('Only flat sessions are supported.');
      const grant = this.#requireGrant(targetId);
      const isNew = !this.#options.debuggees.isAttached(grant.tabId);
      const sessionId = await this.#options.debuggees.attach(grant, this.#memberId);
      const targetInfo = this.#describe(grant);
      if (isNew)
        this.#options.sendEvent(this.#memberId, 'Target.attachedToTarget', {
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
    'OpenChrome.openTab': async ({ agent: label }) => {
      const { agents, grants } = this.#options;
      const { name } = agents.claim(this.#memberId, String(label).slice(0, MAX_LABEL));
      const { targetId } = await grants.open(name);
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
    const grant = this.#grants.find((one) => one.targetId === targetId);
    if (!grant) throw new TargetGone();
    return grant;
  }

  #describe({ targetId, tabId, url, title, openerId }: Grant): Params {
    return defined({
      targetId,
      type: 'page',
      // The user may open a page of Chrome in a granted tab; its title stays invisible.
      url: isAllowedUrl(url) ? url : 'about:blank',
      title: isAllowedUrl(url) ? title : '',
      attached: this.#options.debuggees.isAttached(tabId),
      canAccessOpener: false,
      openerId,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  'Target.createTarget': 'Agents open tabs in their own tab group only.',
  'Target.createBrowserContext':
    'Sessions with their own storage are not available in the user’s Chrome.',
  'Storage.getCookies': "Agents may only use the cookies of the tab's own site.",
};
