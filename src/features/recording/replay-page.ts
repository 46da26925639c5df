// Renders the replay: one offline HTML file with the player and the recorded events.
import { createHash } from 'node:crypto';
import playerScript from 'page-script:recording-player';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
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
  NETWORK,
  type RecordedStep,
  RESOURCES,
} from './kept-lines.ts';
import { buildScriptSteps, describeStep } from './script-steps.ts';
import { isObject, isRecord, isUnknownArray } from '../../core/json.ts';
import { textIf } from '../../core/text.ts';

/** The licence of rrweb requires this notice. */
const LICENCE = `The player contains rrweb (https://github.com/rrweb-io/rrweb), Copyright (c) 2018
Contributors and SmartX Inc., under the MIT License:
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions: The above copyright notice and this
permission notice shall be included in all copies or substantial portions of the Software. THE
SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const MAX_LISTED = 2000;

/**
 * The policy allows only the player script and data URLs, so that a recorded page cannot run
 * scripts or send requests from its replay.
 */
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

/** JSON for a script element; `<` is escaped, so that no tag can end the element. */
const embedded = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');

interface ReplayEvent {
  readonly at: number;
  readonly kind: 'step' | 'console' | 'request';
  readonly text: string;
  readonly bad?: true;
}

export async function* replayHtml(
  kept: KeptFiles,
  start: KeptStart,
  steps: readonly RecordedStep[],
): AsyncGenerator<string> {
  // The text of the player must not end its script element either.
  const script = playerScript.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
  const facts = embedded({ at: start.at, url: start.url, title: start.title });
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
<script type="application/json" id="facts">${facts}</script>
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
    yield `${textIf(!first, ',\n')}${embedded(makeOffline(event, resources))}`;
    first = false;
  }
}

const timeline = async (
  kept: KeptFiles,
  steps: readonly RecordedStep[],
): Promise<ReplayEvent[]> => {
  const out: ReplayEvent[] = buildScriptSteps(steps).map((step) => ({
    at: step.at,
    kind: 'step',
    text: describeStep(step),
  }));
  for await (const call of kept.entries<KeptCall>(CALLS))
    if (call.failed !== undefined)
      out.push({ at: call.at + call.ms, kind: 'step', text: describeFailedCall(call), bad: true });
  for await (const { at, level, text } of kept.entries<KeptConsole>(CONSOLE))
    out.push(
      defined({
        at,
        kind: 'console',
        text: `${level}: ${text.slice(0, 500)}`,
        ...compact({ bad: level === 'error' }),
      }),
    );
  for await (const { at, method, url, status, error } of kept.entries<KeptRequest>(NETWORK))
    out.push(
      defined({
        at,
        kind: 'request',
        text: `${method} ${url.slice(0, 300)} ${error ?? status ?? ''}`,
        ...compact({ bad: error !== undefined || (status ?? 0) >= 400 }),
      }),
    );
  return out.sort((a, b) => a.at - b.at).slice(0, MAX_LISTED);
};

const MAX_ARGUMENTS_CHARS = 300;

/** Example: `interact {"action":"click","query":"Save"} failed: target_not_found` */
const describeFailedCall = ({ tool, arguments: given, failed }: KeptCall): string =>
  `${tool} ${JSON.stringify(given).slice(0, MAX_ARGUMENTS_CHARS)} failed: ${failed}`;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --ink: CanvasText; font: 14px/1.45
  system-ui, sans-serif; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr auto / 1fr 340px;
  background: Canvas; color: var(--ink); }
header { grid-column: 1 / 3; padding: 8px 14px; border-bottom: 1px solid var(--line); display:
  flex; gap: 12px; align-items: baseline; min-width: 0; }
header b { white-space: nowrap; }
header span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; opacity: .75; }
#stage { position: relative; overflow: hidden; background: #7773; min-width: 0; }
#stage p { padding: 20px; }
#player { position: absolute; transform-origin: 0 0; box-shadow: 0 2px 18px #0006; background:
  #fff; }
#player iframe { border: 0; display: block; background: #fff; }
aside { border-left: 1px solid var(--line); display: flex; flex-direction: column; min-height: 0; }
aside nav { display: flex; gap: 4px; padding: 8px; border-bottom: 1px solid var(--line); }
aside nav label { padding: 2px 8px; border: 1px solid var(--line); border-radius: 10px; font-size:
  12px; cursor: pointer; }
ol { margin: 0; padding: 0; list-style: none; overflow: auto; flex: 1; }
li { padding: 5px 10px; border-bottom: 1px solid var(--soft); cursor: pointer; overflow-wrap:
  anywhere; font-size: 13px; }
li:hover { background: var(--soft); }
li.now { background: #4950f633; }
li.bad { color: #d33; }
li.console, li.request { font: 12px/1.4 ui-monospace, monospace; }
li time { opacity: .6; margin-right: 8px; font-variant-numeric: tabular-nums; }
footer { grid-column: 1 / 3; display: flex; gap: 10px; align-items: center; padding: 8px 14px;
  border-top: 1px solid var(--line); }
#track { flex: 1; position: relative; min-width: 0; padding-top: 10px; }
#track input { width: 100%; margin: 0; display: block; }
#ticks { position: absolute; inset: 0 8px auto; height: 8px; }
#ticks i { position: absolute; width: 3px; height: 8px; margin-left: -1px; border-radius: 1px;
  background: #4950f6; }
#ticks i.bad { background: #d33; }
footer output { font-variant-numeric: tabular-nums; min-width: 90px; text-align: right; }
button, select { font: inherit; padding: 3px 12px; }
@media (max-width: 720px) {
  body { grid-template: auto 45vh 1fr auto / 1fr; height: 100dvh; }
  header, footer { grid-column: 1; }
  header { flex-direction: column; gap: 0; }
  header span { max-width: 100%; }
  aside { border-left: 0; border-top: 1px solid var(--line); }
  aside nav { flex-wrap: wrap; }
  footer { flex-wrap: wrap; gap: 6px; padding: 8px; }
  #track { order: -1; flex-basis: 100%; }
  footer output { margin-left: auto; }
}
.replayer-wrapper { position: relative; }
.replayer-mouse { position: absolute; width: 20px; height: 20px; pointer-events: none; z-index: 2;
  transition: left .05s linear, top .05s linear; }
.replayer-mouse:not([style]) { display: none; }
.replayer-mouse::before { content: ''; position: absolute; border: 7px solid transparent;
  border-left-color: #222; border-top-color: #222; }
.replayer-mouse::after { content: ''; position: absolute; width: 22px; height: 22px; margin:
  -11px; border-radius: 50%; background: #4950f6; opacity: .3; }
.replayer-mouse.active::after { animation: click .25s ease-in-out 1; }
.replayer-mouse-tail { position: absolute; pointer-events: none; }
@keyframes click { 50% { opacity: .8; transform: scale(.5); } }
`;

/** Data URLs by original URL. */
type Resources = ReadonlyMap<string, string>;

type Attributes = Record<string, unknown>;

/** Other links (preload, icon and so on) are removed, because the replay does not need them. */
const STYLE_LINK = /(?:^|\s)stylesheet(?:\s|$)/i;
const EMBEDDED = new Set(['src', 'href', 'poster', 'background', 'data', 'xlink:href', 'rr_src']);
const CSS_URL = /url\(\s{0,9}(["']?)([^"'()]{1,4000})\1\s{0,9}\)/g;

/** Replaces URLs with data URLs, in place: the event is not used elsewhere. */
const makeOffline = (event: DomEvent, resources: Resources): DomEvent => {
  const walk = (value: unknown): void => {
    if (!isObject(value)) return;
    if (isUnknownArray(value)) {
      for (const item of value) walk(item);
      return;
    }
    const object = value as Attributes;
    if (isRecord(object['attributes']))
      mendAttributes(object['attributes'], textOf(object['tagName']), resources);
    if (object['isStyle'] === true && typeof object['textContent'] === 'string')
      object['textContent'] = mendCss(object['textContent'], resources);
    for (const member of Object.values(object)) walk(member);
  };
  walk(event.data);
  return event;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const mendAttributes = (attributes: Attributes, tag: string, resources: Resources): void => {
  delete attributes['srcset'];
  delete attributes['imagesrcset'];
  delete attributes['ping'];
  if (tag === 'link' && !STYLE_LINK.test(textOf(attributes['rel'])))
    for (const name of ['rel', 'href']) delete attributes[name];
  // a refresh would navigate away from the replay
  if (tag === 'meta') delete attributes['http-equiv'];
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== 'string') continue;
    if (name === '_cssText' || name === 'style') attributes[name] = mendCss(value, resources);
    else if (EMBEDDED.has(name) && tag !== 'a' && tag !== 'area')
      attributes[name] = resources.get(value) ?? value;
  }
};

const mendCss = (css: string, resources: Resources): string =>
  css.includes('url(')
    ? css.replace(CSS_URL, (whole, _, url: string) => dataUrl(resources.get(url)) ?? whole)
    : css;

const dataUrl = (url: string | undefined): string | undefined =>
  ifDefined(url, (url) => `url("${url}")`);
