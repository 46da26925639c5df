// The descriptor of a stored payload: what a reply in handle mode consists of, strictly.
import { z } from 'zod';
import { OUTPUT_HANDLE } from '../../core/ids.ts';
import type { HandleMeta } from './handle-files.ts';

export const PREVIEW_BYTES = 2048;

export const DescriptorSchema = z.strictObject({
  output_handle: z.string().regex(OUTPUT_HANDLE),
  mime_type: z.string().min(1),
  size_bytes: z.number().int().min(0),
  /** The number of items where the payload can be addressed by item. */
  item_count: z.number().int().min(0).nullable(),
  preview: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= PREVIEW_BYTES, `at most ${PREVIEW_BYTES} bytes`)
    .nullable(),
  expires_at: z.iso.datetime(),
  fetch_with: z.literal('oc_output_fetch'),
});

export type Descriptor = z.output<typeof DescriptorSchema>;

/** Nothing but what the schema allows leaves here. */
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
