// Waits for a connection, and reads its first bytes in given counts; others stay in the socket.
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

/** Resolves when the socket is connected; destroys it with ETIMEDOUT after `timeoutMs`. */
export const waitForConnection = (socket: Socket, timeoutMs: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
