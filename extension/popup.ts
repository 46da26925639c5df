// The popup: which agent works in which tab, its last action, and buttons to grant and to stop.
import { create, element } from './page-elements.ts';
import { isAllowedUrl } from './page-address.ts';
import {
  type ExtensionState,
  type GrantedTab,
  type PageRequest,
  request,
} from './page-messages.ts';

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

const describeWork = ({ agent, lastAction, isAttached }: GrantedTab): string => {
  const parts = [agent, lastAction ?? 'no action yet', isAttached ? 'in use' : 'idle'];
  return parts.join(' · ');
};

const renderTab = (tab: GrantedTab): HTMLElement => {
  const item = document.createElement('li');
  const color = create('span', 'color');
  color.style.background = COLORS[tab.color] ?? '';
  const stop = create('button', '', 'Stop');
  stop.setAttribute('aria-label', `Stop ${tab.agent} in ${tab.title}`);
  stop.addEventListener('click', () => void perform({ kind: 'revoke', tabId: tab.tabId }));
  const title = create('span', 'title', tab.title || tab.url);
  item.append(color, title, create('span', 'work', describeWork(tab)), stop);
  return item;
};

let shown = '';

const render = async (state: ExtensionState): Promise<void> => {
  const [current] = await chrome.tabs.query({ active: true, currentWindow: true });
  const isGranted = state.tabs.some(({ tabId }) => tabId === current?.id);
  const facts = JSON.stringify([state, isGranted, current?.url]);
  if (facts === shown) return; // keeps the keyboard focus
  shown = facts;
  element('status').textContent = describeStatus(state);
  element('tabs').replaceChildren(...state.tabs.map(renderTab));
  element('empty').hidden = state.tabs.length > 0;
  const isAllowed = isAllowedUrl(current?.url);
  element('grant').hidden = isGranted || state.isStopped || state.port === undefined;
  element('refused').hidden = isAllowed;
  element<HTMLButtonElement>('grant')
    .querySelector('button')
    ?.toggleAttribute('disabled', !isAllowed);
  element('agent').replaceChildren(...state.agents.map((agent) => new Option(agent)));
  element('stop').hidden = state.isStopped;
  element('resume').hidden = !state.isStopped;
};

const perform = async (message: PageRequest): Promise<void> => {
  const { state, error } = await request(message);
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
