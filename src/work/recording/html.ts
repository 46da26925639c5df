// The replay: one HTML file with its player and everything that was recorded, which asks for nothing and lets nothing of the page run.
import { createHash } from 'node:crypto';
import playerScript from 'page-script:recording-player';
import type { KeptFiles } from '../../store/working-files.ts';
import {
  CALLS,
  CONSOLE,
  DOM,
  type DomEvent,
  type KeptCall,
  type KeptConsole,
  type KeptRequest,
  type KeptResource,
  type KeptStart,
  type KeptStep,
  NETWORK,
  RESOURCES,
} from './kept.ts';
import { offline } from './replay-events.ts';
import { describeStep, scriptSteps } from './script-steps.ts';
import { STYLE } from './replay-style.ts';

/** The player holds the work of others, whose licence asks that this be said. */
const LICENCE = `The player contains rrweb (https://github.com/rrweb-io/rrweb), Copyright (c) 2018 Contributors and SmartX Inc., under the MIT License:
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const MAX_LISTED = 2000;

/** Only this very script runs, only what stands in the file is shown: a page that was recorded cannot reach out of its replay. */
const policy = (script: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline' data:",
    'img-src data: blob:',
    'font-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-src 'none'",
    "object-src 'none'",
  ].join('; ');

/** JSON inside of a script element: no tag can end it there. */
const embedded = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

interface Timed {
  readonly at: number;
  readonly kind: 'step' | 'console' | 'request';
  readonly text: string;
  readonly bad?: true;
}

export async function* replayHtml(kept: KeptFiles, start: KeptStart, steps: readonly KeptStep[]): AsyncGenerator<string> {
  // A script of the player must not be ended by what stands in it either.
  const script = playerScript.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  yield `<!doctype html>
<!-- ${LICENCE} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(script)}">
<meta http-equiv="x-dns-prefetch-control" content="off">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>Recording of ${new Date(start.at).toISOString()}</title>
<style>${STYLE}</style>
</head>
<body>
<script type="application/json" id="facts">${embedded({ at: start.at, url: start.url, title: start.title })}</script>
<script type="application/json" id="timeline">${embedded(await timeline(kept, steps))}</script>
<script type="application/json" id="events">[`;
  yield* embeddedEvents(kept);
  yield `]</script>
<script>${script}</script>
</body>
</html>
`;
}

async function* embeddedEvents(kept: KeptFiles): AsyncGenerator<string> {
  const resources = new Map<string, string>();
  for await (const { url, mimeType, base64 } of kept.entries<KeptResource>(RESOURCES))
    resources.set(url, `data:${mimeType.replaceAll(/[^\w/+.-]/g, '')};base64,${base64}`);
  let first = true;
  for await (const event of kept.entries<DomEvent>(DOM)) {
    yield `${first ? '' : ',\n'}${embedded(offline(event, resources))}`;
    first = false;
  }
}

const timeline = async (kept: KeptFiles, steps: readonly KeptStep[]): Promise<Timed[]> => {
  const out: Timed[] = scriptSteps(steps).map((step) => ({ at: step.at, kind: 'step', text: describeStep(step) }));
  for await (const call of kept.entries<KeptCall>(CALLS))
    if (call.failed !== undefined) out.push({ at: call.at + call.ms, kind: 'step', text: describeFailedCall(call), bad: true });
  for await (const { at, level, text } of kept.entries<KeptConsole>(CONSOLE))
    out.push({ at, kind: 'console', text: `${level}: ${text.slice(0, 500)}`, ...(level === 'error' ? { bad: true as const } : {}) });
  for await (const { at, method, url, status, error } of kept.entries<KeptRequest>(NETWORK))
    out.push({
      at,
      kind: 'request',
      text: `${method} ${url.slice(0, 300)} ${error ?? status ?? ''}`,
      ...(error !== undefined || (status ?? 0) >= 400 ? { bad: true as const } : {}),
    });
  return out.sort((a, b) => a.at - b.at).slice(0, MAX_LISTED);
};

const MAX_ARGUMENTS_CHARS = 300;

/** `interact {"action":"click","query":"Save"} failed: target_not_found` */
const describeFailedCall = ({ tool, arguments: given, failed }: KeptCall): string =>
  `${tool} ${JSON.stringify(given).slice(0, MAX_ARGUMENTS_CHARS)} failed: ${failed}`;
