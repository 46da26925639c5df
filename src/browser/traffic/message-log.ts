// The last messages of one WebSocket or event stream, and the counts of all messages.
import { compact } from '../../core/defined.ts';
import type { TrafficLimits } from './limits.ts';
import { base64Bytes, clip } from './bounded-text.ts';

export interface StreamMessage {
  /** Milliseconds after the start of the request, on Chrome's monotonic clock. */
  readonly afterMs: number;
  readonly direction: 'sent' | 'received';
  readonly kind: 'text' | 'binary';
  /** Text, or base64 for binary messages; may be truncated. */
  readonly data: string;
  readonly sizeBytes: number;
  readonly truncated?: true;
  /** Name and id of a server-sent event. */
  readonly event?: string;
  readonly id?: string;
}

const OVERHEAD_BYTES = 120;

export class MessageLog {
  readonly messages: StreamMessage[] = [];
  sent = 0;
  received = 0;
  /** Number of evicted messages. */
  dropped = 0;
  heldBytes = 0;

  add(message: Omit<StreamMessage, 'sizeBytes' | 'truncated'>, limits: TrafficLimits): void {
    this[message.direction]++;
    const data = clip(message.data, limits.messageBytes);
    const truncated = compact({ truncated: data.length < message.data.length });
    const sizeBytes =
      message.kind === 'binary' ? base64Bytes(message.data) : Buffer.byteLength(message.data);
    this.messages.push({ ...message, data, sizeBytes, ...truncated });
    this.heldBytes += data.length + OVERHEAD_BYTES;
    while (
      this.messages.length > 1 &&
      (this.messages.length > limits.messageCount || this.heldBytes > limits.messagesBytes)
    ) {
      const oldest = this.messages.shift();
      this.heldBytes -= (oldest?.data.length ?? 0) + OVERHEAD_BYTES;
      this.dropped++;
    }
  }
}
