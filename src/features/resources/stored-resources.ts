// Stored payloads and tasks as MCP resources. Each read is a call of the tool that reads the same.
import { defined } from '../../core/defined.ts';
import { Failure, type FailureCode } from '../../core/failure.ts';
import { OUTPUT_HANDLE, TASK_ID } from '../../core/ids.ts';
import { parseUrl } from '../../core/text.ts';
import type { FetchedOutput } from '../../store/handles/handle-fetch.ts';
import { type HandleMeta, isTextual } from '../../store/handles/handle-files.ts';
import type { Handles } from '../../store/handles/handles.ts';
import type { InnerReply } from '../script/inner-call.ts';
import type { Tasks } from '../tasks/tasks.ts';

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** Either text or base64, never both. */
export interface ResourceContent {
  readonly text?: string;
  readonly blob?: string;
  readonly mimeType: string;
  /** The part of the payload that the content is, and the uri of the next part. */
  readonly _meta?: Readonly<Record<string, object>>;
}

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType?: string;
}

/** The kinds of resources; a tool with the trait `resource` reads each kind. */
export type ResourceKind = 'output' | 'task';

/** The client that reads a resource. */
export interface ResourceReader {
  readonly session?: string | undefined;
  readonly folder?: string | undefined;
  readonly signal: AbortSignal;
}

interface ResourceOptions {
  readonly handles: Handles;
  readonly tasks: Tasks;
  /** The storage of a session, which its payloads are bound to; undefined for Chrome's profile. */
  readonly findStorage: (session?: string) => string | undefined;
  /** Calls the tool that reads this kind; undefined if the owner has disabled it. */
  readonly call: Readonly<
    Record<
      ResourceKind,
      ((args: object, reader: ResourceReader) => Promise<InnerReply>) | undefined
    >
  >;
}

const SCHEME = 'openchrome:';
/** Only the newest are listed; older ones can still be read. */
const MAX_LISTED = 200;
/** One more than a client gets, so that it knows that there are more. */
const MAX_COMPLETIONS = 101;
const JSON_TYPE = 'application/json';
/** The key of the page facts in `_meta`. */
const PAGE_KEY = 'openchrome/page';

const TEMPLATES: Readonly<Record<ResourceKind, readonly ResourceTemplate[]>> = {
  output: [
    {
      uriTemplate: 'openchrome://output/{output_handle}{?offset,limit,query,grep}',
      name: 'output',
      title: 'Stored payload',
      description:
        'A part of a result that was stored under a handle. offset and limit count bytes; with ' +
        'query (JMESPath) or grep they count results.',
    },
  ],
  task: [
    {
      uriTemplate: 'openchrome://task/{task_id}',
      name: 'task',
      title: 'Task',
      description: 'The state and the last events of a task; can be subscribed to.',
      mimeType: JSON_TYPE,
    },
    {
      uriTemplate: 'openchrome://task/{task_id}/result',
      name: 'task-result',
      title: 'Task with its result',
      description: 'The same with the result so far; can be subscribed to.',
      mimeType: JSON_TYPE,
    },
  ],
};

/** Failures that mean that the resource does not exist. */
const NOT_FOUND: readonly FailureCode[] = [
  'output_handle_not_found',
  'task_not_found',
  'invalid_task_id',
];

interface OutputAddress {
  readonly kind: 'output';
  readonly handle: string;
  readonly options: Readonly<Record<string, string | number>>;
}

interface TaskAddress {
  readonly kind: 'task';
  readonly id: string;
  readonly withResult: boolean;
}

const OUTPUT_OPTIONS: Readonly<Record<string, (text: string) => string | number>> = {
  offset: Number,
  limit: Number,
  query: String,
  grep: String,
};

/** Undefined if the uri names no resource of this server. */
export const parseResourceUri = (uri: string): OutputAddress | TaskAddress | undefined => {
  const url = parseUrl(uri);
  if (!url || url.protocol !== SCHEME || url.hash !== '') return undefined;
  const [id = '', part, ...further] = url.pathname.slice(1).split('/');
  if (further.length > 0) return undefined;
  if (url.host === 'output' && part === undefined && OUTPUT_HANDLE.test(id))
    return parseOutputOptions(id, url.searchParams);
  const isTask = url.host === 'task' && TASK_ID.test(id) && url.search === '';
  if (!isTask || (part !== undefined && part !== 'result')) return undefined;
  return { kind: 'task', id, withResult: part === 'result' };
};

const parseOutputOptions = (handle: string, params: URLSearchParams): OutputAddress | undefined => {
  const options: Record<string, string | number> = {};
  for (const [name, value] of params) {
    const parse = Object.hasOwn(OUTPUT_OPTIONS, name) ? OUTPUT_OPTIONS[name] : undefined;
    if (!parse) return undefined;
    options[name] = parse(value);
  }
  return { kind: 'output', handle, options };
};

export class StoredResources {
  readonly #options: ResourceOptions;

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  /** The stored payloads, newest first; tasks are found by their template. */
  async list(session?: string): Promise<readonly Resource[]> {
    if (!this.#options.call.output) return [];
    const metas = await this.#listPayloads(session);
    return metas.slice(0, MAX_LISTED).map((meta) => ({
      uri: `${SCHEME}//output/${meta.output_handle}`,
      name: meta.output_handle,
      mimeType: meta.mime_type,
      description: `${meta.source_tool}, ${meta.size_bytes} bytes, until ${meta.expires_at}`,
    }));
  }

  listTemplates(): readonly ResourceTemplate[] {
    const { call } = this.#options;
    return [...(call.output ? TEMPLATES.output : []), ...(call.task ? TEMPLATES.task : [])];
  }

  /** Undefined if the resource does not exist; throws the failure of a call that was rejected. */
  async read(uri: string, reader: ResourceReader): Promise<ResourceContent | undefined> {
    const address = parseResourceUri(uri);
    if (!address) return undefined;
    const content =
      address.kind === 'output'
        ? this.#readOutput(uri, address, reader)
        : this.#readTask(address, reader);
    return content.catch(returnNothingIfMissing);
  }

  /** The values of a template's variable that start with the given text. */
  async complete(
    uriTemplate: string,
    variable: string,
    start: string,
    session?: string,
  ): Promise<string[]> {
    const template = this.listTemplates().find((one) => one.uriTemplate === uriTemplate);
    if (!template?.uriTemplate.includes(`{${variable}}`)) return [];
    if (TEMPLATES.task.includes(template))
      return this.#options.tasks.findIds(start, MAX_COMPLETIONS);
    const handles = (await this.#listPayloads(session)).map((meta) => meta.output_handle);
    return handles.filter((handle) => handle.startsWith(start));
  }

  #listPayloads(session: string | undefined): Promise<HandleMeta[]> {
    return this.#options.handles.list({ session: this.#options.findStorage(session) });
  }

  #findPayload(handle: string, session: string | undefined): Promise<HandleMeta | undefined> {
    const reader = { session: this.#options.findStorage(session) };
    return this.#options.handles.find(handle, reader);
  }

  /**
   * Calls `onChange` after each change until it is disposed; undefined if the resource does not
   * exist. Stored payloads never change.
   */
  async watch(
    uri: string,
    onChange: () => void,
    session?: string,
  ): Promise<Disposable | undefined> {
    const address = parseResourceUri(uri);
    const { call, tasks } = this.#options;
    if (!address || !call[address.kind]) return undefined;
    if (address.kind === 'task')
      return tasks.watch(address.id, onChange).catch(returnNothingIfMissing);
    const isThere = (await this.#findPayload(address.handle, session)) !== undefined;
    return isThere ? { [Symbol.dispose]: () => {} } : undefined;
  }

  async #readOutput(
    uri: string,
    { handle, options }: OutputAddress,
    reader: ResourceReader,
  ): Promise<ResourceContent | undefined> {
    const meta = await this.#findPayload(handle, reader.session);
    if (!meta) return undefined;
    const isRaw = options['query'] === undefined && options['grep'] === undefined;
    const isText = isTextual(meta.mime_type);
    const page = (await this.#call('output', reader, {
      output_handle: handle,
      ...options,
      ...defined({ format: isRaw ? RAW_FORMATS[String(isText)] : undefined }),
    })) as FetchedOutput | undefined;
    if (!page) return undefined;
    const { content, offset, returned, total } = page;
    const _meta = {
      [PAGE_KEY]: defined({
        unit: isRaw ? 'bytes' : 'results',
        offset,
        returned,
        total,
        next_uri: buildNextUri(uri, page),
      }),
    };
    if (!isRaw) return { text: JSON.stringify(content), mimeType: JSON_TYPE, _meta };
    const body = isText ? { text: String(content) } : { blob: String(content) };
    return { ...body, mimeType: meta.mime_type, _meta };
  }

  async #readTask(
    { id, withResult }: TaskAddress,
    reader: ResourceReader,
  ): Promise<ResourceContent | undefined> {
    const task = await this.#call('task', reader, {
      task_id: id,
      ...defined({ include_result: withResult ? true : undefined }),
    });
    return task === undefined ? undefined : { text: JSON.stringify(task), mimeType: JSON_TYPE };
  }

  async #call(kind: ResourceKind, reader: ResourceReader, args: object): Promise<unknown> {
    const reply = await this.#options.call[kind]?.(args, reader);
    if (reply?.failure) throw reply.failure;
    return reply?.json ?? reply?.data;
  }
}

const returnNothingIfMissing = (error: unknown): undefined => {
  if (error instanceof Failure && NOT_FOUND.includes(error.code)) return undefined;
  throw error;
};

/** Pages of these formats can be concatenated to the payload. */
const RAW_FORMATS: Readonly<Record<string, string>> = { true: 'text', false: 'bytes' };

const buildNextUri = (uri: string, { next_offset: next }: FetchedOutput): string | undefined => {
  if (next === null) return undefined;
  const url = new URL(uri);
  url.searchParams.set('offset', String(next));
  return url.href;
};
