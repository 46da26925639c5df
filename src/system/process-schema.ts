// The schema of a process identity. Apart from process-identity.ts, which runs without zod.
import { z } from 'zod';
import type { ProcessIdentity } from './process-identity.ts';

export const ProcessIdentitySchema: z.ZodType<ProcessIdentity> = z.object({
  pid: z.number().int().positive(),
  started: z.string(),
  host: z.string(),
});
