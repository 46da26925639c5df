// Lists and reads stored payloads as MCP resources, which cost no model tokens.
import { Failure } from '../../core/failure.ts';
import { isTextual } from './handle-files.ts';
import type { Handles } from './handles.ts';

const PREFIX = 'openchrome://output/';
/** Only the newest are listed; older ones can still be read. */
const LISTED = 200;
/** A resource is returned in one piece; larger payloads are read with oc_output_fetch. */
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

  /** Undefined if the payload does not exist or is too large for one piece. */
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
