// The last messages of one WebSocket or event stream: bounded in number and bytes, with honest
// counts of the whole.
import type { TrafficLimits } from './limits.ts';
import { base64Bytes, clip } from './bounded-text.ts';

export interface StreamMessage {
  /** Chrome's monotonic clock relative to the request's start, milliseconds. */
  readonly afterMs: number;
  readonly direction: 'sent' | 'received';
  readonly kind: 'text' | 'binary';
  /** Text, or base64 where the kind is binary; may be cut. */
  readonly data: string;
  readonly sizeBytes: number;
  readonly truncated?: true;
  /** Server-sent events: the event's name and id. */
  readonly event?: string;
  readonly id?: string;
}

const OVERHEAD_BYTES = 120;

export class MessageLog {
  readonly messages: StreamMessage[] = [];
  sent = 0;
  received = 0;
  /** Messages that gave way to later ones. */
  dropped = 0;
  heldBytes = 0;

  add(message: Omit<StreamMessage, 'sizeBytes' | 'truncated'>, limits: TrafficLimits): void {
    this[message.direction]++;
    const data = clip(message.data, limits.messageBytes);
    const truncated = data.length < message.data.length ? { truncated: true as const } : {};
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
