// The descriptor of a stored payload, which is the entire reply in handle mode. Apart from
// handle-payload.ts, because the search worker must not contain zod.
import { z } from 'zod';
import { OUTPUT_HANDLE } from '../../core/ids.ts';
import type { HandleMeta } from './handle-files.ts';

export const PREVIEW_BYTES = 2048;

export const DescriptorSchema = z.strictObject({
  output_handle: z.string().regex(OUTPUT_HANDLE),
  mime_type: z.string().min(1),
  size_bytes: z.number().int().min(0),
  /** Number of items; null if the payload cannot be addressed by item. */
  item_count: z.number().int().min(0).nullable(),
  preview: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= PREVIEW_BYTES, `at most ${PREVIEW_BYTES} bytes`)
    .nullable(),
  expires_at: z.iso.datetime(),
  fetch_with: z.literal('oc_output_fetch'),
});

export type Descriptor = z.output<typeof DescriptorSchema>;

/** Parsed strictly, so that no other property can be returned. */
export const describeHandle = (meta: HandleMeta, preview: string | null): Descriptor =>
  DescriptorSchema.parse({
    output_handle: meta.output_handle,
    mime_type: meta.mime_type,
    size_bytes: meta.size_bytes,
    item_count: meta.item_count,
    preview,
    expires_at: meta.expires_at,
    fetch_with: 'oc_output_fetch',
  });
