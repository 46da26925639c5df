// Loads the source maps of a tab's scripts through the page's network, each once.
import { getOrCreate } from '../../core/collections.ts';
import { ifDefined } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';
import { requireField } from '../cdp/connection.ts';
import type { Tab } from '../tabs/tab.ts';
import type { SourceMap } from './source-map.ts';
import type { StackFrame } from './stack.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_KEPT = 10;

const kept = new WeakMap<Tab, Map<string, Promise<SourceMap | undefined>>>();

/** Maps stack frames to their original positions; frames without a source map are unchanged. */
export const mapFrames = (
  tab: Tab,
  frames: readonly StackFrame[],
  signal: AbortSignal,
): Promise<StackFrame[]> =>
  Promise.all(
    frames.map(async (frame) => {
      const found = (await findMap(tab, frame.url, signal))?.find(frame.line, frame.column);
      return found
        ? { function: frame.function, url: found.url, line: found.line, column: found.column }
        : frame;
    }),
  );

const findMap = (tab: Tab, url: string, signal: AbortSignal): Promise<SourceMap | undefined> => {
  if (!/^https?:/.test(url)) return Promise.resolve(undefined);
  const maps = getOrCreate(kept, tab, () => new Map());
  // A map that a restricted tab did not load must not count as missing after the restriction ends.
  const restriction = textIf(!tab.guard.mayLoadUnintercepted(url), 'restricted');
  const key = `${tab.frames.main.loaderId} ${restriction} ${url}`;
  let map = maps.get(key);
  if (!map) {
    maps.set(key, (map = loadMap(tab, url, signal)));
    map.catch(() => maps.delete(key)); // another caller may try again
  }
  for (const oldest of maps.keys()) if (maps.size > MAX_KEPT) maps.delete(oldest);
  return map;
};

/** Returns undefined if the map cannot be loaded; the frame then keeps its generated position. */
const loadMap = async (
  tab: Tab,
  url: string,
  signal: AbortSignal,
): Promise<SourceMap | undefined> => {
  const { mapAddressIn, SourceMap } = await import('./source-map.ts');
  try {
    const script = (await readScript(tab, url, signal)) ?? (await loadText(tab, url, signal));
    const address = ifDefined(script, mapAddressIn);
    if (address === undefined) return undefined;
    const mapUrl = new URL(address, url).href;
    const text = mapUrl.startsWith('data:')
      ? decodeData(mapUrl)
      : await loadText(tab, mapUrl, signal);
    return ifDefined(text, (text) =>
      SourceMap.parse(text, mapUrl.startsWith('data:') ? url : mapUrl),
    );
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
};

/** The script's recorded body, if it is available. */
const readScript = async (
  tab: Tab,
  url: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const record = [...tab.traffic.requests].findLast(
    (one) => one.url === url && one.state === 'finished',
  );
  if (!record) return undefined;
  const body = await tab.traffic.body(record, signal);
  return body.truncated ? undefined : body.text;
};

const decodeData = (url: string): string => {
  const comma = url.indexOf(',');
  const content = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(content, 'base64').toString('utf8')
    : decodeURIComponent(content);
};

/**
 * Loads with the page's cookies and proxy, never from this process. Undefined if the guard refuses
 * the URL.
 */
const loadText = async (
  { cdp, id, guard }: Tab,
  url: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (!guard.mayLoadUnintercepted(url)) return undefined; // the page chooses this URL
  const { resource } = await cdp.send(
    'Network.loadNetworkResource',
    { frameId: id, url, options: { disableCache: false, includeCredentials: true } },
    signal,
  );
  if (!resource.success || resource.stream === undefined) return undefined;
  const handle = requireField(resource.stream, 'the stream');
  const chunks: Buffer[] = [];
  try {
    for (let size = 0; size < MAX_BYTES;) {
      const { data, base64Encoded, eof } = await cdp.send(
        'IO.read',
        { handle, size: CHUNK_BYTES },
        signal,
      );
      const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
      chunks.push(chunk);
      size += chunk.length;
      if (eof) return Buffer.concat(chunks).toString('utf8');
    }
    return undefined;
  } finally {
    cdp.send('IO.close', { handle }).catch(() => {});
  }
};
