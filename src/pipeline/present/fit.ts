// Keeps a reply within what the host asked for: as it is, or stored behind a handle of which the reply is a small descriptor.
import { cutToBytes, wholeCharacters } from '../../core/text.ts';
import { describeHandle, type Descriptor, PREVIEW_BYTES } from '../../store/handle-descriptor.ts';
import type { HandleMeta } from '../../store/handle-files.ts';
import { jsonPayload, type Payload, textPayload } from '../../store/handle-payload.ts';
import type { View } from '../../toolkit/define-tool.ts';
import { type Call, known } from '../call.ts';
import { bodyOf, type Stage } from './stage.ts';

const INLINE_LIMIT_BYTES = 32_768;
/** What a reply in handle mode may take, as a line of JSON-RPC. */
const LINE_BYTES = 4096;
/** Kept free in that line for a long request id, fields of the protocol, and notes that are added later. */
const RESERVED_BYTES = 640;

export const fit: Stage = async (call, presented) => {
  const view = inWholeCharacters(presented.view);
  const { name, traits } = known(call, 'tool');
  const mode = traits.large ? (call.common.output_mode ?? call.rooms.config.outputMode) : 'inline';
  const payload = mode === 'inline' ? undefined : payloadOf(view, traits.items);
  const limit = mode === 'auto' ? (call.common.output_inline_limit_bytes ?? INLINE_LIMIT_BYTES) : 0;
  if (!payload || (mode === 'auto' && beginning(payload, limit + 1).bytes <= limit)) return { ...presented, view };
  const meta = await call.rooms.handles.store(payload, name);
  return { ...presented, view: { json: describeWithin(call, meta, beginning(payload, PREVIEW_BYTES).text) } };
};

/** Half a character cannot be sent, and on disk would become another one. */
const inWholeCharacters = (view: View): View => ({
  ...view,
  ...(view.lead === undefined ? {} : { lead: wholeCharacters(view.lead) }),
  ...(view.text === undefined ? {} : { text: wholeCharacters(view.text) }),
});

/** What inline mode would show; nothing where there is neither text nor JSON. */
const payloadOf = (view: View, itemsKey: string | undefined): Payload | undefined => {
  const body = bodyOf(view);
  if (body === undefined) return undefined;
  return 'text' in body ? textPayload(body.text) : jsonPayload(body.json, itemsKey);
};

/** At least the first `bytes` of the payload, or all of it. */
const beginning = (payload: Payload, bytes: number): { text: string; bytes: number } => {
  let [text, got] = ['', 0];
  for (const piece of payload.pieces()) {
    text += piece.text;
    got += piece.bytes;
    if (got >= bytes) break;
  }
  return { text, bytes: got };
};

/** The descriptor with as much of a preview as the line has room for: escaping makes some texts several times as long. */
const describeWithin = (call: Call, meta: HandleMeta, text: string): Descriptor => {
  const describe = (bytes: number): Descriptor => describeHandle(meta, cutToBytes(text, bytes));
  let [fits, tooLong] = [0, PREVIEW_BYTES + 1];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (lineBytes(call, describe(middle)) <= LINE_BYTES - RESERVED_BYTES) fits = middle;
    else tooLong = middle;
  }
  return describe(fits);
};

const lineBytes = ({ notes, rooms }: Call, descriptor: Descriptor): number => {
  const content = [JSON.stringify(descriptor), ...notes].map((text) => ({ type: 'text', text }));
  const result = { content, ...(rooms.config.structuredContent ? { structuredContent: descriptor } : {}) };
  return Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
};
