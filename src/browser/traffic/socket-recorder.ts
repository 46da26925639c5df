// Records the WebSockets and WebTransports of one session, with the last messages of each.
import { compact } from '../../core/defined.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { base64Bytes, clip, type SharedTexts } from './bounded-collections.ts';
import type { TrafficLimits } from './traffic.ts';
import type { RequestLog } from './request-log.ts';
import { RequestDraft, type Source, ticksToMs } from './request-record.ts';
import { toInitiator } from './stack.ts';

// The last messages of one WebSocket or event stream, and the counts of all messages.

interface StreamMessage {
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

interface SocketRecorderOptions {
  readonly log: RequestLog;
  readonly texts: SharedTexts;
  readonly nextSequence: () => number;
}

const TEXT_OPCODE = 1;

export class SocketRecorder {
  readonly #log: RequestLog;
  readonly #options: SocketRecorderOptions;

  constructor(options: SocketRecorderOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  watch(session: CdpSession, source: Source): void {
    session.on('Network.webSocketCreated', (event) =>
      this.#begin('WebSocket', event, session, source),
    );
    session.on('Network.webSocketWillSendHandshakeRequest', (event) =>
      this.#handshake(event, session),
    );
    session.on('Network.webSocketHandshakeResponseReceived', (event) =>
      this.#connected(event, session),
    );
    session.on('Network.webSocketFrameSent', (event) => this.#frame('sent', event, session));
    session.on('Network.webSocketFrameReceived', (event) =>
      this.#frame('received', event, session),
    );
    session.on('Network.webSocketFrameError', (event) => this.#broken(event, session));
    session.on('Network.webSocketClosed', ({ requestId, timestamp }) =>
      this.#closed(requestId, timestamp, session),
    );
    session.on('Network.webTransportCreated', (event) => {
      const record = this.#begin(
        'WebTransport',
        { ...event, requestId: event.transportId },
        session,
        source,
      );
      record.startTick = event.timestamp;
    });
    session.on('Network.webTransportConnectionEstablished', ({ transportId }) => {
      const record = this.#log.open(transportId, session);
      if (record) this.#log.respond(record);
    });
    session.on('Network.webTransportClosed', ({ transportId, timestamp }) =>
      this.#closed(transportId, timestamp, session),
    );
  }

  #begin(
    resourceType: 'WebSocket' | 'WebTransport',
    { requestId, url, initiator }: EventParams<'Network.webSocketCreated'>,
    session: CdpSession,
    source: Source,
  ): RequestDraft {
    const record = new RequestDraft(this.#options.nextSequence(), requestId, url, 'GET', source);
    record.resourceType = resourceType;
    record.initiator = toInitiator(initiator);
    record.startedAt = this.#log.now();
    record.messages = new MessageLog();
    this.#log.begin(record, session);
    return record;
  }

  #handshake(
    event: EventParams<'Network.webSocketWillSendHandshakeRequest'>,
    session: CdpSession,
  ): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.startedAt = event.wallTime * 1000;
    record.startTick = event.timestamp;
    record.requestHeaders = this.#options.texts.shareValues(event.request.headers);
    record.rawRequestHeaders = true;
  }

  #connected(
    { requestId, timestamp, response }: EventParams<'Network.webSocketHandshakeResponseReceived'>,
    session: CdpSession,
  ): void {
    const record = this.#log.open(requestId, session);
    if (!record) return;
    const { texts } = this.#options;
    record.status = response.status;
    record.statusText = texts.share(response.statusText);
    record.responseHeaders = texts.shareValues(response.headers);
    record.rawResponseHeaders = true;
    if (response.requestHeaders) record.requestHeaders = texts.shareValues(response.requestHeaders);
    record.ttfbMs = ticksToMs(record.startTick, timestamp);
    this.#log.respond(record);
  }

  #frame(
    direction: 'sent' | 'received',
    { requestId, timestamp, response }: EventParams<'Network.webSocketFrameReceived'>,
    session: CdpSession,
  ): void {
    const record = this.#log.open(requestId, session);
    if (!record?.messages) return;
    const kind = response.opcode === TEXT_OPCODE ? 'text' : 'binary';
    const message = {
      afterMs: ticksToMs(record.startTick, timestamp),
      direction,
      kind,
      data: response.payloadData,
    } as const;
    record.decodedBytes += direction === 'received' ? response.payloadData.length : 0;
    record.messages.add(message, this.#log.limits);
    this.#log.reweigh(record);
  }

  #broken(
    { requestId, timestamp, errorMessage }: EventParams<'Network.webSocketFrameError'>,
    session: CdpSession,
  ): void {
    const record = this.#log.open(requestId, session);
    if (!record) return;
    // Chrome reports the status of a rejected handshake only in the error message.
    const status = /Unexpected response code: (\d{3})/.exec(errorMessage)?.[1];
    if (status !== undefined) record.status ??= Number(status);
    this.#log.fail(record, { error: errorMessage, canceled: false }, timestamp);
  }

  #closed(requestId: string, timestamp: number, session: CdpSession): void {
    const record = this.#log.open(requestId, session);
    if (record) this.#log.finish(record, timestamp);
  }
}
