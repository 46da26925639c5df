// Stored payloads as resources, which a client can read without spending a model's tokens on them.
import { Failure } from '../../core/failure.ts';
import { isTextual } from './handle-files.ts';
import type { Handles } from './handles.ts';

const PREFIX = 'openchrome://output/';
/** The newest ones; older ones can be read all the same. */
const LISTED = 200;
/** A resource comes in one piece: larger ones are paged with oc_output_fetch. */
const MAX_BYTES = 64 * 1024 * 1024;

interface HandleResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
}

interface HandleContent {
  readonly text?: string;
  readonly blob?: string;
  readonly mimeType: string;
}

export class HandleResources {
  readonly #handles: Handles;

  constructor(handles: Handles) {
    this.#handles = handles;
  }

  async list(): Promise<HandleResource[]> {
    const metas = await this.#handles.list();
    return metas.slice(0, LISTED).map((meta) => ({
      uri: `${PREFIX}${meta.output_handle}`,
      name: meta.output_handle,
      mimeType: meta.mime_type,
      description: `${meta.source_tool}, ${meta.size_bytes} bytes, until ${meta.expires_at}`,
    }));
  }

  /** Nothing when there is no such payload, or one that is too large to come in one piece. */
  async read(uri: string): Promise<HandleContent | undefined> {
    if (!uri.startsWith(PREFIX)) return undefined;
    try {
      await using payload = await this.#handles.open(uri.slice(PREFIX.length));
      if (payload.sizeBytes > MAX_BYTES) return undefined;
      const bytes = await payload.read(0, payload.sizeBytes);
      const mimeType = payload.meta.mime_type;
      return isTextual(mimeType)
        ? { text: bytes.toString('utf8'), mimeType }
        : { blob: bytes.toString('base64'), mimeType };
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }
}
