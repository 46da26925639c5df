// Request bodies that Chrome leaves out of its event: asked for at once, because they go with the page that sent them.
import type { RequestDraft } from './request-record.ts';
import { headerValue } from './request-record.ts';
import { toFetchedPostData, type PostData } from './post-data.ts';
import type { RequestLog } from './request-log.ts';

/** Fills in `record.postData` as soon as its size is known to be small enough; leaves the reason otherwise. */
export const fetchPostData = async (record: RequestDraft, log: RequestLog): Promise<void> => {
  if (!record.rawRequestHeaders) return; // the size stands in the raw headers: we are called again with them
  const size = Number(headerValue(record.requestHeaders, 'content-length') ?? NaN);
  if (Number.isNaN(size)) return settle(record, log, { why: 'stream' });
  if (size > log.limits.postBytes) return settle(record, log, { why: 'too_large', sizeBytes: size });
  try {
    const answer = await log.sessionOf(record)?.send('Network.getRequestPostData', { requestId: record.requestId });
    settle(record, log, answer ? toFetchedPostData(answer.postData, answer.base64Encoded, size) : { why: 'unavailable', sizeBytes: size });
  } catch {
    settle(record, log, { why: 'unavailable', sizeBytes: size }); // the page that sent it is gone
  }
};

const settle = (record: RequestDraft, log: RequestLog, data: PostData): void => {
  record.postData = data;
  log.reweigh(record);
};
