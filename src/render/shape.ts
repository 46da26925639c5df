// Renders the shape of a body: a flat map from path to type within a byte budget.
import { textIf } from '../core/text.ts';
import { describeValues, TypeNode } from './type-tree.ts';

export type Shape = Readonly<Record<string, string>>;

interface ShapeOptions {
  readonly maxDepth?: number;
  /** Maximum bytes of the shape as compact JSON. */
  readonly maxBytes?: number;
}

const SHAPE_DEPTH = 6;
export const SHAPE_BYTES = 2048;
const LONG_STRING = 80;
const TRUNCATED = '(truncated)';

/** One path with its children and its size. */
interface ShapeLine {
  readonly path: string;
  readonly type: string;
  readonly below: readonly ShapeLine[];
  /** Bytes of this line, and of this line with all lines below it. */
  readonly bytes: number;
  readonly allBytes: number;
  /** Number of lines including all below, and of fields that were not examined. */
  readonly count: number;
}

export const buildShape = (
  value: unknown,
  { maxDepth = SHAPE_DEPTH, maxBytes = SHAPE_BYTES }: ShapeOptions = {},
): Shape => {
  const root = toLine('$', describeValues([value], { maxDepth }), {
    depth: 0,
    maxDepth,
    optional: false,
  });
  const shape: Record<string, string> = {};
  const room = maxBytes - BRACES;
  if (root.count === countLines(root) && root.allBytes <= room) {
    writeAll(root, shape);
    return shape;
  }
  const written = write(root, room - lineBytes(TRUNCATED, notice(root.count)), shape);
  shape[TRUNCATED] = notice(root.count - written.lines);
  return shape;
};

/** The shapes of a text that is not JSON and of binary data. */
export const textShape = (chars: number): Shape => ({ $: `string(len=${chars})` });
export const binaryShape = (bytes: number): Shape => ({ $: `binary(${bytes})` });
export const NO_SHAPE: Shape = { $: 'null' };

const notice = (left: number): string => `${left} more`;

interface ShapePosition {
  readonly depth: number;
  readonly maxDepth: number;
  readonly optional: boolean;
}

const toLine = (
  path: string,
  node: TypeNode,
  { depth, maxDepth, optional }: ShapePosition,
): ShapeLine => {
  const type = typeText(node, depth >= maxDepth) + textIf(optional, '?');
  const below: ShapeLine[] = [];
  if (node.item)
    below.push(toLine(`${path}[0]`, node.item, { depth: depth + 1, maxDepth, optional: false }));
  for (const [name, field] of node.fields) {
    below.push(
      toLine(`${path}${step(name)}`, field.type, {
        depth: depth + 1,
        maxDepth,
        optional: field.count < node.objects,
      }),
    );
  }
  const bytes = lineBytes(path, type);
  return {
    path,
    type,
    below,
    bytes,
    allBytes: below.reduce((sum, line) => sum + line.allBytes, bytes),
    count: below.reduce((sum, line) => sum + line.count, 1) + node.fieldsLeftOut,
  };
};

const step = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;

const typeText = (node: TypeNode, atCap: boolean): string =>
  node.kinds
    .map((kind) => {
      if (kind === 'string')
        return node.longest > LONG_STRING ? `string(len=${node.longest})` : 'string';
      if (kind === 'array') return `array(${node.mostItems})`;
      if (kind !== 'object') return kind;
      if (node.mostKeys === 0) return 'object(empty)';
      return atCap ? `object(keys=${node.mostKeys})` : 'object';
    })
    .join('|');

const BRACES = 2;
const utf8 = (text: string): number => Buffer.byteLength(JSON.stringify(text));
/** Includes the colon and the comma. */
const lineBytes = (path: string, type: string): number => utf8(path) + utf8(type) + 2;

const countLines = (line: ShapeLine): number =>
  line.below.reduce((sum, inner) => sum + countLines(inner), 1);

const writeAll = (line: ShapeLine, shape: Record<string, string>): void => {
  shape[line.path] = line.type;
  for (const inner of line.below) writeAll(inner, shape);
};

interface ShapeSize {
  readonly bytes: number;
  readonly lines: number;
}

const NOTHING: ShapeSize = { bytes: 0, lines: 0 };

/**
 * Writes as much as the budget allows, parents before children. Direct children come first; the
 * rest of the budget is shared, the smallest branches first, so that their unused share goes to the
 * others.
 */
const write = (line: ShapeLine, budget: number, shape: Record<string, string>): ShapeSize => {
  if (line.bytes > budget) return NOTHING;
  shape[line.path] = line.type;
  let written: ShapeSize = { bytes: line.bytes, lines: 1 };
  const shares = shareOut(line.below, budget - line.bytes);
  for (const inner of line.below) {
    const share = shares.get(inner);
    if (share !== undefined) written = sum(written, write(inner, share, shape));
  }
  return written;
};

const sum = (a: ShapeSize, b: ShapeSize): ShapeSize => ({
  bytes: a.bytes + b.bytes,
  lines: a.lines + b.lines,
});

const shareOut = (lines: readonly ShapeLine[], budget: number): Map<ShapeLine, number> => {
  const shares = new Map<ShapeLine, number>();
  let left = budget;
  for (const line of lines) {
    if (line.bytes > left) continue;
    shares.set(line, line.bytes);
    left -= line.bytes;
  }
  const wanting = [...shares.keys()]
    .filter(({ allBytes, bytes }) => allBytes > bytes)
    .sort((a, b) => need(a) - need(b));
  for (const [i, line] of wanting.entries()) {
    const more = Math.min(need(line), Math.floor(left / (wanting.length - i)));
    shares.set(line, line.bytes + more);
    left -= more;
  }
  return shares;
};

const need = ({ allBytes, bytes }: ShapeLine): number => allBytes - bytes;
