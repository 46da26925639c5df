// The agents: their names and groups, the server that uses each, and which ones the user stopped.
import type { MembersReport } from '../src/browser/extension/link-commands.ts';

type GroupColor = `${chrome.tabGroups.Color}`;

export interface Agent {
  /** The title of its tab group. */
  readonly name: string;
  readonly color: GroupColor;
  /** The name that its server requested; servers that request the same name get different ones. */
  label: string;
  /** The server that uses it. */
  memberId: string;
  isStopped: boolean;
  groupId?: number;
}

const COLORS: readonly GroupColor[] = ['blue', 'purple', 'green', 'orange', 'cyan', 'pink', 'red'];

/** The servers of a lost link may take this time to come back before others get their agents. */
const RETURN_MS = 10_000;

export class Agents {
  readonly #byName = new Map<string, Agent>();
  readonly #hasTabs: (name: string) => boolean;
  /** The servers that share the link now. */
  #members: ReadonlySet<string> = new Set();
  /** The server that has the link: if the link is lost because it ended, it does not come back. */
  #host = '';
  /** The other servers of the link before it was lost. */
  #expected: ReadonlySet<string> = new Set();
  #lostAt = Date.now();

  /** `hasTabs`: whether tabs are granted to the agent. */
  constructor(hasTabs: (name: string) => boolean) {
    this.#hasTabs = hasTabs;
  }

  get all(): readonly Agent[] {
    return [...this.#byName.values()];
  }

  find(name: string): Agent | undefined {
    return this.#byName.get(name);
  }

  findByGroup(groupId: number): Agent | undefined {
    return this.all.find((agent) => agent.groupId === groupId);
  }

  /** The server that uses the agent now. */
  findMember(name: string): string | undefined {
    const memberId = this.find(name)?.memberId;
    return memberId !== undefined && this.#members.has(memberId) ? memberId : undefined;
  }

  /** Whether a server uses the agent now. */
  isConnected({ memberId }: Agent): boolean {
    return this.#members.has(memberId);
  }

  /** The agent of this server with this label: its own one, a free one, or a new one. */
  claim(memberId: string, label: string): Agent {
    const own = this.all.find((one) => one.memberId === memberId && one.label === label);
    return own ?? this.#take(memberId, label, 1);
  }

  #take(memberId: string, label: string, number: number): Agent {
    const name = number === 1 ? label : `${label} ${number}`;
    const known = this.find(name);
    if (known && !this.#isFree(known)) return this.#take(memberId, label, number + 1);
    const agent = known ?? this.require(name);
    Object.assign(agent, { memberId, label });
    this.save();
    return agent;
  }

  /** The agent with this name, which no server uses if it is new. */
  require(name: string): Agent {
    const known = this.find(name);
    if (known) return known;
    const agent: Agent = {
      name,
      color: this.#chooseColor(),
      label: name,
      memberId: '',
      isStopped: false,
    };
    this.#byName.set(name, agent);
    this.save();
    return agent;
  }

  #chooseColor(): GroupColor {
    const used = this.all.map(({ color }) => color);
    const free = COLORS.find((color) => !used.includes(color));
    return free ?? COLORS[used.length % COLORS.length] ?? 'blue';
  }

  /** A server that left while the link is up does not come back; after a lost link it may. */
  #isFree({ memberId }: Agent): boolean {
    if (this.#members.has(memberId)) return false;
    const mayReturn = this.#expected.has(memberId) && Date.now() - this.#lostAt < RETURN_MS;
    return !mayReturn;
  }

  setMembers({ members, host }: MembersReport): void {
    this.#members = new Set(members);
    this.#host = host;
    const isOver = ({ name, isStopped, memberId }: Agent): boolean =>
      !isStopped && !members.includes(memberId) && !this.#hasTabs(name);
    for (const agent of this.all) if (isOver(agent)) this.#byName.delete(agent.name);
    this.save();
  }

  loseLink(): void {
    this.#expected = new Set([...this.#members].filter((memberId) => memberId !== this.#host));
    this.#members = new Set();
    this.#lostAt = Date.now();
  }

  stop(name: string, isStopped: boolean): void {
    const agent = this.find(name);
    if (agent) agent.isStopped = isStopped;
    this.save();
  }

  /** Restores the agents after the service worker has restarted. */
  async load(): Promise<void> {
    const { agents = [] } = (await chrome.storage.session.get('agents')) as { agents?: Agent[] };
    for (const agent of agents) this.#byName.set(agent.name, agent);
    this.#expected = new Set(agents.map(({ memberId }) => memberId));
  }

  save(): void {
    void chrome.storage.session.set({ agents: this.all });
  }
}
