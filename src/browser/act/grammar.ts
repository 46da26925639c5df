// Parses plain steps ("click Sign in; type ada in Username; press Enter") into actions. Pure.
// script = step { (";" | line break | "then" | "and then") step }
// step = ("click" | "tap") ["on"] target
// | ("double-click" | "right-click" | "focus") ["on"] target | "hover" ["over" | "on"] target
// | ("clear" | "check" | "tick" | "uncheck" | "untick") target
// | "type" text [("in" | "into") target]; without a target: into the focused element
// | "fill" ["in"] target "with" text | "set" target "to" text
// | "select" text ("in" | "from") target | "press" keys [("in" | "on") target]
// | "scroll" ("up" | "down" | "left" | "right" | "top" | "bottom") [pixels] ["in" target]
// | "scroll" "to" target | "scroll" "until" text ["in" target]
// | "drag" target ("to" | "onto") target | "upload" path ("to" | "into") target
// | "wait" ["for"] text | "wait" "until" text "is gone"
// target = ref ("e12") | "css=" selector | words or "quoted words", matched like `query`
// text, path = "quoted" or 'quoted' (\ escapes), or plain words up to the keyword
// Keywords are case-insensitive. A quoted keyword is text. The last possible keyword splits a step.
import { compact, defined, valueIf, ifDefined } from '../../core/defined.ts';
import { findClosest } from '../../core/closest.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { getOwn } from '../../core/json.ts';
import { textIf } from '../../core/text.ts';
import type { ActionTarget } from './elements.ts';

const QUOTES = new Set<string>(['"', "'"]);
const STEP_SEPARATORS = new Set<string>([';', '\n']);
const CLICK_PREFIXES = new Set<string>(['double', 'right']);

export type StepAction =
  | 'click'
  | 'double_click'
  | 'right_click'
  | 'hover'
  | 'focus'
  | 'type'
  | 'fill'
  | 'select'
  | 'check'
  | 'uncheck'
  | 'press'
  | 'scroll'
  | 'drag'
  | 'upload'
  | 'clear'
  | 'wait';

export interface ActStep {
  /** The step as the caller wrote it. */
  readonly text: string;
  readonly action: StepAction;
  readonly target?: ActionTarget;
  readonly value?: string;
  /** The drop target of a drag. */
  readonly to?: ActionTarget;
  /** Wait until the text is gone. */
  readonly gone?: true;
}

/** A token of a step. A quoted token is never a keyword. */
interface ScriptToken {
  readonly text: string;
  readonly quoted: boolean;
}

const MAX_STEPS = 50;

export const parseScript = (instruction: string): ActStep[] => {
  const steps = splitSteps(instruction);
  if (steps.length === 0) throw invalidStepFailure('', 'it is empty');
  if (steps.length > MAX_STEPS)
    throw fail('invalid_argument', `At most ${MAX_STEPS} steps in one call.`, {
      argument: 'instruction',
    });
  return steps.map(parseStep);
};

/** A quote opens only at the start of a word, so that an apostrophe is part of its word. */
const TOKEN =
  /"(?:[^"\\]|\\.)*"|(?<![\p{L}\p{N}])'(?:[^'\\\n]|\\.)*'(?![\p{L}\p{N}])|\u201C[^\u201D]*\u201D|[;\n]|[^\s;]+?(?=[\s;]|$)/gsu;

const tokenise = (text: string): ScriptToken[] =>
  [...text.matchAll(TOKEN)].map(([token]) => {
    const quote = token.charAt(0);
    if (token.length >= 2 && QUOTES.has(quote) && token.endsWith(quote))
      return { text: unescapeText(token.slice(1, -1)), quoted: true };
    if (quote === '“') return { text: token.slice(1, -1), quoted: true };
    return { text: token, quoted: false };
  });

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
const unescapeText = (text: string): string =>
  text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

const isWord = (piece: ScriptToken | undefined, ...words: string[]): boolean =>
  piece !== undefined && !piece.quoted && words.includes(piece.text.toLowerCase());

const splitSteps = (instruction: string): ScriptToken[][] => {
  const steps: ScriptToken[][] = [[]];
  for (const piece of tokenise(instruction)) {
    const current = steps.at(-1) as ScriptToken[];
    const verbNext = isWord(piece, 'then');
    if (!piece.quoted && STEP_SEPARATORS.has(piece.text)) steps.push([]);
    else if (verbNext) {
      // "and then" and ", then" separate steps too.
      if (isWord(current.at(-1), 'and')) current.pop();
      trimComma(current);
      steps.push([]);
    } else current.push(piece);
  }
  for (const step of steps) trimComma(step);
  return steps.filter((step) => step.length > 0);
};

/** Removes a comma or full stop at the end of a step. In quotes it is kept. */
const trimComma = (step: ScriptToken[]): void => {
  const last = step.at(-1);
  if (!last || last.quoted || !/^.+[,.]$/.test(last.text) || /[./]/.test(last.text.slice(0, -1)))
    return;
  step[step.length - 1] = { text: last.text.slice(0, -1), quoted: false };
};

const VERBS: Readonly<
  Record<string, (rest: ScriptToken[], text: string) => Omit<ActStep, 'text'>>
> = {
  click: (rest) => onTarget('click', skip(rest, 'on')),
  tap: (rest) => onTarget('click', skip(rest, 'on')),
  'double-click': (rest) => onTarget('double_click', skip(rest, 'on')),
  'right-click': (rest) => onTarget('right_click', skip(rest, 'on')),
  hover: (rest) => onTarget('hover', skip(rest, 'over', 'on')),
  focus: (rest) => onTarget('focus', skip(rest, 'on')),
  clear: (rest) => onTarget('clear', rest),
  check: (rest) => onTarget('check', rest),
  tick: (rest) => onTarget('check', rest),
  uncheck: (rest) => onTarget('uncheck', rest),
  untick: (rest) => onTarget('uncheck', rest),
  type: (rest, text) => {
    const [value, target] = splitLast(rest, 'into', 'in');
    return defined({
      action: 'type',
      value: requireText(value, text),
      target: ifDefined(target, (target) => parseTarget(target, text)),
    });
  },
  enter: (rest, text) => {
    const [value, target] = splitLast(rest, 'into', 'in');
    if (!target)
      throw invalidStepFailure(
        text,
        'the target is missing: enter TEXT in TARGET (the key is "press Enter")',
      );
    return { action: 'fill', value: requireText(value, text), target: parseTarget(target, text) };
  },
  fill: (rest, text) => {
    const [target, value] = splitLast(skip(rest, 'in'), 'with');
    if (!value) throw invalidStepFailure(text, 'the text is missing: fill TARGET with TEXT');
    return { action: 'fill', value: joinTokens(value), target: parseTarget(target, text) };
  },
  set: (rest, text) => {
    const [target, value] = splitLast(rest, 'to');
    if (!value) throw invalidStepFailure(text, 'the text is missing: set TARGET to TEXT');
    return { action: 'fill', value: joinTokens(value), target: parseTarget(target, text) };
  },
  select: (rest, text) => choose(rest, text),
  choose: (rest, text) => choose(rest, text),
  press: (rest, text) => {
    const [keys, target] = splitLast(rest, 'in', 'on');
    return defined({
      action: 'press',
      value: requireText(keys, text),
      target: ifDefined(target, (target) => parseTarget(target, text)),
    });
  },
  scroll: (rest, text) => scroll(rest, text),
  drag: (rest, text) => {
    const [from, to] = splitLast(rest, 'onto', 'to');
    if (!to) throw invalidStepFailure(text, 'the destination is missing: drag TARGET to TARGET');
    return { action: 'drag', target: parseTarget(from, text), to: parseTarget(to, text) };
  },
  upload: (rest, text) => {
    const [path, target] = splitLast(rest, 'into', 'to');
    if (!target) throw invalidStepFailure(text, 'the target is missing: upload PATH to TARGET');
    return { action: 'upload', value: requireText(path, text), target: parseTarget(target, text) };
  },
  wait: (rest, text) => wait(rest, text),
};

const onTarget = (action: StepAction, rest: ScriptToken[]): Omit<ActStep, 'text'> => ({
  action,
  target: parseTarget(rest, action),
});

const choose = (rest: ScriptToken[], text: string): Omit<ActStep, 'text'> => {
  const [value, target] = splitLast(rest, 'from', 'in');
  if (!target) throw invalidStepFailure(text, 'the target is missing: select OPTION in TARGET');
  return { action: 'select', value: requireText(value, text), target: parseTarget(target, text) };
};

const DIRECTIONS = ['up', 'down', 'left', 'right', 'top', 'bottom'];

const scroll = (rest: ScriptToken[], text: string): Omit<ActStep, 'text'> => {
  if (isWord(rest[0], 'to') && !isWord(rest[1], 'top', 'bottom'))
    return { action: 'scroll', target: parseTarget(rest.slice(1), text) };
  const [what, where] = splitLast(skip(rest, 'to'), 'in');
  const target = where ? { target: parseTarget(where, text) } : {};
  if (isWord(what[0], 'until'))
    return { action: 'scroll', value: `until ${requireText(what.slice(1), text)}`, ...target };
  const direction = what[0]?.text.toLowerCase() ?? '';
  const pixels = what[1]?.text.replace(/px$/, '');
  if (!DIRECTIONS.includes(direction) || (pixels !== undefined && !/^\d+$/.test(pixels)))
    throw invalidStepFailure(
      text,
      'use scroll down [PIXELS] [in TARGET], scroll to TARGET or scroll until "TEXT"',
    );
  return {
    action: 'scroll',
    value: pixels === undefined ? direction : `${direction} ${pixels}`,
    ...target,
  };
};

const wait = (rest: ScriptToken[], text: string): Omit<ActStep, 'text'> => {
  if (isWord(rest[0], 'until')) {
    const gone = isWord(rest.at(-1), 'gone', 'disappears');
    const endWords = isWord(rest.at(-2), 'is') ? 2 : 1;
    const value = requireText(rest.slice(1, valueIf(gone, -endWords)), text);
    return defined({ action: 'wait', value, ...compact({ gone }) });
  }
  return { action: 'wait', value: requireText(skip(rest, 'for'), text) };
};

const parseStep = (pieces: ScriptToken[]): ActStep => {
  const text = joinTokens(pieces).slice(0, 200);
  const [first, second] = pieces;
  let verb = first && !first.quoted ? first.text.toLowerCase() : '';
  let rest = pieces.slice(1);
  if (CLICK_PREFIXES.has(verb) && isWord(second, 'click')) {
    verb = `${verb}-click`;
    rest = pieces.slice(2);
  }
  const read = getOwn(VERBS, verb.replace('_', '-'));
  if (!read) throw unknownVerbFailure(text, verb);
  return { text, ...read(rest, text) };
};

const skip = (pieces: ScriptToken[], ...words: string[]): ScriptToken[] =>
  isWord(pieces[0], ...words) && pieces.length > 1 ? pieces.slice(1) : pieces;

/** Splits the tokens at the last keyword; the second part is undefined without a keyword. */
const splitLast = (
  pieces: ScriptToken[],
  ...keywords: string[]
): [ScriptToken[], ScriptToken[] | undefined] => {
  for (let i = pieces.length - 2; i > 0; i--) {
    if (isWord(pieces[i], ...keywords)) return [pieces.slice(0, i), pieces.slice(i + 1)];
  }
  return [pieces, undefined];
};

const joinTokens = (pieces: readonly ScriptToken[]): string =>
  pieces.map(({ text }) => text).join(' ');

const requireText = (pieces: readonly ScriptToken[], step: string): string => {
  if (pieces.length === 0) throw invalidStepFailure(step, 'the words after the verb are missing');
  return joinTokens(pieces);
};

const REF = /^(?:f\d+)?e\d+$/;

const parseTarget = (pieces: readonly ScriptToken[], step: string): ActionTarget => {
  const words = isWord(pieces[0], 'the') && pieces.length > 1 ? pieces.slice(1) : pieces;
  const text = requireText(words, step);
  const [only] = words;
  if (words.length === 1 && only && !only.quoted && REF.test(text)) return { ref: text };
  if (only && !only.quoted && text.startsWith('css=')) return { selector: text.slice(4) };
  return { query: text };
};

const invalidStepFailure = (step: string, why: string): Failure =>
  fail('invalid_argument', `The step "${step.slice(0, 100)}" cannot be parsed: ${why}.`, {
    argument: 'instruction',
    hint:
      'Examples of steps: click Sign in; type "ada" in Username; ' +
      'select Norway in Country; press Enter; wait for "Welcome".',
  });

const unknownVerbFailure = (step: string, verb: string): Failure => {
  const verbs = Object.keys(VERBS);
  const near = findClosest(verb, verbs);
  const suggestion = textIf(near, ` (did you mean ${near}?)`);
  return invalidStepFailure(
    step,
    `it does not start with a known verb${suggestion}: ${verbs.join(', ')}`,
  );
};
