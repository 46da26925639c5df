// Reports the downloads of granted tabs as CDP's root session does, with paths from Chrome's list.
import type { SendEvent } from './debuggees.ts';
import type { Params } from './guard.ts';

/** The newest entries of Chrome's list that may be the download. */
const SEARCHED = 20;

export class DownloadReports {
  readonly #sendEvent: SendEvent;
  /** The URLs of downloads in progress, by guid. */
  readonly #urls = new Map<string, string>();

  constructor(sendEvent: SendEvent) {
    this.#sendEvent = sendEvent;
  }

  /** Takes the events of a tab's session. */
  follow(memberId: string, method: string, params: Params): void {
    if (method === 'Page.downloadWillBegin') {
      this.#urls.set(String(params['guid']), String(params['url']));
      this.#sendEvent(memberId, 'Browser.downloadWillBegin', params);
    }
    if (method === 'Page.downloadProgress') void this.#reportProgress(memberId, params);
  }

  async #reportProgress(memberId: string, params: Params): Promise<void> {
    const report = (progress: Params): void =>
      this.#sendEvent(memberId, 'Browser.downloadProgress', progress);
    if (params['state'] === 'inProgress') return report(params);
    const guid = String(params['guid']);
    const item = await this.#find(guid);
    this.#urls.delete(guid);
    report({ ...params, filePath: item?.filename });
  }

  async cancel(guid: string): Promise<void> {
    const item = await this.#find(guid);
    if (item) await chrome.downloads.cancel(item.id);
  }

  async #find(guid: string): Promise<chrome.downloads.DownloadItem | undefined> {
    const url = this.#urls.get(guid);
    if (url === undefined) return undefined;
    const newest = await chrome.downloads.search({ orderBy: ['-startTime'], limit: SEARCHED });
    return newest.find((item) => item.url === url || item.finalUrl === url);
  }
}
