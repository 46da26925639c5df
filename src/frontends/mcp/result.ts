// Converts a reply into an MCP tool result: text, then images, then one line per note.
import { listIf } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { isRecord } from '../../core/json.ts';
import type { Reply, ReplyTest } from '../../pipeline/call.ts';
import { FACTS_KEY } from './client-facts.ts';

type ResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

export interface ToolResult {
  readonly content: readonly ResultBlock[];
  readonly isError?: true;
  readonly structuredContent?: object;
  readonly _meta?: Readonly<Record<string, object>>;
}

/**
 * Whether the client requests structured content, and whether the tool was listed with an output
 * schema, so that the result must contain it (`promised`).
 */
interface Structured {
  readonly asked: boolean;
  readonly promised: boolean;
}

export const toResult = (reply: Reply, structured: Structured): ToolResult => ({
  ...buildResult(reply, structured),
  ...defined({ _meta: reply.facts && { [FACTS_KEY]: reply.facts } }),
});

const buildResult = (reply: Reply, structured: Structured): ToolResult => {
  const notes = reply.notes.map((note) => text(oneLine(note)));
  if (reply.failure)
    return { isError: true, content: [text(JSON.stringify(reply.failure)), ...notes] };
  const images = reply.images.map(
    ({ data, mimeType }) => ({ type: 'image', data, mimeType }) as const,
  );
  return { content: [...body(reply), ...images, ...notes], ...structuredOf(reply, structured) };
};

/** A result always contains a block, even if the tool returned nothing. */
const body = (reply: Reply): ResultBlock[] => {
  if (reply.text !== undefined) return [text(reply.text)];
  if (reply.json !== undefined) return [text(JSON.stringify(reply.json))];
  return listIf(reply.images.length === 0, text('Done.'));
};

const structuredOf = (
  reply: Reply,
  { asked, promised }: Structured,
): Pick<ToolResult, 'structuredContent'> => {
  const structure = reply.json ?? reply.data;
  if (!asked || (structure === undefined && !promised)) return {};
  const data = structure ?? reply.text ?? null;
  return { structuredContent: isPlainObject(data) ? data : { result: data } };
};

const isPlainObject = (data: unknown): data is object => isRecord(data);

const text = (content: string): ResultBlock => ({ type: 'text', text: content });

const oneLine = (note: string): string => note.replace(/[\r\n\u2028\u2029][\s\u2028\u2029]*/g, ' ');

// Limits the size of a reply with a handle, as a line of JSON-RPC.

/** Maximum size of a reply in handle mode. */
const LINE_BYTES = 4096;
/** Reserved in that line for a long request id, protocol fields, and notes that are added later. */
const RESERVED_BYTES = 640;

/** `wantsStructure`: the client requested structured content. */
export const createLineTest =
  (wantsStructure: boolean): ReplyTest =>
  (reply) => {
    const result = toResult(reply, { asked: wantsStructure, promised: false });
    const line = JSON.stringify({ jsonrpc: '2.0', id: 0, result });
    return Buffer.byteLength(line) <= LINE_BYTES - RESERVED_BYTES;
  };
