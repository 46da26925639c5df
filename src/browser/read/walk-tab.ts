// Walks all frames of a tab in parallel, opens closed shadow roots, and joins the results in a
// tree.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { WalkOptions } from '../../page/walk-record.ts';
import type { Frame } from '../tabs/frames.ts';
import { adoptRoots, callWalk } from './closed-roots.ts';
import { decodeWalk, describeDocument, everyNode, type Walked, WalkedNode } from './decode.ts';

/** A subframe that does not respond within this time is omitted, with a note in the tree. */
const FRAME_PATIENCE_MS = 2000;
/** A closed shadow root may contain elements with closed roots. */
const MAX_ROOT_ROUNDS = 5;

export interface Start {
  readonly frame: Frame;
  /** The id of the start element. */
  readonly root?: number;
  readonly selector?: string;
}

interface WalkListeners {
  /** Called with the walk of the start frame. */
  readonly onTop?: (top: Walked) => void;
  /** Called with the nodes behind modal dialogs in all frames, if the options request them. */
  readonly onBehind?: (nodes: readonly WalkedNode[]) => void;
}

/**
 * Returns all visible nodes from `start` on, including frames; undefined if the start element is
 * missing.
 */
export const walkFrom = async (
  { frame, root, selector }: Start,
  options: WalkOptions,
  signal: AbortSignal,
  { onTop, onBehind }: WalkListeners = {},
): Promise<WalkedNode[] | undefined> => {
  const isWhole = selector === undefined && root === undefined;
  const inside = isWhole ? walkInside(frame, options, signal) : undefined;
  const top =
    selector === undefined
      ? await walkFrame(frame, defined({ ...options, root }), signal)
      : await walkSelector(frame, selector, options, signal);
  if (top) onTop?.(top);
  if (!top) return undefined;
  const behind: WalkedNode[] = [];
  const nodes = await joinFrames(
    top,
    inside ?? walkInside(top.document.frame, options, signal),
    behind,
  );
  onBehind?.(behind);
  return nodes;
};

/** Walks the first frame in which the selector matches. */
const walkSelector = async (
  main: Frame,
  selector: string,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<WalkedFrame | undefined> => {
  const pending = [main];
  for (let frame = pending.shift(); frame; frame = pending.shift()) {
    try {
      const walked = await walkFrame(frame, { ...options, selector }, signal);
      if (walked) return walked;
    } catch (error) {
      if (/not a valid selector/i.test(String(error)))
        throw fail(
          'invalid_argument',
          `"${selector.slice(0, 200)}" is not a valid CSS selector or XPath.`,
          {
            argument: 'selector',
          },
        );
      if (frame === main || !isGone(error)) throw error;
    }
    pending.push(...frame.children);
  }
  return undefined;
};

/** The document of one frame, with the frames inside it. */
interface WalkedFrame extends Walked {
  /** Frame ids by the id of the element that shows the frame. */
  readonly shows: ReadonlyMap<number, string>;
}

/**
 * Walks the document of one frame; repeats the walk after opening closed roots. Returns undefined
 * if the root element is missing.
 */
const walkFrame = async (
  frame: Frame,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<WalkedFrame | undefined> => {
  for (let round = 0; ; round++) {
    const document = describeDocument(frame);
    const answer = await callWalk(frame, options, signal);
    if (answer === undefined) return undefined;
    const { text, roots, frames: shows } = answer;
    const walked = decodeWalk(text, document);
    if (roots.length === 0 || round >= MAX_ROOT_ROUNDS) return { ...walked, shows };
    const objects = await frame.objectsOf(roots, signal);
    if (objects.length === 0) return { ...walked, shows };
    // Not awaited: the next walk follows directly and reports any error.
    adoptRoots(frame, objects, signal).catch(() => {});
  }
};

/** The content of a subframe, or the reason why it could not be read. */
type Inner = { readonly walked: WalkedFrame } | { readonly problem: string };

/** All subframes at any depth by id, with their pending walks. */
type FrameContents = ReadonlyMap<
  string,
  { readonly frame: Frame; readonly content: Promise<Inner> }
>;

/** Starts all walks at once: frames in the same process respond in turn, others in parallel. */
const walkInside = (top: Frame, options: WalkOptions, signal: AbortSignal): FrameContents => {
  const inside = new Map<string, { frame: Frame; content: Promise<Inner> }>();
  const start = (parent: Frame): void => {
    for (const frame of parent.children) {
      const content = walkInner(frame, options, signal);
      content.catch(() => {}); // unused if the main frame could not be read
      inside.set(frame.id, { frame, content });
      start(frame);
    }
  };
  start(top);
  return inside;
};

const walkInner = async (
  frame: Frame,
  options: WalkOptions,
  signal: AbortSignal,
): Promise<Inner> => {
  using patience = new Deadline(FRAME_PATIENCE_MS, undefined, signal);
  try {
    const walked = await walkFrame(frame, options, patience.signal);
    return walked ? { walked } : { problem: 'was removed' };
  } catch (error) {
    signal.throwIfAborted();
    if (patience.signal.aborted)
      return { problem: `did not respond within ${FRAME_PATIENCE_MS / 1000} s` };
    if (isGone(error)) return { problem: 'changed while it was read' };
    return { problem: 'could not be read' };
  }
};

/** Inserts the content of each frame below the element that shows it. */
const joinFrames = async (
  walked: WalkedFrame,
  inside: FrameContents,
  behind: WalkedNode[],
): Promise<WalkedNode[]> => {
  behind.push(...walked.behind);
  for (const node of walked.frames > 0 ? everyNode([...walked.nodes, ...walked.behind]) : []) {
    if (node.kind !== 'frame') continue;
    const inner = inside.get(walked.shows.get(node.id) ?? '');
    if (!inner) continue;
    const content = await inner.content;
    if ('problem' in content)
      node.children = [note(node, `frame ${content.problem}: ${inner.frame.url.slice(0, 200)}`)];
    else
      node.children = (await joinFrames(content.walked, inside, behind)).map((child) =>
        reparent(child, node),
      );
  }
  return withoutEmptyFrames(walked);
};

const reparent = (child: WalkedNode, parent: WalkedNode): WalkedNode => {
  Object.assign(child, { parent });
  return child;
};

const note = (parent: WalkedNode, name: string): WalkedNode =>
  new WalkedNode(parent.document, parent, 'text', 0, '', `(${name})`, '', '', '', '');

/** Removes empty iframes. Plug-ins and documents that scripts cannot access are kept. */
const withoutEmptyFrames = (walked: Walked): WalkedNode[] => {
  const isEmpty = (node: WalkedNode): boolean =>
    node.kind === 'frame' && node.role === 'iframe' && node.children.length === 0;
  const clean = (nodes: WalkedNode[]): void => {
    for (let i = nodes.length - 1; i >= 0; i--) {
      const node = nodes[i] as WalkedNode;
      if (isEmpty(node)) nodes.splice(i, 1);
      else if (node.kind !== 'frame') clean(node.children);
    }
  };
  clean(walked.nodes);
  if (walked.modal)
    walked.nodes.push(
      remark(walked, '(the content behind this dialog cannot be reached while it is open)'),
    );
  if (walked.cut)
    walked.nodes.push(
      remark(
        walked,
        '(the page is too large for one read; read a part of it with ref or selector)',
      ),
    );
  return walked.nodes;
};

const remark = ({ document }: Walked, text: string): WalkedNode =>
  new WalkedNode(document, undefined, 'text', 0, '', text, '', '', '', '');
