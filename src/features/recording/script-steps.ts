// Merges recorded steps that describe the same user action into one step. Pure.
import { type ByKind, callByKind } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';
import type { RecordedStep } from './kept-lines.ts';

/** A checkbox changes within this time after the click or key press. */
const PRESS_TO_CHANGE_MS = 1000;

export const buildScriptSteps = (seen: readonly RecordedStep[]): RecordedStep[] => {
  const out: RecordedStep[] = [];
  for (const step of seen) {
    const last = out.at(-1);
    if (last && isRepeated(last, step)) out.pop();
    else if (step.kind === 'check' && last && isBoxPress(last, step)) {
      // the label was clicked: keep that click, because the checkbox itself may be invisible
      if (last.kind === 'click' && !sameTarget(last, step)) continue;
      out.pop();
    }
    if (step.kind === 'click' && last && isForwarded(last, step)) continue;
    if (step.kind === 'arrived' && last && isThere(last, step.url)) continue;
    out.push(step);
  }
  return out;
};

/** Whether the later step replaces the earlier one of the same kind. */
const REPLACES: Readonly<
  Partial<Record<RecordedStep['kind'], (earlier: PlacedStep, later: PlacedStep) => boolean>>
> = {
  scroll: () => true,
  arrived: () => true,
  fill: (earlier, later) => sameTarget(earlier, later),
  hover: (earlier, later) => sameTarget(earlier, later),
  click: (earlier, later) =>
    countClicks(later) > countClicks(earlier) && sameTarget(earlier, later),
};

const countClicks = (step: RecordedStep & { readonly count?: number }): number => {
  const { count = 1 } = step;
  return count;
};

const isRepeated = (earlier: RecordedStep, later: RecordedStep): boolean =>
  later.kind === earlier.kind && REPLACES[later.kind]?.(earlier, later) === true;

const isBoxPress = (press: RecordedStep, change: RecordedStep): boolean => {
  if (change.at - press.at > PRESS_TO_CHANGE_MS) return false;
  return press.kind === 'click' || (press.kind === 'press' && press.key === ' ');
};

/** The browser also sends a click on a label to the field of the label. */
const isForwarded = (label: RecordedStep, step: RecordedStep): boolean =>
  label.kind === 'click' &&
  step.kind === 'click' &&
  label.target.tag === 'label' &&
  ['input', 'select', 'textarea', 'button'].includes(step.target.tag) &&
  step.at - label.at < PRESS_TO_CHANGE_MS / 5;

/** Steps of kinds without these fields do not have them. */
interface StepPlace {
  readonly target?: { readonly css: readonly string[] };
  readonly frame?: { readonly url: string };
  readonly url?: string;
}

type PlacedStep = RecordedStep & StepPlace;

const sameTarget = (one: PlacedStep, other: PlacedStep): boolean =>
  one.target !== undefined &&
  other.target !== undefined &&
  buildTargetKey(one) === buildTargetKey(other);

const buildTargetKey = ({ target, frame }: PlacedStep): string =>
  JSON.stringify([target?.css, frame?.url]);

const isThere = (before: PlacedStep, url: string): boolean =>
  before.kind !== 'popup' && before.url === url;

/** Describes a step in one line. */
export const describeStep = (step: RecordedStep): string => callByKind(DESCRIPTIONS, step);

const describeMove = ({ kind, url }: { kind: string; url: string }): string => `${kind}: ${url}`;

const DESCRIPTIONS: ByKind<RecordedStep, [], string> = {
  goto: ({ url }) => `open ${url}`,
  back: describeMove,
  forward: describeMove,
  reload: describeMove,
  arrived: ({ url }) => `at ${url}`,
  popup: ({ url }) => `a new tab was opened: ${url}`,
  dialog: (step) => describeDialog(step),
  press: (step) => describePress(step),
  scroll: ({ x, y }) => `scroll to ${x},${y}`,
  fill: (step) => `fill ${formatTarget(step)} with ${step.secret ? 'a secret' : quote(step.value)}`,
  select: (step) => `select ${step.values.map(quote).join(', ')} in ${formatTarget(step)}`,
  check: (step) => `${step.checked ? 'check' : 'uncheck'} ${formatTarget(step)}`,
  upload: (step) => `upload ${step.files.map(quote).join(', ')} to ${formatTarget(step)}`,
  drag: (step) => `drag ${formatTarget(step)} to ${formatTarget({ target: step.to })}`,
  click: (step) => `${describeClick(step)} ${formatTarget(step)}`,
  hover: (step) => `hover ${formatTarget(step)}`,
};

type StepOfKind<K extends RecordedStep['kind']> = Extract<RecordedStep, { kind: K }>;

const describeDialog = ({ accepted, type, message, text = '' }: StepOfKind<'dialog'>): string => {
  const answer = textIf(text, ` with ${quote(text)}`);
  return `${accepted ? 'accept' : 'dismiss'} ${type} ${quote(message)}${answer}`;
};

const describePress = ({ modifiers = [], key, target }: StepOfKind<'press'>): string => {
  const keys = [...modifiers, key].join('+');
  return `press ${keys}${textIf(target, ` in ${formatTarget(defined({ target }))}`)}`;
};

const describeClick = ({ button, count = 1 }: StepOfKind<'click'>): string =>
  CLICKS[button ?? count] ?? 'click';

const CLICKS: Readonly<Record<string | number, string>> = {
  right: 'right-click',
  middle: 'middle-click',
  2: 'double-click',
  3: 'triple-click',
};

const MAX_SHOWN_CHARS = 80;

const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS - 1)}…` : text);

const formatTarget = ({
  target,
}: {
  readonly target?: {
    role?: string;
    name?: string;
    testId?: { value: string };
    css: readonly string[];
    tag: string;
  };
}): string => {
  if (!target) return 'the page';
  if (target.role && target.name) return `${target.role} ${quote(target.name)}`;
  return target.testId
    ? `${target.tag} ${quote(target.testId.value)}`
    : (target.css.at(-1) ?? target.tag);
};
