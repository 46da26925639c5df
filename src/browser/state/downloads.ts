// Tracks the downloads of a Chrome from start to end, and reports each to the tab that started it.
import { basename, dirname, join } from 'node:path';
import type { Protocol } from 'devtools-protocol';
import { attempt } from '../../core/attempt.ts';
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import { detach } from '../../core/events.ts';
import { moveToFreeName } from '../../system/replace-file.ts';
import { removeFile } from '../../system/private-files.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { CountBytes, PageAllowance } from '../tabs/page-allowance.ts';
import type { Tab } from '../tabs/tab.ts';

export interface Download {
  readonly id: string;
  readonly url: string;
  /** The suggested file name. */
  readonly file: string;
  readonly tabId?: string;
  /** The session that owned the tab when the download started. */
  readonly session?: string;
  /** The media type of the response. */
  readonly type?: string;
  readonly startedAt: number;
  readonly state: 'in_progress' | 'completed' | 'canceled';
  readonly receivedBytes: number;
  /** Absent until the server reports the size. */
  readonly totalBytes?: number;
  /** The path of the file, once it is complete. */
  readonly path?: string;
}

/** Chrome's progress report of a download. */
type DownloadProgress = Pick<Download, 'state' | 'receivedBytes' | 'totalBytes' | 'path'>;

interface DownloadOptions {
  /**
   * The download folder; absent for a Chrome that we did not start, which keeps its own settings.
   */
  readonly folder?: string;
  readonly tabOfFrame: (frameId: string) => Tab | undefined;
  /** The name of the session that owns a tab. */
  readonly findSession: (tabId: string) => string | undefined;
  /** Decides about a download; undefined if no rule of the owner needs it. */
  readonly allow?: (url: string, file: string, frameId: string) => Promise<boolean>;
  /** The download limits of a frame's page; absent for a Chrome that we did not start. */
  readonly allowanceOf?: (frameId: string) => PageAllowance;
}

const MAX_KEPT = 500;

export class Downloads {
  readonly #root: CdpSession;
  readonly #options: DownloadOptions;
  readonly #all = new Map<string, Download>();
  /** Byte counters of the downloads in progress. */
  readonly #counters = new Map<string, CountBytes>();
  /** Downloads beyond the limits, or not allowed, until Chrome reports their end. */
  readonly #refused = new Set<string>();
  /** Downloads without a decision yet, with Chrome's last report about each. */
  readonly #undecided = new Map<string, DownloadProgress | undefined>();
  /** The frames of downloads whose tab was not attached when they started. */
  readonly #unclaimed = new Map<string, string>();
  /** Folders of browser contexts, so that equal file names of two sessions do not collide. */
  readonly #contextFolders = new Map<string, string>();
  #last = 0;

  constructor(root: CdpSession, options: DownloadOptions) {
    this.#root = root;
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { folder } = this.#options;
    this.#root.on('Browser.downloadWillBegin', ({ guid, frameId, url, suggestedFilename }) =>
      this.#begin(guid, frameId, url, suggestedFilename),
    );
    this.#root.on(
      'Browser.downloadProgress',
      ({ guid, state, receivedBytes, totalBytes, filePath }) =>
        this.#progress(
          guid,
          defined({
            state: state === 'inProgress' ? 'in_progress' : state,
            receivedBytes,
            totalBytes: valueIf(totalBytes > 0, totalBytes),
            ...compact({ path: filePath }),
          }),
        ),
    );
    await this.#root.send('Browser.setDownloadBehavior', buildBehavior(folder), signal);
  }

  /** Saves the downloads of a browser context in a folder of its own. */
  async startContext(contextId: string, label: string, signal: AbortSignal): Promise<void> {
    const { folder: parent } = this.#options;
    const plainLabel = label.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
    const name = `session-${plainLabel}-${contextId.slice(0, 8)}`;
    const folder = ifDefined(parent, (parent) => join(parent, name));
    if (folder !== undefined) this.#contextFolders.set(contextId, folder);
    await this.#root.send(
      'Browser.setDownloadBehavior',
      { ...buildBehavior(folder), browserContextId: contextId },
      signal,
    );
  }

  #findFolder(tab: Tab | undefined): string | undefined {
    if (tab?.contextId === undefined) return this.#options.folder;
    return this.#contextFolders.get(tab.contextId);
  }

  get all(): readonly Download[] {
    return [...this.#all.values()];
  }

  /** Cancels a download in progress; returns false if none has this id. */
  async cancel(id: string, signal: AbortSignal): Promise<boolean> {
    for (const [guid, download] of this.#all) {
      if (download.id !== id || download.state !== 'in_progress') continue;
      await this.#root.send('Browser.cancelDownload', { guid }, signal);
      return true;
    }
    return false;
  }

  /** Cancels a download beyond the limits. */
  #refuse(guid: string): void {
    this.#refused.add(guid);
    // fails if the download has ended; #removeRefused then removes its file
    this.#root.send('Browser.cancelDownload', { guid }).catch(() => {});
  }

  /** Removes the file of a refused download that completed before it was cancelled. */
  #removeRefused(guid: string, { state, path }: DownloadProgress): void {
    if (state === 'in_progress') return;
    this.#refused.delete(guid);
    const folders = [this.#options.folder, ...this.#contextFolders.values()];
    const file = path ?? this.#findSaved(guid);
    if (state !== 'completed' || file === undefined || !folders.includes(dirname(file))) return;
    // if this fails, the retention of the folder removes the file later
    void removeFile(file);
  }

  /** Some versions of Chrome do not report the path. */
  #findSaved(guid: string): string | undefined {
    const { tabId } = this.#all.get(guid) ?? {};
    const folder = this.#findFolder(ifDefined(tabId, this.#options.tabOfFrame));
    return ifDefined(folder, (folder) => join(folder, guid));
  }

  /** Assigns the downloads of a popup that started before the popup was attached. */
  claim(tab: Tab): void {
    for (const [guid, frameId] of this.#unclaimed) {
      const download = this.#all.get(guid);
      if (frameId !== tab.id || !download) continue;
      this.#unclaimed.delete(guid);
      const session = this.#options.findSession(tab.id);
      this.#keep(guid, defined({ ...download, tabId: tab.id, session }), tab);
    }
  }

  #begin(guid: string, frameId: string, url: string, file: string): void {
    const allowance = this.#options.allowanceOf?.(frameId);
    const count = allowance?.takeDownload();
    if (allowance && !count) return this.#refuse(guid);
    if (count) this.#counters.set(guid, count);
    const tab = this.#options.tabOfFrame(frameId);
    const download: Download = defined({
      id: `d${++this.#last}`,
      url,
      file: file || 'download',
      startedAt: Date.now(),
      state: 'in_progress',
      receivedBytes: 0,
      tabId: tab?.id,
      session: tab && this.#options.findSession(tab.id),
    });
    if (!tab) this.#unclaimed.set(guid, frameId);
    this.#keep(guid, download, tab);
    const { allow } = this.#options;
    if (allow) detach(this.#decide(guid, allow(url, download.file, frameId)));
  }

  /** Chrome cannot pause a download: its file keeps its id as its name until it is allowed. */
  async #decide(guid: string, deciding: Promise<boolean>): Promise<void> {
    this.#undecided.set(guid, undefined);
    const isAllowed = await deciding.catch(() => false);
    const news = this.#undecided.get(guid);
    this.#undecided.delete(guid);
    if (!isAllowed) this.#withdraw(guid, news);
    else if (news) this.#progress(guid, news);
  }

  #withdraw(guid: string, news: DownloadProgress | undefined): void {
    const before = this.#all.get(guid);
    this.#refuse(guid);
    if (news) this.#removeRefused(guid, news);
    if (before?.state === 'in_progress')
      this.#update(guid, before, { state: 'canceled', receivedBytes: before.receivedBytes });
  }

  #progress(guid: string, news: DownloadProgress): void {
    if (this.#undecided.has(guid) && news.state === 'completed')
      return void this.#undecided.set(guid, news);
    const before = this.#all.get(guid);
    if (before && !this.#countBytes(guid, news.receivedBytes - before.receivedBytes, news.state))
      this.#refuse(guid);
    if (this.#refused.has(guid)) this.#removeRefused(guid, news);
    if (before?.state === 'in_progress') this.#update(guid, before, news);
  }

  #countBytes(guid: string, bytes: number, state: Download['state']): boolean {
    const isAllowed = this.#counters.get(guid)?.(bytes) ?? true;
    if (!isAllowed || state !== 'in_progress') this.#counters.delete(guid);
    return isAllowed;
  }

  #update(guid: string, before: Download, news: DownloadProgress): void {
    const { type = findMediaType(this.#options, before) } = before;
    const tab = before.tabId === undefined ? undefined : this.#options.tabOfFrame(before.tabId);
    const folder = this.#findFolder(tab);
    const path = news.state === 'completed' ? nameFile(guid, before, news, folder) : undefined;
    this.#keep(guid, defined({ ...before, ...news, path, type }), tab);
  }

  #keep(guid: string, download: Download, tab: Tab | undefined): void {
    this.#all.set(guid, download);
    for (const [oldest] of this.#all) {
      if (this.#all.size <= MAX_KEPT) break;
      this.#all.delete(oldest);
      this.#unclaimed.delete(oldest);
    }
    tab?.tellDownload(download);
  }
}

/**
 * Without a folder, Chrome keeps its own settings. Files are saved under their ids: headless Chrome
 * would replace a file of the same suggested name.
 */
const buildBehavior = (folder: string | undefined): Protocol.Browser.SetDownloadBehaviorRequest =>
  folder === undefined
    ? { behavior: 'default', eventsEnabled: true }
    : { behavior: 'allowAndName', downloadPath: folder, eventsEnabled: true };

/**
 * Returns the media type from the request record, because Chrome does not report it with the
 * download.
 */
const findMediaType = (
  { tabOfFrame }: DownloadOptions,
  { tabId, url }: Download,
): string | undefined => {
  const tab = ifDefined(tabId, tabOfFrame);
  return tab && [...tab.traffic.requests].findLast((record) => record.url === url)?.mimeType;
};

/** Renames a complete file from its id to its suggested name, or a similar one that is free. */
const nameFile = (
  guid: string,
  { file }: Download,
  { path }: DownloadProgress,
  folder: string | undefined,
): string | undefined => {
  if (folder === undefined) return path;
  const saved = path ?? join(folder, guid);
  if (basename(saved) !== guid) return saved;
  // the file has been moved or removed, or keeps its id as its name
  return attempt(() => moveToFreeName(saved, dirname(saved), file), saved);
};
