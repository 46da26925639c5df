// Sends the user's pointer, wheel, keys, text, paste and files to a page that was taken over.
import type { VNode } from 'preact';
import { giveBack, sendFiles, sendInput } from './live-socket.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const BUTTONS = ['left', 'middle', 'right'] as const;
/** Moves between two of these times are sent as one. */
const MOVE_MS = 30;

const readModifiers = (event: MouseEvent | KeyboardEvent): number =>
  Number(event.altKey) +
  2 * Number(event.ctrlKey) +
  4 * Number(event.metaKey) +
  8 * Number(event.shiftKey);

/** Listens until the returned function is called. `readSize`: the size of the page's viewport. */
export const createPageInput = (
  tabId: string,
  stage: HTMLElement,
  keys: HTMLTextAreaElement,
  readSize: () => Size,
): (() => void) => {
  const end = new AbortController();
  const { signal } = end;
  const toPage = (event: MouseEvent): { x: number; y: number } => {
    const box = (stage.querySelector('canvas') ?? stage).getBoundingClientRect();
    const { width, height } = readSize();
    const x = ((event.clientX - box.left) / box.width) * width;
    const y = ((event.clientY - box.top) / box.height) * height;
    return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
  };
  let movedAt = 0;
  const sendPointer = (event: PointerEvent, kind: 'move' | 'down' | 'up'): void => {
    const button = BUTTONS[event.button];
    sendInput(tabId, {
      type: 'pointer',
      event: kind,
      ...toPage(event),
      ...(kind !== 'move' && button && { button }),
      buttons: event.buttons,
      ...(kind !== 'move' && { clickCount: Math.max(1, event.detail) }),
      modifiers: readModifiers(event),
    });
  };
  stage.addEventListener(
    'pointermove',
    (event) => {
      if (event.timeStamp - movedAt < MOVE_MS) return;
      movedAt = event.timeStamp;
      sendPointer(event, 'move');
    },
    { signal },
  );
  let clicks = { at: 0, count: 0 };
  const countClicks = (event: PointerEvent): number => {
    const isRepeated = event.timeStamp - clicks.at < 400;
    clicks = { at: event.timeStamp, count: isRepeated ? clicks.count + 1 : 1 };
    return clicks.count;
  };
  stage.addEventListener(
    'pointerdown',
    (event) => {
      event.preventDefault();
      keys.focus();
      const clickCount = countClicks(event);
      const button = BUTTONS[event.button] ?? 'left';
      sendInput(tabId, {
        type: 'pointer',
        event: 'down',
        ...toPage(event),
        button,
        buttons: event.buttons,
        clickCount,
        modifiers: readModifiers(event),
      });
    },
    { signal },
  );
  stage.addEventListener('pointerup', (event) => sendPointer(event, 'up'), { signal });
  stage.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const { deltaX, deltaY } = event;
      const modifiers = readModifiers(event);
      sendInput(tabId, { type: 'wheel', ...toPage(event), deltaX, deltaY, modifiers });
    },
    { signal, passive: false },
  );
  const onKey = (event: KeyboardEvent): void => {
    const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
    if (event.isComposing || isPaste) return;
    event.preventDefault();
    event.stopPropagation();
    // All other keys go to the page: without this one, a keyboard could not leave it.
    if (event.key === 'Escape' && event.shiftKey) return giveBack(tabId);
    sendInput(tabId, {
      type: 'key',
      event: event.type === 'keydown' ? 'down' : 'up',
      key: event.key,
      code: event.code,
      modifiers: readModifiers(event),
      repeat: event.repeat,
    });
  };
  keys.addEventListener('keydown', onKey, { signal });
  keys.addEventListener('keyup', onKey, { signal });
  keys.addEventListener(
    'paste',
    (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text !== '') sendInput(tabId, { type: 'paste', text });
    },
    { signal },
  );
  // Text of an input method or of a keyboard on the screen.
  keys.addEventListener(
    'input',
    (event) => {
      if (event instanceof InputEvent && event.isComposing) return;
      if (keys.value !== '') sendInput(tabId, { type: 'text', text: keys.value });
      keys.value = '';
    },
    { signal },
  );
  keys.addEventListener(
    'compositionend',
    () => {
      if (keys.value !== '') sendInput(tabId, { type: 'text', text: keys.value });
      keys.value = '';
    },
    { signal },
  );
  return () => end.abort();
};

/** The page has opened a file chooser: the user chooses files of this computer. */
export const FileRequest = ({
  tabId,
  multiple,
}: {
  readonly tabId: string;
  readonly multiple: boolean;
}): VNode => (
  <p class="notice notice-warn file-request" role="alert">
    <label>
      The page asks for {multiple ? 'files' : 'a file'}:{' '}
      <input
        type="file"
        multiple={multiple}
        onChange={({ currentTarget }) => void sendFiles(tabId, [...(currentTarget.files ?? [])])}
      />
    </label>
    <button class="button" type="button" onClick={() => void sendFiles(tabId, [])}>
      Choose none
    </button>
  </p>
);
