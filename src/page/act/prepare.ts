// Prepares an action: finds the target, waits until it is usable, and starts the watch.
import { compact, defined } from '../objects.ts';
import type { PrepareOptions, Problem, Purpose, Ready, Spec } from './act-answers.ts';
import { activeElement } from '../safe-dom.ts';
import { inputType } from '../roles.ts';
import { check, findMovingAnimations, findPressable } from './actionable.ts';
import { describe } from './describe-target.ts';
import { fieldKind, resolveField, isChecked, selectAll } from './form-fields.ts';
import { isAsShown, isProblem, locate } from './locate.ts';
import { change, frame } from './rhythm.ts';
import { beginWatch, guardPress } from './watch.ts';

/** Problems that waiting does not solve. */
const HOPELESS = new Set(['bad_selector', 'stale', 'not_editable']);
/** Problems that only a DOM change solves; the others are checked again at each frame. */
const CONTENT = new Set(['not_found', 'ambiguous']);
const RECHECK_MS = 250;

export const prepare = async (spec: Spec, options: PrepareOptions): Promise<Ready | Problem> => {
  const endsAt = performance.now() + options.patienceMs;
  if (!isAsShown(spec)) return { problem: 'stale' };
  for (;;) {
    const outcome = await attempt(spec, options);
    if (outcome.problem === undefined || HOPELESS.has(outcome.problem)) return outcome;
    const left = endsAt - performance.now();
    if (left <= 0) return outcome;
    await (CONTENT.has(outcome.problem) ? change(Math.min(left, RECHECK_MS)) : frame());
  }
};

const attempt = async (
  spec: Spec,
  { needs, purpose, still, select, within, reads }: PrepareOptions,
): Promise<Ready | Problem> => {
  const found = locate(spec, purpose);
  if (isProblem(found)) return found;
  const target = resolveTarget(found, purpose);
  const pressed = needs.pointer ? findPressable(target) : target;
  if (still && !(await keepsPlace(pressed)))
    return { problem: 'moving', element: describe(target) };
  const state = check(pressed, needs);
  if (state.problem !== undefined) return state;
  const watch = within ?? beginWatch(target, reads);
  if (needs.pointer) guardPress(watch, target);
  if (select !== undefined) putFocus(target, select);
  const checked = isChecked(target);
  return defined({
    watch,
    element: describe(target),
    point: state.point,
    field: fieldKind(target),
    scrolled: state.scrolled,
    checked,
    ...compact({ secret: inputType(target) === 'password' }),
  });
};

/** Resolves the match to its form field, unless any element is allowed. */
const resolveTarget = (found: Element, purpose: Purpose): Element => {
  if (purpose === 'any') return found;
  const field = resolveField(found);
  return purpose === 'file' && fieldKind(field) !== 'file' ? found : field;
};

/** Whether the element keeps its position for one frame, after its finite animations have ended. */
const keepsPlace = async (element: Element): Promise<boolean> => {
  const ending = findMovingAnimations(element).filter(
    ({ effect }) => effect?.getComputedTiming().endTime !== Infinity,
  );
  await Promise.all(ending.map(({ finished }) => finished.catch(() => {})));
  const before = element.getBoundingClientRect();
  await frame();
  const after = element.getBoundingClientRect();
  return (
    before.x === after.x &&
    before.y === after.y &&
    before.width === after.width &&
    before.height === after.height
  );
};

const putFocus = (target: Element, how: 'all' | 'end' | 'focus'): void => {
  if (how === 'all') return selectAll(target);
  const already = activeElement() === target;
  (target as HTMLElement).focus({ preventScroll: true });
  if (how === 'end' && !already) moveCaretToEnd(target);
};

/** Typed text is appended, as after a click at the end of the text. */
const moveCaretToEnd = (target: Element): void => {
  if (fieldKind(target) === 'editor') {
    const selection = getSelection();
    selection?.selectAllChildren(target);
    selection?.collapseToEnd();
    return;
  }
  const field = target as HTMLInputElement;
  try {
    field.setSelectionRange(field.value.length, field.value.length);
  } catch {
    // setSelectionRange throws for number, date and similar inputs, which have no caret.
  }
};
