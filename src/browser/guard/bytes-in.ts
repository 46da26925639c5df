// The first bytes of a connection, a given number at a time; what is left over stays with the connection.
import type { Socket } from 'node:net';

export class BytesIn {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** So many bytes; rejects when the connection ends before. */
  async take(count: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(count) as Buffer | null;
      if (bytes?.length === count) return bytes;
      if (bytes || this.#socket.readableEnded || this.#socket.destroyed) throw new Error('the connection ended');
      await this.#more();
    }
  }

  /** Whoever pipes the socket from here on gets the rest. */
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
