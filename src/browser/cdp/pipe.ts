// CDP over the two pipes of a Chrome that we started: NUL-terminated JSON, without an open port.
import type { Readable, Writable } from 'node:stream';
import { afterThisTurn } from '../../core/time.ts';
import type { Transport } from './connection.ts';

/** Larger than any expected response. Without a NUL up to here, the data is not CDP. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
const OPENING_BRACE = 0x7b;

export const createPipeTransport = (input: Writable, output: Readable): Transport => {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let closed = false;

  // Commands of one turn are written together: each write wakes Chrome, which takes longer than the
  // write itself. The reply of a call is also written before commands that do not matter for it.
  let isWaiting = false;
  const flush = (): void => {
    if (isWaiting) input.uncork();
    isWaiting = false;
  };
  const send = (message: string): void => {
    if (closed) return;
    if (!isWaiting) {
      isWaiting = true;
      input.cork();
      afterThisTurn(flush);
    }
    input.write(`${message}\0`);
  };

  const close = (reason: string): void => {
    if (closed) return;
    flush();
    closed = true;
    output.destroy();
    input.destroy();
    transport.onClose?.(reason);
  };

  const receive = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const part = chunk.subarray(start, end);
      const message = pending.length ? Buffer.concat([...pending, part]) : part;
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      transport.onMessage?.(message.toString('utf8'));
    }
    if (start < chunk.length) {
      // Reject a non-JSON message at its first byte, before it is buffered.
      if (pending.length === 0 && chunk[start] !== OPENING_BRACE)
        return close('Chrome sent a message that is not JSON');
      pending.push(start ? chunk.subarray(start) : chunk);
      pendingBytes += chunk.length - start;
      if (pendingBytes > MAX_MESSAGE_BYTES)
        close('Chrome sent a message that exceeds the size limit');
    }
  };

  const transport: Transport = {
    send,
    close: () => close('closed by us'),
  };
  output.on('data', receive);
  output.on('close', () => close('Chrome closed the pipe'));
  output.on('end', () => close('Chrome closed the pipe'));
  output.on('error', (error) => close(error.message));
  input.on('error', (error) => close(error.message));
  return transport;
};
