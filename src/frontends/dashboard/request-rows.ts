// Converts captured requests to rows and details of the dashboard. Pure.
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import { defined } from '../../core/defined.ts';
import { renderCurl } from '../../render/har.ts';
import type { RequestDetail, RequestItem } from './messages.ts';

const URL_CHARS = 2_000;
const BODY_CHARS = 200_000;

export const toRequestRow = (request: CapturedRequest): RequestItem => {
  const { key, startedAt, method, url, resourceType, state, status, contentType } = request;
  const { size, transferred, from, error, ttfbMs, durationMs, phases } = request;
  return defined({
    ...{ key, startedAt, method, url: url.slice(0, URL_CHARS), resourceType, state, status },
    ...{ contentType, size, transferred, from, error, ttfbMs, durationMs },
    phases: phases && defined(phases),
  });
};

const readContent = (content: Content | undefined): string | undefined => {
  if (content?.parts)
    return content.parts
      .map(({ name, value, filename }) => `${name}: ${filename ?? value ?? ''}`)
      .join('\n');
  return content?.text?.slice(0, BODY_CHARS);
};

export const toRequestDetail = (request: CapturedRequest): RequestDetail => {
  const { requestHeaders, responseHeaders, requestBody, body, shape } = request;
  const isBinary = body.base64 !== undefined;
  const isLong = (body.text?.length ?? 0) > BODY_CHARS;
  const note = isBinary ? 'Binary content' : (body.why ?? body.cut);
  return defined({
    ...toRequestRow(request),
    requestHeaders,
    responseHeaders,
    requestBody: readContent(requestBody),
    body: readContent(body),
    bodyNote: isLong ? `The first ${BODY_CHARS} characters` : note,
    shape,
    curl: renderCurl(request),
  });
};
