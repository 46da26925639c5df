// The one writer of payloads: removes secrets from all data before a store writes it to disk.
import type { Redactor } from '../../core/redactor.ts';

export interface PayloadWriter {
  /** Returns the data without secrets: the only form in which a store may write it. */
  clean<T>(data: T): T;
  /** As `clean`, for data of any size: the event loop stays free. */
  cleanLarge<T>(data: T, signal?: AbortSignal): Promise<T>;
  cleanText(text: string): string;
  cleanLargeText(text: string, signal?: AbortSignal): Promise<string>;
  /** Also removes the secrets that pages of these origins reported. */
  forOrigins(origins: Iterable<string>): PayloadWriter;
}

export const createPayloadWriter = (redactor: Redactor): PayloadWriter => ({
  clean: (data) => redactor.data(data),
  cleanLarge: (data, signal) => redactor.largeData(data, signal),
  cleanText: (text) => redactor.text(text),
  cleanLargeText: (text, signal) => redactor.largeText(text, signal),
  forOrigins: (origins) => createPayloadWriter(redactor.forOrigins(origins)),
});
