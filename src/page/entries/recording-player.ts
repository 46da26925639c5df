// Player in the HTML file of a recording: the page, the list of actions, and controls.
import { Replayer } from '@rrweb/replay';
import { textIf } from '../visible-text.ts';

interface PlayerEvent {
  readonly at: number;
  readonly kind: 'step' | 'console' | 'request';
  readonly text: string;
  readonly bad?: true;
}

const json = <T>(id: string): T =>
  JSON.parse(document.getElementById(id)?.textContent ?? 'null') as T;

const make = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  members: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const element = Object.assign(document.createElement(tag), members);
  element.append(...children);
  return element;
};

const facts = json<{ at: number; url: string; title: string }>('facts');
const timeline = json<PlayerEvent[]>('timeline');
const events = json<ConstructorParameters<typeof Replayer>[0]>('events');
const FULL_SNAPSHOT = 2;
const firstPicture = events.find((event) => (event as { type?: number }).type === FULL_SNAPSHOT) as
  | { timestamp: number }
  | undefined;
const playable = events.length >= 2 && firstPicture !== undefined;
const from = playable ? (events[0] as { timestamp: number }).timestamp : facts.at;

/** Time of the first full snapshot; the player shows nothing before it. */
const earliest = (firstPicture?.timestamp ?? from) - from + 1;

const lastEvent = events.at(-1) as { timestamp: number } | undefined;
/** Recordings under a minute show tenths of a second. */
const digits = (lastEvent?.timestamp ?? from) - from < 60_000 ? 1 : 0;

const clock = (ms: number): string => {
  const seconds = Math.max(0, ms / 1000);
  const rest = (seconds % 60).toFixed(digits).padStart(digits === 0 ? 2 : 4, '0');
  return `${Math.floor(seconds / 60)}:${rest}`;
};

const stage = make('main', { id: 'stage' });
const list = make('ol');
const nav = make('nav');
const button = make('button', { id: 'play', textContent: 'Play' });
const bar = make('input', { id: 'seek', type: 'range', min: '0', value: '0', step: '1' });
const ticks = make('div', { id: 'ticks' });
const previous = make('button', { id: 'previous', textContent: '‹', title: 'Previous step (←)' });
const next = make('button', { id: 'next', textContent: '›', title: 'Next step (→)' });
const speed = make(
  'select',
  { title: 'Speed' },
  ...[1, 2, 4, 8].map((x) => make('option', { value: String(x), textContent: `${x}x` })),
);
const shown = make('output');
document.body.append(
  make(
    'header',
    {},
    make('b', { textContent: new Date(facts.at).toLocaleString() }),
    make('span', { textContent: `${facts.title} ${facts.url}` }),
  ),
  stage,
  make('aside', {}, nav, list),
  make(
    'footer',
    {},
    previous,
    button,
    next,
    make('div', { id: 'track' }, ticks, bar),
    speed,
    shown,
  ),
);

const items = timeline.map((entry, index) => {
  const item = make(
    'li',
    { className: entry.bad ? `${entry.kind} bad` : entry.kind },
    make('time', { textContent: clock(entry.at - from) }),
    entry.text,
  );
  item.addEventListener('click', () => {
    seek(entry.at - from);
    select(index);
  });
  return item;
});
list.append(...items);
for (const [kind, label] of [
  ['step', 'Steps'],
  ['console', 'Console'],
  ['request', 'Network'],
] as const) {
  const box = make('input', { type: 'checkbox', checked: kind === 'step' });
  const apply = (): void => {
    for (const [index, item] of items.entries())
      if (timeline[index]?.kind === kind) item.hidden = !box.checked;
  };
  box.addEventListener('change', apply);
  apply();
  nav.append(
    make('label', {}, box, ` ${label} ${timeline.filter((entry) => entry.kind === kind).length}`),
  );
}

const frame = make('div', { id: 'player' });
stage.append(
  playable
    ? frame
    : make('p', {
        textContent: 'The document was not recorded; the list shows the steps.',
      }),
);
let replayer: Replayer | undefined;
let total = 0;
let playing = false;

/** Scales the page down to fit the stage, and centres it. */
const fit = (): void => {
  const inner = frame.querySelector('iframe');
  if (!inner) return;
  const width = Number(inner.getAttribute('width')) || inner.clientWidth;
  const height = Number(inner.getAttribute('height')) || inner.clientHeight;
  const scale = Math.min(stage.clientWidth / width, stage.clientHeight / height, 1);
  const left = (stage.clientWidth - width * scale) / 2;
  const top = (stage.clientHeight - height * scale) / 2;
  frame.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
};

const show = (): void => {
  const now = replayer?.getCurrentTime() ?? 0;
  if (playing) bar.value = String(now);
  shown.textContent = `${clock(Math.min(Number(bar.value), total))} / ${clock(total)}`;
  const until = Number(bar.value) >= Math.floor(total) ? Infinity : Number(bar.value) + 1;
  const last = timeline.findLastIndex(
    (entry, index) => !items[index]?.hidden && entry.at - from <= until,
  );
  select(last);
  if (playing) requestAnimationFrame(show);
};

/** Draws one mark per step on the bar; a failed step is red. */
const drawTicks = (): void => {
  const steps = timeline.filter(({ kind }) => kind === 'step');
  ticks.replaceChildren(
    ...steps.map(({ at, text, bad }) => {
      const tick = make('i', { title: text, className: textIf(bad, 'bad') });
      tick.style.left = `${(100 * Math.min(Math.max(at - from, 0), total)) / Math.max(total, 1)}%`;
      return tick;
    }),
  );
};

/** Index of the listed entry that the player is at; -1 before the first. */
let current = -1;

/** Seeks to the next or the previous entry of the list. */
const stepBy = (direction: 1 | -1): void => {
  let index = current + direction;
  while (items[index]?.hidden) index += direction;
  const entry = timeline[index];
  if (!entry) return;
  seek(entry.at - from);
  select(index);
};

/** Marks one entry of the list. Entries with the same time stay distinct. */
const select = (index: number): void => {
  if (index === current) return;
  items[current]?.classList.remove('now');
  current = index;
  items[index]?.classList.add('now');
  items[index]?.scrollIntoView({ block: 'nearest' });
};

const setPlaying = (now: boolean): void => {
  playing = now;
  button.textContent = now ? 'Pause' : 'Play';
  show();
};

const seek = (ms: number): void => {
  const to = Math.min(Math.max(earliest, ms), total);
  bar.value = String(to);
  replayer?.pause(to + 1); // +1 includes the events at exactly this time
  setPlaying(false);
};

const togglePlaying = (): void => {
  if (playing) return seek(replayer?.getCurrentTime() ?? 0);
  const at = Number(bar.value) >= total - 1 ? earliest : Number(bar.value);
  replayer?.play(at);
  setPlaying(true);
};

/** Keys of the page; a focused list or menu keeps its own keys. */
const KEYS: Readonly<Record<string, () => void>> = {
  ArrowRight: () => stepBy(1),
  ArrowLeft: () => stepBy(-1),
  n: () => stepBy(1),
  p: () => stepBy(-1),
  ' ': togglePlaying,
};
addEventListener('keydown', (event) => {
  const run = KEYS[event.key];
  if (!run || event.ctrlKey || event.metaKey || event.altKey || event.target === speed) return;
  if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
  event.preventDefault();
  run();
});

button.addEventListener('click', togglePlaying);
previous.addEventListener('click', () => stepBy(-1));
next.addEventListener('click', () => stepBy(1));
bar.addEventListener('input', () => seek(Number(bar.value)));
speed.addEventListener('change', () => replayer?.setConfig({ speed: Number(speed.value) }));
addEventListener('resize', fit);

/** Runs after the load event: creating the replay iframe earlier would delay that event. */
const begin = (): void => {
  if (playable) {
    replayer = new Replayer(events, {
      root: frame,
      skipInactive: true,
      mouseTail: false,
      showWarning: false,
      triggerFocus: false,
    });
    replayer.on('resize', fit);
    replayer.on('finish', () => {
      if (!playing) return; // the player also reports it after a jump to the end
      bar.value = String(total);
      setPlaying(false);
    });
    total = replayer.getMetaData().totalTime;
    bar.max = String(Math.ceil(total));
    drawTicks();
  }
  seek(0);
  fit();
  document.documentElement.dataset['ready'] = playable ? 'yes' : 'empty';
};

if (document.readyState === 'complete') begin();
else addEventListener('load', begin);
