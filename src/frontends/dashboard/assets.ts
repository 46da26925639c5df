// The files of the dashboard's page, and the headers that restrict what the page can do.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { fail } from '../../core/failure.ts';
import { getOwn } from '../../core/json.ts';
import { PAGE_ICON, PAGE_SCRIPT, PAGE_STYLE } from 'dashboard-page';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>OpenChrome</title>
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/dashboard/app.css">
<script type="module" src="/dashboard/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>The dashboard needs JavaScript.</noscript>
</body>
</html>
`;

interface Asset {
  readonly type: string;
  readonly text: string;
}

const ASSETS: Readonly<Record<string, Asset>> = {
  '/': { type: 'text/html; charset=utf-8', text: PAGE },
  '/dashboard/app.js': { type: 'text/javascript; charset=utf-8', text: PAGE_SCRIPT },
  '/dashboard/app.css': { type: 'text/css; charset=utf-8', text: PAGE_STYLE },
  '/dashboard/icon.svg': { type: 'image/svg+xml', text: PAGE_ICON },
};

/**
 * No inline script, no other host, no frame around the page. Pictures are blobs of the live feed.
 * Inline styles are set by scripts through the CSSOM, which this policy allows.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of every response of the dashboard. */
export const protectResponse = (response: ServerResponse, policy = POLICY): void => {
  response.setHeader('content-security-policy', policy);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('permissions-policy', 'camera=(), microphone=(), geolocation=()');
};

const packed = new Map<string, Buffer>();

export const sendAsset = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const asset = getOwn(ASSETS, path);
  if (!asset) throw fail('not_found', 'This path does not exist.');
  const { 'accept-encoding': accepted = '' } = request.headers;
  const isPacked = accepted.includes('gzip');
  const known = packed.get(path) ?? gzipSync(asset.text);
  packed.set(path, known);
  const body = isPacked ? known : Buffer.from(asset.text);
  if (isPacked) response.setHeader('content-encoding', 'gzip');
  response.writeHead(200, {
    'content-type': asset.type,
    'content-length': body.length,
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
};
