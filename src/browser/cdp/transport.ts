// A way to exchange CDP messages with a Chrome: the pipe of one we started, or the socket of one
// that runs.

export interface Transport {
  send(message: string): void;
  /** Set by the connection before the first message can arrive. */
  onMessage?: (message: string) => void;
  /** Called once, when nothing more will arrive. */
  onClose?: (reason: string) => void;
  close(): void;
}
