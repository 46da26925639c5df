// Visibility and display of elements, computed once per element and cached for one read.
import { attributeText, hasAttribute, isElement, localName, parentNode } from '../safe-dom.ts';
import { eachFlatChild } from '../shadow.ts';
import { suspect, suspectHost } from '../closed-root-suspects.ts';
import { attempt, getOrCreate } from '../objects.ts';
import { FRAME_TAGS, BOXLESS_DISPLAYS } from '../element-kinds.ts';

/** Elements whose content is not readable text. */
const SILENT = new Set(
  (
    'script style noscript template head link meta title base select datalist option textarea ' +
    'object embed map area svg canvas progress meter colgroup col frameset'
  ).split(' '),
);

/** Inline elements by default; Chrome reports them as blocks inside a flex container. */
const TEXT_LEVEL = new Set(
  (
    'a abbr b bdi bdo button cite code data del dfn em i img input ins kbd label mark q s samp ' +
    'small span strong sub sup time u var'
  ).split(' '),
);

export interface ElementVisibility {
  readonly display: string;
  /** Its own text is visible; its children may differ. */
  readonly visible: boolean;
  /** Line breaks in the text are kept. */
  readonly preformatted: boolean;
}

const UNSEEN: ElementVisibility = { display: 'none', visible: false, preformatted: false };

export class VisibilityCache {
  readonly #looks = new Map<Element, ElementVisibility>();
  readonly #withBlocks = new Map<Element, boolean>();

  look(element: Element): ElementVisibility {
    return getOrCreate(this.#looks, element, () => this.#ask(element));
  }

  #ask(element: Element): ElementVisibility {
    const { display, visibility, contentVisibility, whiteSpace } = getComputedStyle(element);
    if (display === '') this.#suspectParent(element);
    if (BOXLESS_DISPLAYS.has(display) || contentVisibility === 'hidden') return UNSEEN;
    suspect(element, localName(element));
    return {
      display,
      visible: visibility === 'visible',
      preformatted: whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces',
    };
  }

  /** A child that is not in the flattened tree: its parent must host a closed shadow root. */
  #suspectParent(element: Element): void {
    const parent = parentNode(element);
    if (parent && isElement(parent)) suspectHost(parent);
  }

  isSilent(element: Element): boolean {
    return SILENT.has(localName(element)) || this.look(element).display === 'none';
  }

  /**
   * The content of a closed <details> is not rendered, but its computed style does not show that.
   */
  isFoldedAway(child: Node, parent: Element): boolean {
    return (
      localName(parent) === 'details' &&
      !hasAttribute(parent, 'open') &&
      !(isElement(child) && localName(child) === 'summary')
    );
  }

  /** Whether the element starts a new line: because of its own display or of a block inside it. */
  isBlock(element: Element): boolean {
    const { display } = this.look(element);
    if (display === 'none') return false;
    const alone =
      display !== 'contents' && !display.startsWith('inline') && !display.startsWith('ruby');
    if (alone && !(TEXT_LEVEL.has(localName(element)) && this.#isFlexItem(element))) return true;
    return this.holdsBlock(element);
  }

  #isFlexItem(element: Element): boolean {
    const parent = parentNode(element);
    return (
      parent !== null &&
      isElement(parent) &&
      /^(?:inline-)?(?:flex|grid)$/.test(this.look(parent).display)
    );
  }

  holdsBlock(element: Element): boolean {
    const known = this.#withBlocks.get(element);
    if (known !== undefined) return known;
    this.#withBlocks.set(element, false); // stops at cycles through slots
    let found = false;
    eachFlatChild(element, (child) => {
      found ||= isElement(child) && !this.isSilent(child) && this.isBlock(child);
    });
    this.#withBlocks.set(element, found);
    return found;
  }
}

/** The document of a same-origin frame; null for other elements and origins. */
export const frameDocument = (element: Element): Document | null => {
  const name = localName(element);
  if (!FRAME_TAGS.has(name)) return null;
  return attempt(() => (element as HTMLIFrameElement).contentDocument, null);
};

export const roleAttribute = (element: Element): string =>
  attributeText(element, 'role').trim().split(/\s+/)[0]?.toLowerCase() ?? '';
