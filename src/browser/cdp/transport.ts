// The interface of a CDP transport: the pipe of a Chrome that we start, or a WebSocket.

export interface Transport {
  send(message: string): void;
  /** Set by the connection before the first message can arrive. */
  onMessage?: (message: string) => void;
  /** Called once, when no more messages can arrive. */
  onClose?: (reason: string) => void;
  close(): void;
}
