// Inspects a page or an element; listeners and Chrome's accessibility data only for one element.
import type { Protocol } from 'devtools-protocol';
import { listIf } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';
import { requireField } from '../cdp/connection.ts';
import type {
  InspectAnswer,
  InspectForm as PageForm,
  InspectSection as PageSection,
  ElementSummary,
} from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Tab } from '../tabs/tab.ts';
import { inPage } from '../tabs/in-page.ts';
import { callOwnFrame, type ReadTarget, assignRefs } from './call-page.ts';
import { requestHandle } from './resolve-ref.ts';

/** The sections that the page script reads; Chrome provides the others. */
const PAGE_SECTIONS = [
  'focus',
  'forms',
  'headings',
  'errors',
  'panels',
  'geometry',
] as const satisfies readonly PageSection[];

export const SECTIONS = [...PAGE_SECTIONS, 'listeners', 'accessibility'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** A one-line summary of an element, with its ref if it has one. */
export interface InspectedElement extends Omit<ElementSummary, 'id' | 'fingerprint' | 'beside'> {
  readonly ref: string;
}

export interface Form extends Omit<PageForm, 'fields' | 'buttons'> {
  readonly fields: readonly InspectedElement[];
  readonly buttons: readonly InspectedElement[];
}

export interface EventHandler {
  readonly type: string;
  readonly options: readonly string[];
  /** The beginning of the handler's source code. */
  readonly handler: string;
}

export interface Inspection {
  readonly element?: {
    readonly line: InspectedElement;
    readonly label: string;
    readonly matches: number;
    readonly text: string;
  };
  readonly focus?: InspectedElement | null;
  readonly forms?: readonly Form[];
  readonly headings?: InspectAnswer['headings'];
  readonly errors?: readonly InspectedElement[];
  readonly panels?: readonly InspectedElement[];
  readonly geometry?: readonly string[];
  readonly counts?: string;
  readonly listeners?: readonly EventHandler[];
  /** The accessibility properties that Chrome exposes for the element. */
  readonly accessibility?: readonly string[];
}

const IN_PAGE = new Set<string>(PAGE_SECTIONS);
const isInPage = (section: SectionName): section is PageSection => IN_PAGE.has(section);
const MAX_LISTENERS = 40;
const MAX_HANDLER_CHARS = 80;

export const inspect = async (
  tab: Tab,
  place: ReadTarget,
  sections: readonly SectionName[],
  signal: AbortSignal,
): Promise<Inspection> => {
  const inside = sections.filter(isInPage);
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    { call: inPage.inspect.read, request: (subject) => ({ subject, sections: inside }) },
    signal,
  );
  const inspection = withRefs(tab, frame, answer);
  if (!answer.element) return inspection;
  const object = await requestHandle(
    { kind: 'element', frame, id: answer.element.item.id },
    signal,
  );
  if (object === undefined) return inspection;
  try {
    return defined({
      ...inspection,
      listeners: sections.includes('listeners')
        ? await readListeners(frame, object, signal)
        : undefined,
      accessibility: sections.includes('accessibility')
        ? await readAccessibility(frame, object, signal)
        : undefined,
    });
  } finally {
    frame.release(object);
  }
};

const withRefs = (tab: Tab, frame: Frame, answer: InspectAnswer): Inspection => {
  const refOf = assignRefs(tab, frame);
  const toLine = (target: ElementSummary): InspectedElement => {
    const { id, fingerprint: _, beside: __, ...item } = target;
    return { ...item, ref: id === 0 ? '' : refOf(target) };
  };
  const { element, focus, forms, headings, errors, panels, geometry, counts } = answer;
  return defined({
    element: ifDefined(element, (element) => ({
      line: toLine(element.item),
      label: element.label,
      matches: element.matches,
      text: element.text,
    })),
    focus: ifDefined(focus, (focus) => focus && toLine(focus)),
    forms: ifDefined(forms, (forms) =>
      forms.map((form) => ({
        ...form,
        fields: form.fields.map(toLine),
        buttons: form.buttons.map(toLine),
      })),
    ),
    headings,
    errors: errors?.map(toLine),
    panels: panels?.map(toLine),
    geometry,
    counts,
  });
};

/** Resolves the element in the page's main world, because the listeners exist only there. */
const readListeners = async (
  frame: Frame,
  isolatedObject: string,
  signal: AbortSignal,
): Promise<EventHandler[]> => {
  const { session } = frame;
  const { node } = await session.send('DOM.describeNode', { objectId: isolatedObject }, signal);
  const { object } = await session.send(
    'DOM.resolveNode',
    { backendNodeId: node.backendNodeId, objectGroup: 'openchrome-inspect' },
    signal,
  );
  const objectId = requireField(object.objectId, 'the object of a node');
  try {
    const { listeners } = await session.send('DOMDebugger.getEventListeners', { objectId }, signal);
    return listeners.slice(0, MAX_LISTENERS).map(toListener);
  } finally {
    session
      .send('Runtime.releaseObjectGroup', { objectGroup: 'openchrome-inspect' })
      .catch(() => {}); // a navigation has released it
  }
};

const toListener = ({
  type,
  useCapture,
  passive,
  once,
  handler,
  originalHandler,
}: Protocol.DOMDebugger.EventListener): EventHandler => ({
  type,
  options: [textIf(useCapture, 'capture'), textIf(passive, 'passive'), textIf(once, 'once')].filter(
    (option) => option !== '',
  ),
  handler: ((originalHandler ?? handler)?.description ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_HANDLER_CHARS),
});

const listIgnoredReasons = ({ ignoredReasons = [] }: Protocol.Accessibility.AXNode): string =>
  ignoredReasons.map(({ name }) => name).join(', ');

/** Values of properties that are not listed. */
const UNSET_VALUES = new Set<unknown>([undefined, false, 'false']);

const readAccessibility = async (
  frame: Frame,
  objectId: string,
  signal: AbortSignal,
): Promise<string[]> => {
  const { nodes } = await frame.session.send(
    'Accessibility.getPartialAXTree',
    { objectId, fetchRelatives: false },
    signal,
  );
  const [node] = nodes;
  if (!node) return ['not in the accessibility tree'];
  if (node.ignored) return [`ignored: ${listIgnoredReasons(node) || 'no reason given'}`];
  const properties = (node.properties ?? []).filter(({ value }) => !UNSET_VALUES.has(value.value));
  return [
    `role ${String(node.role?.value ?? 'none')}`,
    `name ${JSON.stringify(node.name?.value ?? '')}${nameSource(node)}`,
    ...(node.description?.value ? [`description ${JSON.stringify(node.description.value)}`] : []),
    ...listIf(
      properties.length,
      properties
        .map(({ name, value }) => (value.value === true ? name : `${name} ${axValue(value)}`))
        .join(', '),
    ),
  ];
};

/** The first source that provided the accessible name. */
const nameSource = ({ name }: Protocol.Accessibility.AXNode): string => {
  const source = name?.sources?.find(({ value, superseded }) => value?.value && !superseded);
  const from = source?.attribute ?? source?.nativeSource ?? source?.type;
  return textIf(from, ` (from ${from})`);
};

const axValue = ({ value, relatedNodes }: Protocol.Accessibility.AXValue): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : (relatedNodes ?? []).map(({ idref, text }) => idref ?? text ?? '').join(' ');
