// Reads numbers of typed arrays; positions outside the array count as 0.

export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

export const positionAt = (positions: Uint32Array, at: number): number => positions[at] ?? 0;
