// Finds the style rules that match an element, in the order of the style sheets.
import { attempt } from '../objects.ts';
import { matches, getRoot } from '../safe-dom.ts';

export interface MatchedRule {
  readonly selector: string;
  readonly body: string;
  readonly source: string;
}

interface Matched {
  readonly rules: MatchedRule[];
  /** Number of style sheets from other origins, whose rules cannot be read. */
  readonly unreadable: number;
}

const MAX_RULES_READ = 50_000;

export const sheetName = (sheet: CSSStyleSheet): string => {
  if (!sheet.href) return 'inline sheet';
  try {
    const url = new URL(sheet.href);
    return url.origin === location.origin ? url.pathname : url.host + url.pathname;
  } catch {
    return sheet.href.slice(0, 100);
  }
};

const findSheets = (element: Element): CSSStyleSheet[] => {
  const root = getRoot(element);
  const own = root instanceof ShadowRoot ? [...root.styleSheets, ...root.adoptedStyleSheets] : [];
  return own.length ? own : [...document.styleSheets, ...document.adoptedStyleSheets];
};

export const readRules = (sheet: CSSStyleSheet): CSSRuleList | undefined =>
  attempt(() => (sheet.disabled ? undefined : sheet.cssRules));

export const findMatchedRules = (element: Element): Matched => {
  const found: MatchedRule[] = [];
  let unreadable = 0;
  let read = 0;
  const visit = (rules: CSSRuleList, source: string, outer: string): void => {
    for (const rule of rules) {
      if (++read > MAX_RULES_READ) return;
      if (rule instanceof CSSStyleRule) {
        const selector = resolveNesting(rule.selectorText, outer);
        if (rule.style.length > 0 && matchesSafely(element, selector))
          found.push({ selector: rule.selectorText, body: rule.style.cssText, source });
        if (rule.cssRules.length > 0) visit(rule.cssRules, source, selector);
      } else if (isActive(rule)) visit((rule as CSSGroupingRule).cssRules, source, outer);
    }
  };
  for (const sheet of findSheets(element)) {
    const rules = readRules(sheet);
    if (rules) visit(rules, sheetName(sheet), '');
    else if (!sheet.disabled) unreadable++;
  }
  return { rules: found, unreadable };
};

/** Resolves `&` in a nested rule to the outer selector. */
const resolveNesting = (selector: string, outer: string): string => {
  if (outer === '') return selector;
  return selector.includes('&')
    ? selector.replaceAll('&', `:is(${outer})`)
    : `:is(${outer}) ${selector}`;
};

const matchesSafely = (element: Element, selector: string): boolean => {
  // `matches` throws for selectors that it does not support
  return attempt(() => matches(element, selector), false);
};

/** Whether the rules inside a grouping rule apply. */
const isActive = (rule: CSSRule): boolean => {
  if (rule instanceof CSSMediaRule) return matchMedia(rule.conditionText).matches;
  if (rule instanceof CSSSupportsRule) return CSS.supports(rule.conditionText);
  return 'cssRules' in rule && !(rule instanceof CSSKeyframesRule);
};

/** Media conditions that currently match. */
export const listMetConditions = (): string[] => {
  const met = new Set<string>();
  let read = 0;
  for (const sheet of document.styleSheets) {
    for (const rule of readRules(sheet) ?? []) {
      if (++read > MAX_RULES_READ) return [...met];
      if (
        rule instanceof CSSMediaRule &&
        /width|height|orientation|scheme|motion|hover|pointer/.test(rule.conditionText) &&
        matchMedia(rule.conditionText).matches
      )
        met.add(rule.conditionText);
    }
  }
  return [...met];
};
