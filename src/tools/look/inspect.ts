// inspect: reports on one element or on one aspect of the page's state.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import {
  countElements,
  type FactTarget,
  readElementFact,
} from '../../browser/read/element-facts.ts';
import { findElements } from '../../browser/read/find-elements.ts';
import {
  inspect as inspectPlace,
  type Inspection,
  SECTIONS,
  type SectionName,
} from '../../browser/read/inspect-page.ts';
import { renderInspection } from '../../render/inspect-text.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

/** Words of a query, and the section that answers it. */
const WORDS: Readonly<Record<SectionName, RegExp>> = {
  focus: /\bfocus(?:ed)?\b|\bactive element\b|\bcaret\b/i,
  forms:
    /\bforms?\b|\bfields?\b|\binputs?\b|\bvalues?\b|\bfilled\b|\bcheck ?box(?:es)?\b|\bselected\b/i,
  headings: /\bheadings?\b|\boutline\b|\bsections?\b|\bh[1-6]\b/i,
  errors: /\b(?:errors?|alerts?|invalid|validation|warnings?|messages?|toasts?|notifications?)\b/i,
  panels:
    /\b(?:(?:panel|dialog|modal|tab|menu|popup|popover|drawer|accordion|overlay)s?|expanded)\b/i,
  geometry:
    /\b(?:geometry|positions?|size|box|scroll(?:ed)?|viewport|layout|visib(?:le|ility)|hidden)\b/i,
  listeners: /\blisteners?\b|\bevents?\b|\bhandlers?\b/i,
  accessibility: /\baccessib\w+\b|\ba11y\b|\baria\b/i,
};

/** Sections about the page if the query names none. */
const PAGE_SECTIONS: readonly SectionName[] = ['focus', 'errors', 'panels', 'forms', 'headings'];
/** Sections about an element; forms and errors only if it contains some. */
const ELEMENT_SECTIONS: readonly SectionName[] = [
  'geometry',
  'listeners',
  'accessibility',
  'forms',
  'errors',
];

const asked = (query: string | undefined): SectionName[] =>
  query === undefined ? [] : SECTIONS.filter((section) => WORDS[section].test(query));

/** Finds the element that the query names, if the query names no section. */
const findByWords = async (
  query: string,
  { tab, signal }: TabContext,
): Promise<string | undefined> => {
  const { hits } = await findElements(tab, { query, limit: 1, waitForMs: 0 }, signal);
  return hits[0]?.ref;
};

const withoutEmpty = ({ forms = [], errors = [], ...rest }: Inspection): Inspection =>
  defined({ ...rest, ...compact({ forms, errors }) });

/** One fact about an element instead of a report; null if the element does not have it. */
interface ElementFact {
  readonly fact: string | number | null;
}

const isMissing = (fact: string | number | null | undefined): boolean =>
  fact === null || fact === 0;

const readFact = (
  target: FactTarget,
  { fact, attribute }: { readonly fact: string; readonly attribute: string | undefined },
  { tab, signal }: TabContext,
): Promise<string | number | null> =>
  fact === 'count'
    ? countElements(tab, target, signal)
    : readElementFact(tab, target, attribute, signal);

export const inspect = defineTool({
  name: 'inspect',
  description:
    'Report on one element (selector or ref): state, geometry, why it is hidden, listeners, ' +
    'accessibility; or on a query: "focus", "form values", "headings", "errors", "open dialogs".',
  returns: '{element?, focus?, forms?, headings?, errors?, counts?, …}; fact: {fact}; text',
  keywords: 'debug state focus values headings geometry listeners',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 15_000,
    header: ({ fact }) => (fact === undefined ? 'inspect' : undefined),
    negative: (data) => isMissing((data as Partial<ElementFact>).fact),
  },
  input: () => ({
    selector: markUndescribed(z.string().min(1).max(10_000).optional().describe('CSS')),
    ref: z.string().min(1).max(40).optional(),
    query: markUndescribed(
      z
        .string()
        .trim()
        .min(1)
        .max(1000)
        .optional()
        .describe('e.g. "errors", "form values", "open dialogs"'),
    ),
    fact: markUnlisted(z.enum(['value', 'attribute', 'count']).optional()),
    attribute: markUnlisted(z.string().min(1).max(200).optional()),
  }),
  prepare: (input) => {
    const { fact, attribute, ref, selector, query } = input;
    if ((fact === 'attribute') !== (attribute !== undefined))
      throw fail(
        'invalid_argument',
        'inspect needs {fact: "attribute"} and "attribute" together.',
        {
          argument: 'attribute',
        },
      );
    const targets = [ref, selector, query].filter((one) => one !== undefined).length;
    if (fact !== undefined && targets !== 1)
      throw fail('invalid_argument', 'A fact needs exactly one of ref, selector and query.', {
        argument: 'fact',
      });
    return input;
  },
  examples: [
    { query: 'errors' },
    { selector: '#checkout' },
    { query: 'listeners', selector: '#save' },
  ],
  run: async (
    { selector, ref, query, fact, attribute },
    context,
  ): Promise<Inspection | ElementFact> => {
    if (fact !== undefined)
      return { fact: await readFact({ selector, ref, query }, { fact, attribute }, context) };
    const sections = asked(query);
    const byWords =
      query !== undefined && sections.length === 0 && selector === undefined && ref === undefined;
    const found = byWords ? await findByWords(query, context) : ref;
    if (byWords && found === undefined)
      context.note('[No element matches the query; this is a report on the whole page]');
    const place = { selector, ref: found };
    if (sections.length) return inspectPlace(context.tab, place, sections, context.signal);
    if (selector === undefined && found === undefined)
      return inspectPlace(context.tab, place, PAGE_SECTIONS, context.signal);
    return withoutEmpty(await inspectPlace(context.tab, place, ELEMENT_SECTIONS, context.signal));
  },
  render: (data) => ('fact' in data ? { json: data } : renderInspection(data)),
});
