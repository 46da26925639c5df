// Searches for many byte patterns in one pass with linear time (Aho-Corasick).
import { byteAt, positionAt } from './escapes.ts';

const rowAt = (rows: Int32Array, at: number): number => rows[at] ?? 0;

/**
 * Maps bytes that count as equal to one byte: letters of either case, and `+` and space, because
 * forms write a space as `+`.
 */
export const foldByte = (byte: number): number => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  return byte === 0x2b ? 0x20 : byte;
};

export class SecretAutomaton {
  /**
   * The column of each byte in the transition table; column 0 is for bytes that no pattern
   * contains.
   */
  readonly columns = new Uint8Array(256);
  /**
   * `rows[row + column]` is the row of the next state, where `row` is the state's number times
   * `width`. It is negative (`-row - 1`) if a pattern ends there. The search begins in row 0.
   */
  readonly rows: Int32Array;
  readonly shortest: number;
  readonly longest: number;
  readonly #width: number;
  /** Length of the longest pattern that ends in a state; 0 if none does. */
  readonly #matched: Uint32Array;

  constructor(patterns: readonly Uint8Array[]) {
    this.shortest = patterns.reduce((least, { length }) => Math.min(least, length), Infinity);
    this.longest = patterns.reduce((most, { length }) => Math.max(most, length), 0);
    this.#width = this.#assignColumns(patterns);
    const states = patterns.reduce((sum, { length }) => sum + length, 1);
    this.rows = new Int32Array(states * this.#width);
    this.#matched = new Uint32Array(states);
    this.#link(this.#addPatterns(patterns));
    this.#toRows();
  }

  /** The length of the longest pattern that ends in this row. */
  matchedIn(row: number): number {
    return positionAt(this.#matched, row / this.#width);
  }

  #assignColumns(patterns: readonly Uint8Array[]): number {
    let used = 1;
    for (const pattern of patterns) {
      for (const byte of pattern)
        if (this.columns[foldByte(byte)] === 0) this.columns[foldByte(byte)] = used++;
    }
    for (let byte = 0; byte < 256; byte++)
      this.columns[byte] = byteAt(this.columns, foldByte(byte));
    return used;
  }

  /** Builds the trie; returns its number of states. */
  #addPatterns(patterns: readonly Uint8Array[]): number {
    let states = 1;
    for (const pattern of patterns) {
      let state = 0;
      for (const byte of pattern) {
        const at = state * this.#width + byteAt(this.columns, byte);
        if (this.rows[at] === 0) this.rows[at] = states++;
        state = rowAt(this.rows, at);
      }
      this.#matched[state] = Math.max(positionAt(this.#matched, state), pattern.length);
    }
    return states;
  }

  /**
   * Breadth first: a missing transition is copied from the longest suffix, which is already
   * complete.
   */
  #link(states: number): void {
    const suffixes = new Uint32Array(states);
    const queue = [0];
    // The loop also visits the states that it adds.
    for (const state of queue) {
      for (let column = 0; column < this.#width; column++) {
        const at = state * this.#width + column;
        const child = rowAt(this.rows, at);
        const other =
          state === 0 ? 0 : rowAt(this.rows, positionAt(suffixes, state) * this.#width + column);
        if (child === 0) {
          this.rows[at] = other;
          continue;
        }
        suffixes[child] = other;
        this.#matched[child] = Math.max(
          positionAt(this.#matched, child),
          positionAt(this.#matched, other),
        );
        queue.push(child);
      }
    }
  }

  #toRows(): void {
    for (let at = 0; at < this.rows.length; at++) {
      const state = rowAt(this.rows, at);
      const row = state * this.#width;
      this.rows[at] = this.#matched[state] === 0 ? row : -row - 1;
    }
  }
}
