// The details of one task: crawled pages, result, replay of a recording and evidence bundle.
import type { ServerResponse } from 'node:http';
import { isAbsolute, join, relative } from 'node:path';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import type { Observer } from '../../features/observe/observer.ts';
import { findReplay, streamReplay } from '../../store/files/recordings.ts';
import { loadBundlePage } from '../../store/files/evidence.ts';
import { protectResponse } from './assets.ts';
import type { CrawlPageRow, TaskDetail } from './messages.ts';
import type { ObservedEngine } from './routes.ts';
import { toCrawlPage, toTaskRow } from './task-rows.ts';

const MAX_PAGES = 5_000;
const PAGES_FILE = 'pages.jsonl';

export const loadTaskDetail = async (
  engine: ObservedEngine,
  id: string,
  signLink: (path: string) => string,
): Promise<TaskDetail> => {
  const { tasks } = engine;
  const { meta, events, envelope } = await tasks.get(id);
  const { pages, morePages } = await loadPages(engine, id);
  const places = await findPlaces(engine, id);
  const link = (name: string, exists: unknown): string | undefined =>
    exists === undefined ? undefined : signLink(`/dashboard/${name}?id=${encodeURIComponent(id)}`);
  return {
    ...toTaskRow(meta, tasks.canResume(meta.kind)),
    args: meta.args_summary,
    events: events.map(({ ts, kind, data }) => ({ ts, kind, data })),
    pages,
    morePages,
    links: defined({
      'Open result': link('task-result', meta.result_path),
      Replay: link('replay', places.folder),
      'Open bundle': link('bundle', places.bundle),
    }),
    ...(envelope && { budget: { ...envelope } }),
  };
};

const loadPages = async (
  { tasks }: ObservedEngine,
  id: string,
): Promise<{ readonly pages: CrawlPageRow[]; readonly morePages: number }> => {
  const pages: CrawlPageRow[] = [];
  let morePages = 0;
  for await (const line of (await tasks.files(id)).entries<unknown>(PAGES_FILE)) {
    const page = toCrawlPage(line);
    if (page && pages.length < MAX_PAGES) pages.push(page);
    else if (page) morePages++;
  }
  return { pages, morePages };
};

/** The files that the result of a task names. */
interface TaskPlaces {
  /** The folder of a recording. */
  readonly folder?: string;
  /** The path of an evidence bundle. */
  readonly bundle?: string;
}

const findPlaces = async ({ tasks }: ObservedEngine, id: string): Promise<TaskPlaces> => {
  const found = await tasks.result(id);
  const result = found && 'result' in found ? found.result : undefined;
  if (!isRecord(result)) return {};
  const { folder, path } = result;
  if (typeof folder === 'string') return { folder };
  return typeof path === 'string' && path.endsWith('.gz') ? { bundle: path } : {};
};

export const sendTaskResult = async (
  { tasks }: ObservedEngine,
  id: string,
  response: ServerResponse,
): Promise<void> => {
  const found = await tasks.result(id);
  if (!found || !('result' in found)) throw fail('not_found', 'This task has no result.');
  const text = JSON.stringify(found.result, undefined, 2) ?? 'null';
  response.writeHead(200, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
};

/**
 * Files of recordings and bundles contain content of pages. The sandbox gives them an origin of
 * their own, without access to the cookie and to the network.
 */
const SANDBOX =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; " +
  "style-src 'unsafe-inline' data: blob:; img-src data: blob:; font-src data: blob:; " +
  "media-src data: blob:; frame-src 'self' blob: data:; frame-ancestors 'none'";

export const sendReplay = async (
  engine: ObservedEngine,
  observer: Observer,
  id: string,
  response: ServerResponse,
): Promise<void> => {
  const { folder } = await findPlaces(engine, id);
  const path = folder && isInside(observer.home.recordings, folder) && (await findReplay(folder));
  if (!path) throw fail('not_found', 'The replay is not in the folder of recordings.');
  protectResponse(response, SANDBOX);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
  await streamReplay(path, response);
};

export const sendBundle = async (
  engine: ObservedEngine,
  observer: Observer,
  id: string,
  response: ServerResponse,
): Promise<void> => {
  const { bundle } = await findPlaces(engine, id);
  const page =
    bundle && isInside(observer.home.evidence, bundle) ? await loadBundlePage(bundle) : undefined;
  if (page === undefined) throw fail('not_found', 'The bundle is not in the folder of evidence.');
  protectResponse(response, SANDBOX);
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.length,
    'cache-control': 'no-store',
  });
  response.end(page);
};

/** A result names any path; only files in the folders of the home are shown. */
const isInside = (folder: string, path: string): boolean => {
  const steps = relative(folder, join(path));
  return steps !== '' && !steps.startsWith('..') && !isAbsolute(steps);
};
