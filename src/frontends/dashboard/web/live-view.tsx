// The live view: a picture of every tab, and one tab in full size that the user can take over.
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { TabView } from '../../../features/observe/tab-view.ts';
import { isReadonly, tabs, waiting } from './dashboard-state.ts';
import {
  aims,
  controls,
  frameRate,
  giveBack,
  type LiveFrame,
  liveError,
  takeOver,
  watchTab,
} from './live-socket.ts';
import { currentItem, openView, selectItem } from './navigation.ts';
import { createPageInput, FileRequest } from './page-input.tsx';
import { formatBytes, formatCounted, shortenUrl } from './text-format.ts';
import { Icon } from './view-icons.tsx';

const CARD_PIXELS = 480;
const FULL_PIXELS = 1_280;
const BLUR_PIXELS = 7;

/** Draws a picture. The server has painted over fields with secrets; their edges are softened. */
const drawFrame = (canvas: HTMLCanvasElement, { header, image }: LiveFrame): void => {
  const context = canvas.getContext('2d', { alpha: false });
  if (!context) return;
  if (canvas.width !== image.width) canvas.width = image.width;
  if (canvas.height !== image.height) canvas.height = image.height;
  context.drawImage(image, 0, 0);
  const scale = image.width / header.width;
  for (const { x, y, width, height } of header.secrets) {
    context.save();
    context.beginPath();
    context.rect(
      x * scale - 2 * BLUR_PIXELS,
      y * scale - 2 * BLUR_PIXELS,
      width * scale + 4 * BLUR_PIXELS,
      height * scale + 4 * BLUR_PIXELS,
    );
    context.clip();
    context.filter = `blur(${BLUR_PIXELS}px)`;
    context.drawImage(image, 0, 0);
    context.restore();
  }
};

interface PictureProps {
  readonly tab: TabView;
  readonly pixels: number;
  readonly onSize?: (size: { readonly width: number; readonly height: number }) => void;
}

const Picture = ({ tab, pixels, onSize }: PictureProps): VNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<{ width: number; height: number } | undefined>(undefined);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    let stop: (() => void) | undefined;
    const show = (frame: LiveFrame): void => {
      drawFrame(element, frame);
      const { width, height } = frame.header;
      if (size.value?.width === width && size.value.height === height) return;
      size.value = { width, height };
      onSize?.({ width, height });
    };
    // Only the tabs that the window shows are streamed.
    const observer = new IntersectionObserver(([entry]) => {
      stop?.();
      stop = entry?.isIntersecting ? watchTab(tab.tabId, pixels, show) : undefined;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      stop?.();
    };
  }, [tab.tabId, pixels]);
  const { width = 1280, height = 720 } = size.value ?? {};
  return (
    <div
      class="picture"
      style={{ aspectRatio: `${width} / ${height}`, '--ratio': String(width / height) }}
    >
      <canvas ref={canvas} role="img" aria-label={`Live picture of ${tab.title || tab.url}`} />
      {size.value === undefined && <span class="picture-note">{explainMissing(tab)}</span>}
      {size.value && <AimMark tabId={tab.tabId} width={width} height={height} />}
    </div>
  );
};

const isAsking = ({ tabId }: TabView): boolean =>
  waiting.value.some((row) => row.tabId === tabId && row.kind !== 'hung');

/** A page whose form waits for an approval, or that shows a dialog, sends no pictures. */
const explainMissing = (tab: TabView): string =>
  isAsking(tab) ? 'No picture while the page waits for your answer' : 'Waiting for a picture';

/** The outline of the element that an action works on, and the pointer. */
const AimMark = ({
  tabId,
  width,
  height,
}: {
  readonly tabId: string;
  readonly width: number;
  readonly height: number;
}): VNode | null => {
  const aim = aims.value[tabId];
  if (!aim) return null;
  const share = (part: number, whole: number): string => `${(part / whole) * 100}%`;
  const { area, point } = aim;
  return (
    <>
      {area && (
        <span
          class="aim"
          key={aim.at}
          style={{
            left: share(area.x, width),
            top: share(area.y, height),
            width: share(area.width, width),
            height: share(area.height, height),
          }}
        >
          <span class="aim-label">{aim.label}</span>
        </span>
      )}
      {point && (
        <svg
          class="aim-point"
          key={`point-${aim.at}`}
          viewBox="0 0 16 16"
          aria-hidden="true"
          style={{ left: share(point.x, width), top: share(point.y, height) }}
        >
          <path d="M2 1l11 6.500-5 1.300L5.500 14z" />
        </svg>
      )}
    </>
  );
};

const TabState = ({ tab }: { readonly tab: TabView }): VNode => {
  const control = controls.value[tab.tabId];
  const states: readonly (readonly [unknown, string, string])[] = [
    [
      control && control.state !== 'ended',
      'warn',
      control?.isMine ? 'You have control' : 'A user has control',
    ],
    [tab.crashed, 'bad', 'Crashed'],
    [tab.hungSince, 'bad', 'Hung'],
    [tab.dialog, 'warn', 'Dialog'],
    [isAsking(tab), 'warn', 'Waiting for you'],
    [tab.busy, 'busy', tab.busy ?? ''],
    [tab.loading, 'busy', 'Loading'],
  ];
  const [, tone = 'quiet', text = 'Idle'] = states.find(([isOn]) => Boolean(isOn)) ?? [];
  return <span class={`chip chip-${tone}`}>{text}</span>;
};

const TabCard = ({ tab }: { readonly tab: TabView }): VNode => (
  <li class="card">
    <a class="card-link" href={`#/live/${encodeURIComponent(tab.tabId)}`}>
      <Picture tab={tab} pixels={CARD_PIXELS} />
      <span class="card-text">
        <span class="card-title">{tab.title || 'Untitled'}</span>
        <TabState tab={tab} />
        <span class="card-url mono">{shortenUrl(tab.url)}</span>
      </span>
    </a>
  </li>
);

/** The session of a tab, and the client that works in it. */
const SessionNames = ({ tab: { session, host } }: { readonly tab: TabView }): VNode => (
  <span class="session-names">
    <span class="session-name">{session}</span>
    {host !== undefined && <span class="session-host">{host}</span>}
  </span>
);

const SessionTabs = ({ name }: { readonly name: string }): VNode => {
  const own = tabs.value.filter(({ session }) => session === name);
  const [first] = own;
  return (
    <section class="card-group">
      <h2 class="group-title">
        {first && <SessionNames tab={first} />}
        <span class="hint">{formatCounted(own.length, 'tab')}</span>
      </h2>
      <ul class="cards">
        {own.map((tab) => (
          <TabCard key={tab.tabId} tab={tab} />
        ))}
      </ul>
    </section>
  );
};

const FullTab = ({ tab }: { readonly tab: TabView }): VNode => {
  const control = controls.value[tab.tabId];
  const isMine = control?.isMine === true && control.state === 'active';
  const isWaiting = control?.isMine === true && control.state === 'pending';
  const stage = useRef<HTMLDivElement>(null);
  const keys = useRef<HTMLTextAreaElement>(null);
  const size = useRef({ width: 1280, height: 720 });
  // An effect after the paint would lose a click that follows the answer at once.
  useLayoutEffect(() => {
    if (!isMine || !stage.current || !keys.current) return undefined;
    keys.current.focus();
    return createPageInput(tab.tabId, stage.current, keys.current, () => size.current);
  }, [tab.tabId, isMine]);
  return (
    <section class="full" aria-label={`Tab ${tab.title || tab.url}`}>
      <header class="full-head">
        <button
          class="button-icon"
          type="button"
          aria-label="Back to all tabs"
          onClick={() => openView('live')}
        >
          <Icon name="back" />
        </button>
        <div class="full-names">
          <h2>{tab.title || 'Untitled'}</h2>
          <span class="mono full-url">{tab.url}</span>
          <SessionNames tab={tab} />
        </div>
        <TabState tab={tab} />
        <ControlButton tab={tab} isMine={isMine} isWaiting={isWaiting} />
      </header>
      {liveError.value !== '' && (
        <p class="notice notice-bad" role="alert">
          {liveError.value}
        </p>
      )}
      {isWaiting && (
        <p class="notice" role="status">
          Waiting until the current action has ended.
        </p>
      )}
      {control?.isMine && control.state === 'ended' && control.why !== 'given_back' && (
        <p class="notice notice-warn" role="status">
          {END_REASONS[control.why ?? ''] ?? 'The take-over has ended.'}
        </p>
      )}
      {control?.chooser && isMine && (
        <FileRequest tabId={tab.tabId} multiple={control.chooser.multiple} />
      )}
      <div class={isMine ? 'stage stage-mine' : 'stage'} ref={stage}>
        <Picture tab={tab} pixels={FULL_PIXELS} onSize={(shown) => (size.current = shown)} />
        {isMine && (
          <textarea
            class="stage-keys"
            ref={keys}
            data-captures-keys
            aria-label="Keys for the page"
            autocomplete="off"
            spellcheck={false}
          />
        )}
      </div>
      <p class="hint full-foot">
        {isMine
          ? 'Your pointer, keys, paste and files go to the page, and agents wait. Shift+Escape gives it back.'
          : `${frameRate.value.frames} pictures/s, ${formatBytes(frameRate.value.bytes)}/s`}
      </p>
    </section>
  );
};

const END_REASONS: Readonly<Record<string, string>> = {
  idle: 'The take-over ended after two minutes without input.',
  disconnected: 'The take-over ended because the connection was lost.',
  tab_closed: 'The tab was closed.',
};

const ControlButton = ({
  tab,
  isMine,
  isWaiting,
}: {
  readonly tab: TabView;
  readonly isMine: boolean;
  readonly isWaiting: boolean;
}): VNode | null => {
  if (isReadonly.value) return null;
  if (isMine || isWaiting)
    return (
      <button class="button button-main" type="button" onClick={() => giveBack(tab.tabId)}>
        Give back
      </button>
    );
  return (
    <button class="button button-main" type="button" onClick={() => takeOver(tab.tabId)}>
      <Icon name="hand" /> Take over
    </button>
  );
};

export const LiveView = (): VNode => {
  const opened = tabs.value.find(({ tabId }) => tabId === currentItem.value);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      const isTaken = event.target instanceof HTMLElement && event.target.dataset['capturesKeys'];
      if (event.key === 'Escape' && isTaken === undefined) selectItem(undefined);
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  if (opened) return <FullTab key={opened.tabId} tab={opened} />;
  if (tabs.value.length === 0)
    return (
      <div class="empty">
        <p>
          No tabs are open. They appear here, live, as soon as an agent or a command opens a page.
        </p>
      </div>
    );
  const sessions = [...new Set(tabs.value.map(({ session }) => session))];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="All tabs">
      {sessions.map((session) => (
        <SessionTabs key={session} name={session} />
      ))}
    </div>
  );
};
