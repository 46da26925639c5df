// The key and the port of the paired extension, in a private file.
import { z } from 'zod';
import { JsonFile } from '../files/json-file.ts';

const PairingSchema = z.object({
  port: z.number().int().min(1).max(65_535),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

export type SavedPairing = z.infer<typeof PairingSchema>;

export const openPairingFile = (path: string): JsonFile<SavedPairing> =>
  new JsonFile({ path, schema: PairingSchema, version: 1 });
