// Limits the popups and downloads that a page may start between two actions.

import { textIf } from '../../core/text.ts';

/** Popups per action; a window that a user gesture opens does not count. */
const MAX_POPUPS = 5;
const MAX_DOWNLOADS = 10;
/** The first download after an action is usually its purpose, so it may be larger. */
const MAX_FIRST_BYTES = 2 * 1024 ** 3;
const MAX_FURTHER_BYTES = 200 * 1024 ** 2;

/** Counts the bytes of one download; returns false if the download must end. */
export type CountBytes = (bytes: number) => boolean;

/** The limits of a tab, shared with the tabs that its pages open. */
export class PageAllowance {
  readonly #outer: PageAllowance | undefined;
  #popups = 0;
  #gestures = 0;
  #downloads = 0;
  #furtherBytes = 0;
  #blockedPopups = 0;
  #blockedDownloads = 0;

  /** `renew` also renews the outer allowance. */
  constructor(outer?: PageAllowance) {
    this.#outer = outer;
  }

  /** Resets the limits when an action begins. */
  renew(): void {
    this.#popups = 0;
    this.#downloads = 0;
    this.#furtherBytes = 0;
    this.#outer?.renew();
  }

  /** Allows one more popup: Chrome reports the user gesture before the window exists. */
  countGesture(): void {
    this.#gestures = Math.min(this.#gestures + 1, MAX_POPUPS);
  }

  /** Returns false if the popup must be closed. */
  takePopup(): boolean {
    if (this.#gestures > 0) {
      this.#gestures--;
      return true;
    }
    if (this.#popups < MAX_POPUPS) {
      this.#popups++;
      return true;
    }
    this.#blockedPopups++;
    return false;
  }

  /** Returns the function that counts the bytes, or undefined if the download must be cancelled. */
  takeDownload(): CountBytes | undefined {
    if (this.#downloads >= MAX_DOWNLOADS) {
      this.#blockedDownloads++;
      return undefined;
    }
    const isFirst = this.#downloads++ === 0;
    let ownBytes = 0;
    return (bytes) => {
      if (isFirst) ownBytes += bytes;
      else this.#furtherBytes += bytes;
      if (ownBytes <= MAX_FIRST_BYTES && (isFirst || this.#furtherBytes <= MAX_FURTHER_BYTES))
        return true;
      this.#blockedDownloads++;
      return false;
    };
  }

  /**
   * One sentence about what was blocked since the last report; undefined if nothing was blocked.
   */
  takeReport(): string | undefined {
    const blocked = [
      describeCount(this.#blockedPopups, 'popup'),
      describeCount(this.#blockedDownloads, 'download'),
    ];
    const parts = blocked.filter((part) => part !== undefined);
    this.#blockedPopups = 0;
    this.#blockedDownloads = 0;
    if (parts.length === 0) return undefined;
    return `blocked ${parts.join(' and ')} of the page: more than allowed between two actions`;
  }
}

const describeCount = (count: number, noun: string): string | undefined =>
  count === 0 ? undefined : `${count} ${noun}${textIf(count !== 1, 's')}`;
