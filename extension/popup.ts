// The popup: which agent works in which tab, its last action, and buttons to grant and to stop.
import { create, createButton, element, sendRequest } from './page-elements.ts';
import { isAllowedUrl } from './page-address.ts';
import type { AgentState, ExtensionState, GrantedTab, PageRequest } from './page-messages.ts';

const REFRESH_MS = 500;

/** Chrome's colours of tab groups. */
const COLORS: Readonly<Record<string, string>> = {
  blue: '#1a73e8',
  purple: '#9334e6',
  green: '#188038',
  orange: '#e8710a',
  cyan: '#007b83',
  pink: '#d01884',
  red: '#d93025',
};

const describeStatus = ({ port, isLinked, isStopped }: ExtensionState): string => {
  if (port === undefined) return 'Not paired';
  if (isStopped) return 'Stopped';
  return isLinked ? 'Connected' : 'No server is running';
};

const describeAgent = ({ isStopped, isConnected }: AgentState, tabCount: number): string => {
  if (isStopped) return 'stopped';
  if (!isConnected) return 'its server is not running';
  return tabCount === 0 ? 'no tab' : '';
};

const describeWork = ({ lastAction = 'no action yet', isAttached, problem }: GrantedTab): string =>
  problem ?? `${lastAction} · ${isAttached ? 'in use' : 'idle'}`;

const renderTab = ({ agent }: { readonly agent: AgentState }, tab: GrantedTab): HTMLElement => {
  const item = create('li', tab.problem === undefined ? 'tab' : 'tab blocked');
  const title = create('span', 'title', tab.title || tab.url);
  title.title = tab.url;
  const end = createButton('Revoke', `Revoke the access of ${agent.name} to ${tab.title}`, () =>
    perform({ kind: 'revoke', tabId: tab.tabId }),
  );
  item.append(title, create('span', 'work', describeWork(tab)), end);
  return item;
};

const renderAgent = (agent: AgentState, tabs: readonly GrantedTab[]): HTMLElement => {
  const section = create('section', 'agent');
  section.setAttribute('aria-label', agent.name);
  section.style.borderLeftColor = COLORS[agent.color] ?? '';
  const heading = create('header', '');
  const { name } = agent;
  const button = agent.isStopped
    ? createButton('Resume', `Let ${name} work again`, () =>
        perform({ kind: 'resume', agent: name }),
      )
    : createButton('Stop', `Stop ${name}`, () => perform({ kind: 'stop', agent: name }));
  const state = create('span', 'quiet', describeAgent(agent, tabs.length));
  heading.append(create('h2', '', name), state, button);
  const list = create('ul', '');
  list.append(...tabs.map((tab) => renderTab({ agent }, tab)));
  section.append(heading, list);
  return section;
};

const listSections = ({ agents, tabs }: ExtensionState): readonly HTMLElement[] =>
  agents
    .map((agent) => ({ agent, own: tabs.filter((tab) => tab.agent === agent.name) }))
    .filter(({ agent, own }) => own.length > 0 || agent.isStopped || agent.isConnected)
    .map(({ agent, own }) => renderAgent(agent, own));

let shown = '';

const render = async (state: ExtensionState): Promise<void> => {
  const [current] = await chrome.tabs.query({ active: true, currentWindow: true });
  const isGranted = state.tabs.some(({ tabId }) => tabId === current?.id);
  const facts = JSON.stringify([state, isGranted, current?.url]);
  if (facts === shown) return; // keeps the keyboard focus
  shown = facts;
  element('status').textContent = describeStatus(state);
  const sections = listSections(state);
  element('agents').replaceChildren(...sections);
  element('empty').hidden = sections.length > 0;
  renderGrant(state, { isGranted, url: current?.url });
  element('stop').hidden = state.isStopped;
  element('resume').hidden = !state.isStopped;
};

interface CurrentTab {
  readonly isGranted: boolean;
  readonly url: string | undefined;
}

/** The form that grants the tab that the user sees. */
const renderGrant = (state: ExtensionState, { isGranted, url }: CurrentTab): void => {
  const isAllowed = isAllowedUrl(url);
  element('grant').hidden = isGranted || state.isStopped || state.port === undefined;
  element('refused').hidden = isAllowed;
  element<HTMLButtonElement>('grant-button').disabled = !isAllowed;
  const select = element<HTMLSelectElement>('agent');
  const chosen = select.value;
  const names = state.agents.filter((agent) => !agent.isStopped).map(({ name }) => name);
  select.replaceChildren(...names.map((name) => new Option(name)));
  if (names.includes(chosen)) select.value = chosen;
};

const perform = async (message: PageRequest): Promise<void> => {
  const { state, error } = await sendRequest(message);
  if (message.kind !== 'state') element('error').textContent = error ?? '';
  await render(state);
};

element('grant').addEventListener('submit', (event) => {
  event.preventDefault();
  void chrome.tabs.query({ active: true, currentWindow: true }).then(([current]) => {
    const agent = element<HTMLSelectElement>('agent').value;
    return current?.id === undefined
      ? undefined
      : perform({ kind: 'grant', tabId: current.id, agent });
  });
});
element('stop').addEventListener('click', () => void perform({ kind: 'stop' }));
element('resume').addEventListener('click', () => void perform({ kind: 'resume' }));
setInterval(() => void perform({ kind: 'state' }), REFRESH_MS);
void perform({ kind: 'state' });
