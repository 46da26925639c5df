// Reads the first bytes of a connection in given counts; unread bytes stay in the socket.
import type { Socket } from 'node:net';

export class SocketBytes {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Returns `count` bytes; rejects if the connection ends first. */
  async take(count: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(count) as Buffer | null;
      if (bytes?.length === count) return bytes;
      if (bytes || this.#socket.readableEnded || this.#socket.destroyed)
        throw new Error('the connection ended');
      await this.#more();
    }
  }

  /** Removes the `readable` listeners so that a pipe can read the remaining bytes. */
  release(): void {
    this.#socket.removeAllListeners('readable');
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        for (const event of ['readable', 'end', 'close']) this.#socket.off(event, done);
        resolve();
      };
      for (const event of ['readable', 'end', 'close']) this.#socket.on(event, done);
    });
  }
}
