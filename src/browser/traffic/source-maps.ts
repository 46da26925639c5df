// Loads the source maps of a tab's scripts through the page's network, each once.
import { getOrCreate } from '../../core/collections.ts';
import { ifDefined, valueIf } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';
import type { WorkerPool, WorkerScript } from '../../core/worker-pool.ts';
import { requireField } from '../cdp/connection.ts';
import type { Tab } from '../tabs/tab.ts';
import type { GeneratedPosition, Position } from './source-map.ts';
import type { StackFrame } from './stack.ts';
import type { SourceMapAnswer, SourceMapRequest } from './workers/source-map.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const MAX_KEPT = 10;
/** A larger map is parsed in a worker thread. */
const LARGE_CHARS = 256 * 1024;
const PARSING_MS = 10_000;
/** A map is about 10 times as large in memory as its text. */
const MAX_HEAP_MB = 1024;

const SCRIPT: WorkerScript = {
  name: 'source-map',
  loadSource: async () => (await import('worker-script:source-map')).default,
  maxHeapMb: MAX_HEAP_MB,
};

/** The text of a source map and the URL against which its sources are resolved. */
interface MapText {
  readonly text: string;
  readonly base: string;
}

const kept = new WeakMap<Tab, Map<string, Promise<MapText | undefined>>>();

export interface MappingOptions {
  readonly workers: WorkerPool;
  readonly signal: AbortSignal;
}

/** Maps stack frames to their original positions; frames without a source map are unchanged. */
export const mapFrames = async (
  tab: Tab,
  frames: readonly StackFrame[],
  options: MappingOptions,
): Promise<StackFrame[]> => {
  const mapped = [...frames];
  const scripts = new Map<string, number[]>();
  for (const [index, { url }] of frames.entries()) getOrCreate(scripts, url, () => []).push(index);
  const mapScript = async ([url, indexes]: readonly [string, readonly number[]]): Promise<void> => {
    const map = await findMap(tab, url, options.signal);
    if (!map) return;
    const wanted = indexes.map((index) => frames[index] as StackFrame);
    const positions = await findPositions(map, wanted, options);
    for (const [i, index] of indexes.entries())
      mapped[index] = moveFrame(wanted[i] as StackFrame, positions[i]);
  };
  await Promise.all([...scripts].map(mapScript));
  return mapped;
};

const moveFrame = (frame: StackFrame, position: Position | undefined): StackFrame =>
  position
    ? {
        function: frame.function,
        url: position.url,
        line: position.line,
        column: position.column,
      }
    : frame;

const findPositions = async (
  { text, base }: MapText,
  wanted: readonly GeneratedPosition[],
  { workers, signal }: MappingOptions,
): Promise<readonly (Position | undefined)[]> => {
  const positions = wanted.map(({ line, column }) => ({ line, column }));
  if (text.length <= LARGE_CHARS) {
    const { SourceMap } = await import('./source-map.ts');
    const map = SourceMap.parse(text, base);
    return positions.map(({ line, column }) => map?.find(line, column));
  }
  const request: SourceMapRequest = { text, base, positions };
  try {
    return await workers.run<SourceMapAnswer>(SCRIPT, request, { timeoutMs: PARSING_MS, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return []; // too large or too slow: the frames keep their generated positions
  }
};

const findMap = (tab: Tab, url: string, signal: AbortSignal): Promise<MapText | undefined> => {
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
): Promise<MapText | undefined> => {
  const { mapAddressIn } = await import('./source-map.ts');
  try {
    const script = (await readScript(tab, url, signal)) ?? (await loadText(tab, url, signal));
    const address = ifDefined(script, mapAddressIn);
    if (address === undefined) return undefined;
    const mapUrl = new URL(address, url).href;
    const text = mapUrl.startsWith('data:')
      ? decodeData(mapUrl)
      : await loadText(tab, mapUrl, signal);
    return ifDefined(text, (text) => ({ text, base: mapUrl.startsWith('data:') ? url : mapUrl }));
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
  return valueIf(!body.truncated, body.text);
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
