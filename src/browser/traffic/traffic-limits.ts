// Memory limits of a tab's recorder; every collection in this folder has its limit here.

const KIB = 1024;
const MIB = 1024 * KIB;

export interface TrafficLimits {
  /** Maximum number of requests, and their total bytes without bodies. */
  readonly requestCount: number;
  readonly requestBytes: number;
  /** Maximum number of console messages, and their total bytes. */
  readonly consoleCount: number;
  readonly consoleBytes: number;
  /** The text of one console message is truncated to this size. */
  readonly consoleTextBytes: number;
  /** Larger response bodies are truncated. */
  readonly bodyBytes: number;
  /**
   * Total size of the bodies in memory; the oldest are evicted and can be fetched from Chrome
   * again.
   */
  readonly bodiesBytes: number;
  /** Larger bodies are never fetched: one CDP message of that size would delay all others. */
  readonly bodyTransferBytes: number;
  /** Larger request bodies are not kept. */
  readonly postBytes: number;
  /**
   * Limits of one WebSocket or event stream: number of messages, total bytes, bytes per message.
   */
  readonly messageCount: number;
  readonly messagesBytes: number;
  readonly messageBytes: number;
  /** Size of Chrome's own buffer for bodies, per tab. */
  readonly chromeBufferBytes: number;
  /** A response that is still arriving after this time is a stream; waits ignore it. */
  readonly streamAfterMs: number;
  /** A request without a response after this time is a long poll; waits ignore it. */
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
