// One console message, and its arguments as one line of text, as DevTools shows them.
import type { Protocol } from 'devtools-protocol';
import { listIf } from '../../core/collections.ts';
import { matchGroups, textIf } from '../../core/text.ts';
import type { RingItem } from './bounded-collections.ts';
import type { Source } from './request-record.ts';
import type { StackFrame } from './stack.ts';

export type ConsoleLevel = 'error' | 'warning' | 'info' | 'debug';

export interface ConsoleEntry extends Readonly<RingItem> {
  /** `console`: a console call. `exception`: uncaught. `browser`: a message of Chrome. */
  readonly kind: 'console' | 'exception' | 'browser';
  readonly level: ConsoleLevel;
  /**
   * The console method (`log`, `table` …) or the component of Chrome (`network`, `security` …).
   */
  readonly from: string;
  readonly text: string;
  readonly truncated: boolean;
  /** Source location: the innermost stack frame, or the location that Chrome reports. */
  readonly url?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack: readonly StackFrame[];
  readonly source: Source;
  /** Wall clock, milliseconds. */
  readonly at: number;
  /** The request that the message is about. */
  readonly requestId?: string;
  /** A promise rejection that was handled later. */
  readonly handledLater: boolean;
}

/** Texts are raw: redact before output. */
export class ConsoleDraft implements ConsoleEntry {
  heldBytes = 0;
  truncated = false;
  handledLater = false;
  url?: string;
  line?: number;
  column?: number;
  requestId?: string;
  /** Chrome's exception id, which a later `exceptionRevoked` event refers to. */
  exceptionId?: number;

  constructor(
    readonly sequence: number,
    readonly kind: ConsoleEntry['kind'],
    readonly level: ConsoleLevel,
    readonly from: string,
    readonly text: string,
    readonly stack: readonly StackFrame[],
    readonly source: Source,
    readonly at: number,
  ) {}
}

// Formats console arguments as one line of text, as DevTools does, from Chrome's previews.

type RemoteObject = Protocol.Runtime.RemoteObject;
type ObjectPreview = Protocol.Runtime.ObjectPreview;
type PropertyPreview = Protocol.Runtime.PropertyPreview;

/**
 * Formats the arguments of one console call. A format string consumes arguments; the rest are
 * appended.
 */
export const toConsoleText = (args: readonly RemoteObject[]): string => {
  const [first, ...rest] = args;
  if (first?.type !== 'string' || !String(first.value).includes('%'))
    return args.map(renderArgument).join(' ');
  const { text, used } = format(String(first.value), rest);
  return [text, ...rest.slice(used).map(renderArgument)].join(' ');
};

/** The format specifiers of the Console standard; `%c` (style) produces no text. */
const format = (
  template: string,
  args: readonly RemoteObject[],
): { text: string; used: number } => {
  let used = 0;
  const text = template.replace(/%([sdifoOc%])/g, (specifier, kind: string) => {
    if (kind === '%') return '%';
    const argument = args[used];
    if (!argument) return specifier;
    used++;
    const formatArgument = SPECIFIERS[kind] ?? renderArgument;
    return formatArgument(argument);
  });
  return { text, used };
};

const toNumber = (
  { type, value, description = 'NaN' }: RemoteObject,
  shape: (value: number) => number,
): string => {
  if (type === 'bigint') return description;
  return String(shape(type === 'symbol' ? NaN : Number.parseFloat(String(value))));
};

/** The formats that differ from `%o` and `%O`. `%s` shows a string as it is, like `%o`. */
const SPECIFIERS: Readonly<Record<string, (argument: RemoteObject) => string>> = {
  c: () => '',
  d: (argument) => toNumber(argument, Math.trunc),
  i: (argument) => toNumber(argument, Math.trunc),
  f: (argument) => toNumber(argument, (value) => value),
};

const renderArgument = (object: RemoteObject): string => {
  if (object.type === 'string') return String(object.value);
  if (object.type === 'undefined') return 'undefined';
  if (object.subtype === 'null') return 'null';
  if (object.type === 'function') return renderFunction(object.description);
  if (object.type === 'object' && object.preview && STRUCTURED.has(object.subtype))
    return renderPreview(object.preview);
  return object.description ?? String(object.value ?? object.unserializableValue ?? object.type);
};

/** Subtypes whose preview has more detail than the description. Errors and nodes have not. */
const STRUCTURED = new Set<string | undefined>([
  undefined,
  'array',
  'map',
  'set',
  'weakmap',
  'weakset',
  'typedarray',
  'iterator',
  'generator',
  'proxy',
  'promise',
]);

const renderFunction = (source = ''): string => {
  const [, name = ''] = matchGroups(
    /^(?:async\s{1,9})?(?:function\s{0,9}\*?|class)\s{0,9}([\w$]{1,200})/,
    source,
  );
  return source.startsWith('class') ? `class ${name}`.trim() : `ƒ ${name}()`;
};

const LISTS = new Set<string | undefined>(['array', 'typedarray']);

const renderPreview = (preview: ObjectPreview): string => {
  const more = listIf(preview.overflow, '…');
  if (LISTS.has(preview.subtype))
    return `[${[...preview.properties.map(renderValue), ...more].join(', ')}]`;
  const name = textIf(
    preview.description && preview.description !== 'Object',
    `${preview.description} `,
  );
  if (preview.entries)
    return `${name}{${[...preview.entries.map(renderEntry), ...more].join(', ')}}`;
  const properties = preview.properties.map(
    (property) => `${property.name}: ${renderValue(property)}`,
  );
  return `${name}{${[...properties, ...more].join(', ')}}`;
};

const renderEntry = ({ key, value }: Protocol.Runtime.EntryPreview): string =>
  key ? `${renderNested(key)} => ${renderNested(value)}` : renderNested(value);

/** Primitives inside a map or set only have a description. */
const renderNested = (preview: ObjectPreview): string => {
  const { type, subtype, description = type } = preview;
  if (type === 'object' && subtype !== 'null') return renderPreview(preview);
  return type === 'string' ? quote(description) : description;
};

const renderValue = ({ type, value = type, valuePreview }: PropertyPreview): string => {
  if (valuePreview) return renderPreview(valuePreview);
  if (type === 'function') return 'ƒ';
  return type === 'string' ? quote(value) : value;
};

const quote = (text: string): string => `'${text}'`;

/** The text of an exception: Chrome's text and the error message, without the stack. */
export const toExceptionText = ({ text, exception }: Protocol.Runtime.ExceptionDetails): string => {
  if (!exception) return text;
  const { subtype, description = '' } = exception;
  const words = subtype === 'error' ? withoutStack(description) : renderArgument(exception);
  return words === '' ? text : `${text} ${words}`;
};

const withoutStack = (description: string): string =>
  description.split(/\n {4}at /, 1)[0] as string;
