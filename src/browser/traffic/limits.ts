// How much the recorder of one tab may hold: every collection in this room is bounded by a line
// here.

const KIB = 1024;
const MIB = 1024 * KIB;

export interface TrafficLimits {
  /** Requests kept, and the bytes that they may hold together (bodies not counted). */
  readonly requestCount: number;
  readonly requestBytes: number;
  /** Console messages kept, and their bytes. */
  readonly consoleCount: number;
  readonly consoleBytes: number;
  /** One console message's text is cut here. */
  readonly consoleTextBytes: number;
  /** A response body larger than this is cut. */
  readonly bodyBytes: number;
  /** All bodies held in memory; the oldest give way and can be asked of Chrome again. */
  readonly bodiesBytes: number;
  /**
   * Bodies above this are never asked for: one message of that size would hold up all the others.
   */
  readonly bodyTransferBytes: number;
  /** A request body larger than this is not kept. */
  readonly postBytes: number;
  /** Messages kept of one WebSocket or event stream, their bytes, and where one message is cut. */
  readonly messageCount: number;
  readonly messagesBytes: number;
  readonly messageBytes: number;
  /** What Chrome may keep of bodies for later, per tab. */
  readonly chromeBufferBytes: number;
  /** A response that has been arriving for longer is a stream: nobody waits for its end. */
  readonly streamAfterMs: number;
  /** A request without an answer for longer is a long poll: nobody waits for it. */
  readonly longPollAfterMs: number;
}

export const TRAFFIC_LIMITS: TrafficLimits = {
  requestCount: 5_000,
  requestBytes: 16 * MIB,
  consoleCount: 1_000,
  consoleBytes: 2 * MIB,
  consoleTextBytes: 8 * KIB,
  bodyBytes: 8 * MIB,
  bodiesBytes: 32 * MIB,
  bodyTransferBytes: 64 * MIB,
  postBytes: 1 * MIB,
  messageCount: 200,
  messagesBytes: 256 * KIB,
  messageBytes: 16 * KIB,
  chromeBufferBytes: 64 * MIB,
  streamAfterMs: 1_500,
  longPollAfterMs: 10_000,
};
