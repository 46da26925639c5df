// Fetches a stored payload by pages, queries or greps.
import { defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { getErrorCode } from '../../system/disk-error.ts';
import { PAGE_BYTES } from '../files/page-content.ts';
import { type HandleMeta, isTextual } from './handle-files.ts';
import {
  bytesPage,
  itemsPage,
  type OpenPayload,
  type PayloadPage,
  type References,
  textPage,
  wrongFormat,
} from './handle-pages.ts';
import { jsonPayload } from './handle-payload.ts';
import { grepPage, queryPage, type Searches } from './handle-search.ts';
import { handleNotFoundFailure, type Handles, type PayloadReader } from './handles.ts';

export const FETCH_FORMATS = ['auto', 'items', 'text', 'bytes'] as const;
export type FetchFormat = (typeof FETCH_FORMATS)[number];

export interface FetchRequest {
  readonly output_handle: string;
  readonly offset: number;
  readonly limit?: number | undefined;
  readonly query?: string | undefined;
  readonly grep?: string | undefined;
  readonly context?: number | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly format: FetchFormat;
}

export interface FetchedOutput {
  readonly output_handle: string;
  readonly offset: number;
  readonly limit: number;
  readonly returned: number;
  readonly total: number;
  readonly next_offset: number | null;
  readonly content: unknown;
  readonly eof: boolean;
  readonly envelope?: unknown;
  /** A key of the query that the payload lacks, if the query found nothing. */
  readonly missing_key?: string;
  readonly available_keys?: readonly string[];
}

const DEFAULT_ITEMS = 200;
/** A character has at most four bytes, so a page of this size always makes progress. */
const MIN_BYTES = 16;

export const fetchOutput = async (
  handles: Handles,
  request: FetchRequest,
  signal: AbortSignal,
  reader: PayloadReader = {},
): Promise<FetchedOutput> => {
  requireOneWay(request);
  await using payload = await handles.open(request.output_handle, reader);
  try {
    return await fetchPage(handles, payload, request, signal);
  } catch (error) {
    // The file was removed or changed while it was open, so the handle is reported as not found.
    const unreadable =
      !(error instanceof Failure) &&
      (error instanceof SyntaxError || getErrorCode(error) !== undefined);
    throw unreadable ? handleNotFoundFailure(request.output_handle) : error;
  }
};

const requireOneWay = ({ query, grep, context, fields }: FetchRequest): void => {
  if (query !== undefined && grep !== undefined)
    throw fail('invalid_argument', 'Use either query or grep.', { argument: 'grep' });
  if (grep !== undefined && fields)
    throw fail('invalid_argument', 'grep returns lines: fields cannot be used with it.', {
      argument: 'fields',
    });
  if (context !== undefined && grep === undefined)
    throw fail('invalid_argument', 'context requires grep.', { argument: 'context' });
};

const fetchPage = async (
  handles: Handles,
  payload: OpenPayload,
  request: FetchRequest,
  signal: AbortSignal,
): Promise<FetchedOutput> => {
  const references: References = {
    part: (whole, start, end) => handles.storePart(whole, start, end),
    value: (value, sourceTool) =>
      handles.store(jsonPayload(value), sourceTool, payload.meta.session),
  };
  const { page, limit } = await readPage(payload, request, {
    references,
    searches: handles.searches,
    signal,
  });
  const { offset, returned, total, content, envelope, missing } = page;
  const eof = offset + returned >= total;
  return {
    output_handle: request.output_handle,
    offset,
    limit,
    returned,
    total,
    next_offset: eof ? null : offset + returned,
    content,
    eof,
    ...defined({ envelope }),
    ...missing,
  };
};

interface Limited {
  readonly page: PayloadPage;
  readonly limit: number;
}

/** Dependencies of a fetch. */
interface Means {
  readonly references: References;
  readonly searches: Searches;
  readonly signal: AbortSignal;
}

const readPage = async (
  payload: OpenPayload,
  request: FetchRequest,
  means: Means,
): Promise<Limited> => {
  const { offset, fields, query, grep } = request;
  if (query !== undefined) return readQueryPage(payload, request, query, means);
  if (grep !== undefined) {
    const { limit = DEFAULT_ITEMS } = request;
    return {
      limit,
      page: await grepPage(
        means.searches,
        payload,
        { pattern: grep, context: request.context ?? 0, offset, limit },
        means.signal,
      ),
    };
  }
  const format = request.format === 'auto' ? naturalFormat(payload.meta) : request.format;
  if (format === 'items') {
    const { limit = DEFAULT_ITEMS } = request;
    return { limit, page: await itemsPage(payload, { offset, limit, fields }, means.references) };
  }
  if (fields) throw wrongFormat(`${format} with some fields`, payload.meta);
  const limit = bytesLimit(request);
  return { limit, page: await (format === 'text' ? textPage : bytesPage)(payload, offset, limit) };
};

const readQueryPage = async (
  payload: OpenPayload,
  request: FetchRequest,
  expression: string,
  means: Means,
): Promise<Limited> => {
  const { offset, fields, format } = request;
  if (format === 'bytes') throw wrongFormat('bytes of a query', payload.meta);
  const limit = {
    items: request.limit ?? DEFAULT_ITEMS,
    bytes: Math.max(request.limit ?? PAGE_BYTES, MIN_BYTES),
  };
  const page = await queryPage(
    means.searches,
    payload,
    { expression, offset, limit, fields, format },
    means.references,
    means.signal,
  );
  return { page, limit: typeof page.content === 'string' ? limit.bytes : limit.items };
};

const naturalFormat = (meta: HandleMeta): Exclude<FetchFormat, 'auto'> => {
  if (meta.items) return 'items';
  return isTextual(meta.mime_type) ? 'text' : 'bytes';
};

const bytesLimit = ({ limit = PAGE_BYTES }: FetchRequest): number => {
  if (limit >= MIN_BYTES) return limit;
  throw fail('invalid_argument', `"limit" must be at least ${MIN_BYTES} if it counts bytes.`, {
    argument: 'limit',
  });
};
