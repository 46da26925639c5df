// Walks a tab: every frame at once, closed shadow roots opened, all joined into one tree.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { WalkOptions } from '../../page/walk-record.ts';
import type { Frame } from '../tabs/frames.ts';
import { adoptRoots, callWalk } from './closed-roots.ts';
import { decodeWalk, describeDocument, everyNode, type Walked, WalkedNode } from './decode.ts';

/** A frame inside the page that says nothing for so long is left out, and that is said. */
const FRAME_PATIENCE_MS = 2000;
/** Closed roots may hold elements with closed roots. */
const MAX_ROOT_ROUNDS = 5;

export interface Start {
  readonly frame: Frame;
  /** The number of the element to start from. */
  readonly root?: number;
  readonly selector?: string;
}

interface WalkListeners {
  /** The walk of the frame that was started from. */
  readonly onTop?: (top: Walked) => void;
  /** What dialogs keep out of reach in all frames, if the options ask for it. */
  readonly onBehind?: (nodes: readonly WalkedNode[]) => void;
}

/**
 * All that is shown from `start` on, frames included; undefined when the element to start from is
 * not there.
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

/** The first frame in which the selector matches. */
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
        throw fail('invalid_argument', `"${selector.slice(0, 200)}" is not a CSS selector.`, {
          argument: 'selector',
        });
      if (frame === main || !isGone(error)) throw error;
    }
    pending.push(...frame.children);
  }
  return undefined;
};

/** One frame's own document, with the frames in it. */
interface WalkedFrame extends Walked {
  /** The ids of the frames that it shows, by the numbers of their elements. */
  readonly shows: ReadonlyMap<number, string>;
}

/**
 * One frame's own document; again where closed roots came to light. Undefined when the root is not
 * there.
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
    // Not waited for: the next walk is sent right after it, and tells what went wrong.
    adoptRoots(frame, objects, signal).catch(() => {});
  }
};

/** What a frame inside the page holds; or why that is not known. */
type Inner = { readonly walked: WalkedFrame } | { readonly problem: string };

/** The frames inside a frame, at any depth, by their ids, while they are being walked. */
type FrameContents = ReadonlyMap<
  string,
  { readonly frame: Frame; readonly content: Promise<Inner> }
>;

/** Starts all walks at once: frames of one process answer in turn, others in parallel. */
const walkInside = (top: Frame, options: WalkOptions, signal: AbortSignal): FrameContents => {
  const inside = new Map<string, { frame: Frame; content: Promise<Inner> }>();
  const start = (parent: Frame): void => {
    for (const frame of parent.children) {
      const content = walkInner(frame, options, signal);
      content.catch(() => {}); // where the page itself could not be read, nobody asks for these
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
    return walked ? { walked } : { problem: 'is gone' };
  } catch (error) {
    signal.throwIfAborted();
    if (patience.signal.aborted)
      return { problem: `did not answer within ${FRAME_PATIENCE_MS / 1000} s` };
    if (isGone(error)) return { problem: 'changed while it was read' };
    return { problem: 'could not be read' };
  }
};

/** Puts the contents of frames where their elements stand. */
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

/** Frames with nothing in them are no news; plug-ins and documents that no script can enter are. */
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
      remark(walked, '(what is behind this dialog cannot be reached while it is open)'),
    );
  if (walked.cut)
    walked.nodes.push(
      remark(
        walked,
        '(the page is too large to be read in one go; read a part of it with ref or selector)',
      ),
    );
  return walked.nodes;
};

const remark = ({ document }: Walked, text: string): WalkedNode =>
  new WalkedNode(document, undefined, 'text', 0, '', text, '', '', '', '');
