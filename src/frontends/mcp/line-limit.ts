// Limits the size of a reply with a handle, as a line of JSON-RPC.
import type { ReplyTest } from '../../pipeline/call.ts';
import { toResult } from './result.ts';

/** Maximum size of a reply in handle mode. */
const LINE_BYTES = 4096;
/** Reserved in that line for a long request id, protocol fields, and notes that are added later. */
const RESERVED_BYTES = 640;

/** `asked`: the client requested structured content. */
export const createLineTest =
  (asked: boolean): ReplyTest =>
  (reply) => {
    const result = toResult(reply, { asked, promised: false });
    const line = JSON.stringify({ jsonrpc: '2.0', id: 0, result });
    return Buffer.byteLength(line) <= LINE_BYTES - RESERVED_BYTES;
  };
