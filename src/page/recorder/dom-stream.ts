// Records the DOM with rrweb: a full snapshot, then changes; secrets are masked in the page.
import { record } from '@rrweb/record';
import { isSecretField, MASK, send } from './send.ts';

const FLUSH_MS = 50;
/** Rules that a script adds to a style sheet emit no event, so they are polled. */
const RULES_MS = 1000;
const MAX_NEW_PICTURES = 20;

/** Events before a page is left; messages sent later may be lost. */
const LEAVING = ['beforeunload', 'pagehide', 'visibilitychange'];

let pending: unknown[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

export const flush = (): void => {
  clearTimeout(timer);
  timer = undefined;
  if (pending.length === 0) return;
  const events = pending;
  pending = [];
  send({ kind: 'dom', events });
};

const keep = (event: unknown): void => {
  pending.push(event);
  timer ??= setTimeout(flush, FLUSH_MS);
};

/** Every input type uses `mask`, which decides by the field. */
const EVERY_INPUT = {
  color: true,
  date: true,
  'datetime-local': true,
  email: true,
  month: true,
  number: true,
  range: true,
  search: true,
  tel: true,
  text: true,
  time: true,
  url: true,
  week: true,
  textarea: true,
  select: true,
  password: true,
  hidden: true,
};

const mask = (text: string, element?: Element | null): string => {
  const isSecret = !element || isSecretField(element);
  return isSecret && text !== '' ? MASK : text;
};

/** Number of CSS rules that are not part of the document's text. */
const countRules = (): number => {
  let count = 0;
  for (const { ownerNode, cssRules } of sheets())
    if (ownerNode === null || ownerNode.textContent === '') count += cssRules.length;
  return count;
};

function* sheets(): Generator<{ ownerNode: Node | null; cssRules: CSSRuleList }> {
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    if (sheet.ownerNode && sheet.ownerNode.nodeName !== 'STYLE') continue;
    try {
      yield { ownerNode: sheet.ownerNode, cssRules: sheet.cssRules };
    } catch {
      // cssRules throws for a sheet of another origin
    }
  }
}

/** Starts to record; returns a function that stops it. */
export const follow = (): (() => void) => {
  const stop = record({
    emit: keep,
    recordAfter: 'DOMContentLoaded',
    maskInputOptions: EVERY_INPUT,
    maskInputFn: mask,
    slimDOMOptions: { script: true, comment: true, headFavicon: true, headMetaVerification: true },
    inlineStylesheet: true,
    recordCanvas: false,
    collectFonts: false,
    sampling: { scroll: 100, media: 800 },
  });
  let rules = countRules();
  let pictures = 0;
  const watch = setInterval(() => {
    const now = countRules();
    if (now === rules || pictures >= MAX_NEW_PICTURES || document.readyState === 'loading') return;
    rules = now;
    pictures++;
    takePicture();
  }, RULES_MS);
  // A page that returns from the back/forward cache needs a new snapshot.
  const again = ({ persisted }: PageTransitionEvent): void => void (persisted && takePicture());
  addEventListener('pageshow', again);
  for (const name of LEAVING) addEventListener(name, flush);
  return () => {
    stop?.();
    clearInterval(watch);
    removeEventListener('pageshow', again);
    for (const name of LEAVING) removeEventListener(name, flush);
    flush();
  };
};

const takePicture = (): void => {
  try {
    record.takeFullSnapshot(true);
  } catch {
    // rrweb has not started yet, and will take a snapshot when it does
  }
};
