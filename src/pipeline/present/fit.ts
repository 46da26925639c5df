// Limits the size of a reply: a large body is stored and replaced by a handle.
import { defined } from '../../core/defined.ts';
import { renderHint } from '../../core/hint-text.ts';
import { stringifyInSlices } from '../../core/json.ts';
import { cutToBytes, cutToCharacters, textIf } from '../../core/text.ts';
import { jsonPayload, type Payload, textPayload } from '../../store/handles/handle-payload.ts';
import {
  describeHandle,
  type Descriptor,
  PREVIEW_BYTES,
} from '../../store/handles/handle-descriptor.ts';
import type { HandleMeta } from '../../store/handles/handle-files.ts';
import type { StoredForm, View } from '../../toolkit/define-tool.ts';
import type { Services } from '../../toolkit/context.ts';
import type { Reply, ReplyTest, TimedCall } from '../call.ts';
import { buildBody, type Stage } from './stage.ts';

const INLINE_LIMIT_BYTES = 32_768;
/** A larger body is stored even if no handle was requested: it would fill a model's context. */
const UNASKED_LIMIT_BYTES = 102_400;

interface TaskResult {
  readonly kind: string;
  /** The session that the task used. */
  readonly session: string;
  readonly result: unknown;
}

/** Builds the reply for a client that follows a task without a call. */
export const replyWithResult = async (
  services: Services,
  { kind, session, result }: TaskResult,
  fits: ReplyTest,
): Promise<Reply> => {
  const inline = { text: await stringifyInSlices(result), images: [], notes: [] };
  if (services.config.outputHandleTtlHours === 0) return inline;
  if (Buffer.byteLength(inline.text) <= UNASKED_LIMIT_BYTES) return inline;
  const items = services.tools.find(({ name }) => name === kind)?.traits.items;
  const payload = jsonPayload(result, items);
  const { ownStorageName } = services.browser.session(session);
  const meta = await services.handles.store(payload, kind, ownStorageName);
  const notes = [noteOnStored(meta, false)];
  const preview = beginning(payload, PREVIEW_BYTES).text;
  return { ...describeReply(describeWithin(meta, preview, { notes, fits })), notes };
};

export const fit: Stage = async (call, presented) => {
  const view = inWholeCharacters(presented.view);
  const limit = inlineLimit(call);
  if (limit === Infinity || isWithin(view, limit)) return { ...presented, view };
  const { tool } = call;
  const payload = payloadOf(
    tool.traits.stores?.(view.json, call.services.tools) ?? { view, items: tool.traits.items },
  );
  if (!payload) return { ...presented, view };
  const { ownStorageName } = call.course.session ?? {};
  const meta = await call.services.handles.store(payload, tool.name, ownStorageName);
  if (limit === UNASKED_LIMIT_BYTES)
    call.notes.push(noteOnStored(meta, tool.traits.large === true));
  const { notes, request } = call;
  const preview = beginning(payload, PREVIEW_BYTES).text;
  const descriptor = describeWithin(meta, preview, { notes, fits: request.fits });
  return { ...presented, view: { json: descriptor, ...(view.images && { images: view.images }) } };
};

/** The maximum size of an inline body in bytes. */
export const inlineLimit = ({ common, request, services, tool }: TimedCall): number => {
  const { config } = services;
  const { traits } = tool;
  const mode = traits.large ? (common.output_mode ?? config.outputMode) : 'inline';
  if (mode === 'handle') return -1;
  if (mode === 'auto') return common.output_inline_limit_bytes ?? INLINE_LIMIT_BYTES;
  // A stored payload is already paged, and a handle that expires at once could not be read.
  const isExempt = traits.verbatim || request.wholeReply || config.outputHandleTtlHours === 0;
  return isExempt || common.output_mode === 'inline' ? Infinity : UNASKED_LIMIT_BYTES;
};

/** True if the body is absent or within the limit. */
const isWithin = (view: View, limit: number): boolean => {
  const body = buildBody(view);
  if (body === undefined) return true;
  if ('text' in body) return Buffer.byteLength(body.text) <= limit;
  return beginning(jsonPayload(body.json), limit + 1).bytes <= limit;
};

const noteOnStored = (
  { size_bytes: bytes, output_handle: handle, session }: HandleMeta,
  takesMode: boolean,
): string =>
  // The command line gets whole replies, so only models read this note.
  renderHint(
    `[The reply had ${bytes} bytes and was stored as ${handle}. Read it with [[fetchOutput]]` +
      textIf(session !== undefined, ` in the session "${session}"`) +
      `${textIf(takesMode, ', or call again with [[inline]]')}.]`,
    'model',
  );

/** Drops half of a surrogate pair at the end, which cannot be sent and is not stored unchanged. */
const inWholeCharacters = (view: View): View =>
  defined({
    ...view,
    lead: view.lead === undefined ? undefined : cutToCharacters(view.lead),
    text: view.text === undefined ? undefined : cutToCharacters(view.text),
  });

/** The body of inline mode; undefined if there is neither text nor JSON. */
const payloadOf = ({ view, items }: StoredForm): Payload | undefined => {
  const body = buildBody(view);
  if (body === undefined) return undefined;
  return 'text' in body ? textPayload(body.text) : jsonPayload(body.json, items);
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

/**
 * The descriptor with the longest preview that fits: escaping can make a text several times longer.
 */
const describeWithin = (
  meta: HandleMeta,
  text: string,
  { notes, fits = () => true }: { notes: readonly string[]; fits?: ReplyTest | undefined },
): Descriptor => {
  const describe = (bytes: number): Descriptor => describeHandle(meta, cutToBytes(text, bytes));
  let [short, tooLong] = [0, PREVIEW_BYTES + 1];
  while (tooLong - short > 1) {
    const middle = (short + tooLong) >> 1;
    if (fits({ ...describeReply(describe(middle)), notes })) short = middle;
    else tooLong = middle;
  }
  return describe(short);
};

const describeReply = (json: Descriptor): Omit<Reply, 'notes'> => ({
  text: JSON.stringify(json),
  json,
  images: [],
});
