// Stores what a workspace captured, so that a body can be asked for later, also when no browser runs any more.
import type { SeenRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import { Failure } from '../../core/failure.ts';
import { cutToBytes } from '../../core/text.ts';
import { toCaptured, unaskedBody } from './capture.ts';
import { type Desk, workspaceOf } from './desk.ts';
import { redactCaptured } from './redact-captured.ts';
import { reasonToLeaveOut } from './select.ts';
import { withShape } from './with-bodies.ts';

const MAX_REQUESTS = 500;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;

/** What the listing showed, then the latest of the rest; returns a warning where it could not be stored. */
export const saveCapture = async (desk: Desk, shown: readonly SeenRequest[]): Promise<string | undefined> => {
  const { session, cache, now } = desk;
  const chosen = new Set(shown);
  for (const seen of session.traffic.requests().toReversed()) {
    if (chosen.size >= MAX_REQUESTS) break;
    if (reasonToLeaveOut(seen) === undefined) chosen.add(seen);
  }
  try {
    await cache.save({ workspace: workspaceOf(desk), captured_at: now, requests: withinBudget(desk, chosen) });
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
};

const withinBudget = ({ session, redactor }: Desk, chosen: ReadonlySet<SeenRequest>): CapturedRequest[] => {
  let left = MAX_TOTAL_BYTES;
  const stored: { readonly sequence: number; readonly captured: CapturedRequest }[] = [];
  for (const seen of chosen) {
    const body = session.traffic.heldBody(seen) ?? unaskedBody(seen);
    const whole = toCaptured(seen, body);
    const captured = redactCaptured(whole, redactor);
    const small = cutContent(captured.body, Math.min(MAX_BODY_BYTES, left));
    left -= bytesOf(small);
    // A body that is stored as a whole is its own shape.
    const { shape } = small === captured.body && body.why === undefined ? {} : withShape(seen, whole);
    stored.push({ sequence: seen.sequence, captured: { ...captured, body: small, ...(shape ? { shape } : {}) } });
  }
  return stored.sort((a, b) => a.sequence - b.sequence).map(({ captured }) => captured);
};

const bytesOf = ({ text, base64 }: Content): number => (text ?? base64 ?? '').length;

const cutContent = (content: Content, maxBytes: number): Content => {
  const size = bytesOf(content);
  if (size <= maxBytes) return content;
  const cut = 'only its beginning was stored';
  if (content.text !== undefined)
    return { ...content, text: cutToBytes(content.text, Math.max(0, maxBytes)), size: content.size ?? size, cut };
  return { ...(content.size === undefined ? {} : { size: content.size }), why: 'too large to be stored' };
};
