// A captured network request as plain data, the same in memory and on disk.
import { z } from 'zod';

const FormPartSchema = z.object({
  name: z.string(),
  value: z.string().optional(),
  filename: z.string().optional(),
  type: z.string().optional(),
  sizeBytes: z.number().optional(),
});

/** A body: text, base64 if it is binary, the parts of a form, or the reason why it is missing. */
const ContentSchema = z.object({
  text: z.string().optional(),
  base64: z.string().optional(),
  parts: z.array(FormPartSchema).optional(),
  /** Size of the whole body, if known. */
  size: z.number().optional(),
  /** Why the body is truncated. */
  cut: z.string().optional(),
  /** Why there is neither text nor base64. */
  why: z.string().optional(),
});

const HeadersSchema = z.record(z.string(), z.string());

const MessageSchema = z.object({
  /** `afterMs` counts from the start of the request. */
  direction: z.enum(['sent', 'received']),
  afterMs: z.number(),
  kind: z.enum(['text', 'binary']),
  data: z.string(),
  size: z.number(),
  cut: z.boolean().optional(),
  event: z.string().optional(),
  id: z.string().optional(),
});

export const CapturedRequestSchema = z.object({
  key: z.string(),
  tabId: z.string(),
  /** Unix milliseconds. */
  startedAt: z.number(),
  method: z.string(),
  url: z.string(),
  documentUrl: z.string(),
  /** Chrome's resource type. */
  resourceType: z.string(),
  state: z.enum(['pending', 'receiving', 'finished', 'failed']),
  status: z.number().optional(),
  statusText: z.string().optional(),
  /** The status that the page received, if it differs from the server's (200 for a 304). */
  deliveredStatus: z.number().optional(),
  contentType: z.string(),
  /** Body bytes after decompression, and all bytes over the network. */
  size: z.number(),
  transferred: z.number(),
  /** The cache or service worker that responded, if the response is not from the network. */
  from: z.string().optional(),
  protocol: z.string().optional(),
  remoteAddress: z.string().optional(),
  error: z.string().optional(),
  redirectedTo: z.string().optional(),
  /** How an interception handler changed the request. */
  intercepted: z.string().optional(),
  initiator: z.object({
    type: z.string(),
    url: z.string().optional(),
    line: z.number().optional(),
  }),
  requestHeaders: HeadersSchema,
  requestBody: ContentSchema.optional(),
  responseHeaders: HeadersSchema.optional(),
  body: ContentSchema,
  shape: z.record(z.string(), z.string()).optional(),
  ttfbMs: z.number().optional(),
  durationMs: z.number().optional(),
  phases: z
    .object({
      blockedMs: z.number(),
      dnsMs: z.number().optional(),
      connectMs: z.number().optional(),
      tlsMs: z.number().optional(),
      sendMs: z.number(),
      waitMs: z.number(),
    })
    .optional(),
  messages: z
    .object({
      sent: z.number(),
      received: z.number(),
      dropped: z.number(),
      kept: z.array(MessageSchema),
    })
    .optional(),
});

export type CapturedRequest = Readonly<z.output<typeof CapturedRequestSchema>>;
/** What a list without bodies shows of a request. */
export type CapturedSummary = Pick<
  CapturedRequest,
  | 'key'
  | 'method'
  | 'url'
  | 'state'
  | 'status'
  | 'deliveredStatus'
  | 'contentType'
  | 'size'
  | 'from'
  | 'redirectedTo'
  | 'error'
  | 'intercepted'
>;
export type Content = Readonly<z.output<typeof ContentSchema>>;
