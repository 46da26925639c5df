// The frames of a tab as one tree, in-process and out-of-process, each with its script worlds.
import type { Protocol } from 'devtools-protocol';
import { Events } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { CdpSession, CdpParams } from '../cdp/connection.ts';
import { Disconnected, isGone } from '../cdp/errors.ts';
import factsScript from 'page-script:facts';
import pressScript from 'page-script:press';
import {
  formatFunctions,
  type PageObject,
  type PageScriptName,
} from '../../page/page-functions.ts';
import { formatCall, inPage, loadPageScript, type PageFunction } from './in-page.ts';

/** Name of the isolated world for page scripts; the page cannot see it. */
export const WORLD = 'openchrome';

/** Chrome terminates a script that runs longer, so that the page stays usable. */
const MAX_SCRIPT_MS = 20_000;

/**
 * Scripts that stay in the isolated world, with an expression to run after loading. The other
 * scripts are sent with each call and leave nothing in the page.
 */
const RESIDENT: Readonly<Partial<Record<PageScriptName, string>>> = {
  main: formatCall(inPage.main.warmUpWalk, []),
  more: '',
};

const installers = new Map<PageScriptName, string>();

/**
 * Builds the code that installs a resident script. The text is always the same, so that Chrome
 * compiles it once per process; it runs once per world.
 */
const loadInstaller = async (script: PageScriptName): Promise<string> => {
  const known = installers.get(script);
  if (known !== undefined) return known;
  const source = await loadPageScript(script);
  const [global] = formatFunctions(script).split('.');
  const installer = `if(!globalThis.${global}){${source};${RESIDENT[script]}}`;
  installers.set(script, installer);
  return installer;
};

/** Thrown if a page function throws. `text` is the text of the exception. */
export class PageScriptError extends Error {
  readonly text: string;

  constructor({ script, name }: PageFunction, details: Protocol.Runtime.ExceptionDetails) {
    const text = exceptionText(details);
    super(`page-script ${script}.${name}: ${text}`);
    this.text = text;
  }
}

interface IsolatedWorld {
  /** Execution context id, unique within its process. */
  readonly id: number;
  /**
   * Unique over all processes, so that a context of an earlier document is never mistaken for it.
   */
  readonly uniqueId: string;
  /** The page scripts that are loaded or being loaded. */
  readonly loaded: Set<PageScriptName>;
}

/** How long to wait for a new document's main world. */
const MAIN_WORLD_MS = 1000;

export type WorldName = 'main' | 'isolated';

/** The result of a script: a plain value, or a reference to an object in the page. */
export type ScriptResult = Protocol.Runtime.RemoteObject;

/** A value in Chrome's deep serialization, which includes nodes and windows. */
export type DeepValue = Protocol.Runtime.DeepSerializedValue;

/** A tab that a link opens has an empty address until its first document begins. */
export const isBlankAddress = (url: string): boolean =>
  url === '' || /^about:blank(?=$|[#?])/.test(url);

export class Frame {
  readonly children = new Set<Frame>();
  url = '';
  name = '';
  loaderId = '';
  readonly #worlds: { main?: IsolatedWorld; isolated?: IsolatedWorld } = {};
  readonly #worldAdded = new Events<{ main: IsolatedWorld }>();
  #creatingWorld: Promise<IsolatedWorld> | undefined;

  constructor(
    readonly id: string,
    public parent: Frame | undefined,
    /** The session of the process that renders this frame. */
    public session: CdpSession,
  ) {}

  /** Calls a page function in the isolated world, with JSON arguments and a JSON result. */
  async call<Args extends readonly unknown[], Result>(
    call: PageFunction<Args, Result>,
    args: NoInfer<Args>,
    signal: AbortSignal,
  ): Promise<Result> {
    const result = await this.#run(call, args, { returnByValue: true }, signal);
    return result.value as Result;
  }

  /** Like `call`, but the result stays in the page; returns its object id. */
  async callForHandle<Args extends readonly unknown[]>(
    call: PageFunction<Args, PageObject | null>,
    args: NoInfer<Args>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const result = await this.#run(call, args, { returnByValue: false }, signal);
    return result.objectId;
  }

  /**
   * Like `call`, for results with nodes or windows. Chrome serializes them, including closed
   * shadow roots.
   */
  async callForNodes<Args extends readonly unknown[]>(
    call: PageFunction<Args>,
    args: NoInfer<Args>,
    signal: AbortSignal,
  ): Promise<DeepValue | undefined> {
    const options = { serializationOptions: AS_CHROME_SEES };
    const { objectId, deepSerializedValue } = await this.#run(call, args, options, signal);
    if (objectId !== undefined) this.release(objectId);
    return deepSerializedValue;
  }

  /** Resolves backend node ids to object ids in the isolated world; skips nodes that are gone. */
  async objectsOf(nodes: readonly number[], signal: AbortSignal): Promise<string[]> {
    const { id: executionContextId } = await this.#isolatedWorld(signal);
    const found = nodes.map(async (backendNodeId) => {
      try {
        return (
          await this.session.send('DOM.resolveNode', { backendNodeId, executionContextId }, signal)
        ).object.objectId;
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    });
    return (await Promise.all(found)).filter((objectId) => objectId !== undefined);
  }

  /** Calls a resident page function with these objects as arguments, then releases them. */
  async callWith<Result>(
    call: PageFunction<PageObject[], Result>,
    objects: readonly string[],
    signal: AbortSignal,
  ): Promise<Result> {
    const world = await this.#isolatedWorld(signal);
    await this.#bring(call.script, world);
    const answer = await this.session.send(
      'Runtime.callFunctionOn',
      {
        uniqueContextId: world.uniqueId,
        functionDeclaration: `(...nodes) => ${formatFunctions(call.script)}.${call.name}(...nodes)`,
        arguments: objects.map((objectId) => ({ objectId })),
        returnByValue: true,
      },
      signal,
    );
    for (const objectId of objects) this.release(objectId);
    return unwrapResult(call, answer).value as Result;
  }

  /** Releases an object in the page; fails silently if a navigation has already released it. */
  release(objectId: string): void {
    this.session.send('Runtime.releaseObject', { objectId }).catch(() => {});
  }

  async #run<Args extends readonly unknown[]>(
    call: PageFunction<Args>,
    args: Args,
    options: Partial<CdpParams<'Runtime.evaluate'>>,
    signal: AbortSignal,
  ): Promise<ScriptResult> {
    const world = await this.#isolatedWorld(signal);
    const code = formatCall(call, args);
    const how = await this.#prepare(call.script, code, world);
    const { uniqueId: uniqueContextId } = world;
    const answer = await this.session.send(
      'Runtime.evaluate',
      { ...how, uniqueContextId, awaitPromise: true, ...options },
      signal,
    );
    return unwrapResult(call, answer);
  }

  /** Installs a resident script; other scripts are part of the expression. */
  async #prepare(
    script: PageScriptName,
    code: string,
    world: IsolatedWorld,
  ): Promise<{ readonly expression: string; readonly timeout?: number }> {
    if (script in RESIDENT) {
      await this.#bring(script, world);
      return { expression: code };
    }
    const source = await loadPageScript(script);
    return { expression: `(()=>{${source};return ${code}})()`, timeout: MAX_SCRIPT_MS };
  }

  /**
   * Sends the script before the call that needs it, without waiting. If the script fails, that
   * call reports the error.
   */
  async #bring(
    script: PageScriptName,
    { loaded, uniqueId: uniqueContextId }: IsolatedWorld,
  ): Promise<{ readonly began: Promise<unknown> } | undefined> {
    if (loaded.has(script)) return undefined;
    const expression = await loadInstaller(script);
    if (loaded.has(script)) return undefined;
    loaded.add(script);
    const began = this.session
      .send('Runtime.evaluate', { expression, uniqueContextId, awaitPromise: true })
      .then(
        ({ exceptionDetails, result }): unknown => {
          if (exceptionDetails) loaded.delete(script);
          return result.value;
        },
        () => void loaded.delete(script),
      );
    return { began };
  }

  /**
   * Loads the reading script before the first read; returns the number of suspected closed shadow
   * roots.
   */
  async warm(): Promise<number> {
    const world = this.#worlds.isolated;
    const brought = world && (await this.#bring('main', world));
    return Number((await brought?.began) ?? 0);
  }

  /** The execution context of a world, for the caller's own scripts. */
  async contextId(world: WorldName, signal: AbortSignal): Promise<string> {
    if (world === 'isolated') return (await this.#isolatedWorld(signal)).uniqueId;
    return (this.#worlds.main ?? (await this.#nextMainWorld(signal))).uniqueId;
  }

  /**
   * After a navigation, the document is known before its main world. A frame without scripts never
   * gets a main world.
   */
  async #nextMainWorld(signal: AbortSignal): Promise<IsolatedWorld> {
    using patience = new Deadline(
      MAIN_WORLD_MS,
      () => fail('page_changed', 'The frame cannot run scripts at the moment.'),
      signal,
    );
    return this.#worldAdded.next('main', undefined, patience.signal);
  }

  async #isolatedWorld(signal: AbortSignal): Promise<IsolatedWorld> {
    if (this.#worlds.isolated) return this.#worlds.isolated;
    // Concurrent callers share one creation, so that an aborted caller does not cancel it for the
    // others.
    this.#creatingWorld ??= this.#createWorld().finally(() => (this.#creatingWorld = undefined));
    return abortable(this.#creatingWorld, signal);
  }

  /**
   * Only needed for documents that are older than our attachment; others get the world on
   * creation.
   */
  async #createWorld(): Promise<IsolatedWorld> {
    const { executionContextId } = await this.session.send('Page.createIsolatedWorld', {
      frameId: this.id,
      worldName: WORLD,
    });
    if (this.#worlds.isolated) return this.#worlds.isolated;
    throw fail(
      'page_changed',
      `The frame changed while a script was loaded (context ${executionContextId}).`,
    );
  }

  /** Called by the FrameTree only. */
  addContext(context: Protocol.Runtime.ExecutionContextDescription, aux: ContextData): void {
    const world: IsolatedWorld = { id: context.id, uniqueId: context.uniqueId, loaded: new Set() };
    if (aux.isDefault) {
      this.#worlds.main = world;
      this.#worldAdded.emit('main', world);
    } else if (context.name === WORLD) this.#worlds.isolated = world;
  }

  /** Called by the FrameTree only. */
  removeContext(uniqueId: string): void {
    if (this.#worlds.main?.uniqueId === uniqueId) delete this.#worlds.main;
    if (this.#worlds.isolated?.uniqueId === uniqueId) delete this.#worlds.isolated;
  }

  /** Called by the FrameTree only. */
  clearContexts(): void {
    delete this.#worlds.main;
    delete this.#worlds.isolated;
  }
}

/** Serializes nodes without their children, but with shadow roots of any mode. */
const AS_CHROME_SEES: NonNullable<CdpParams<'Runtime.evaluate'>['serializationOptions']> = {
  serialization: 'deep',
  maxDepth: 2,
  additionalParameters: { includeShadowTree: 'all', maxNodeDepth: 0 },
};

const unwrapResult = (
  call: PageFunction,
  { result, exceptionDetails }: Protocol.Runtime.EvaluateResponse,
): ScriptResult => {
  if (!exceptionDetails) return result;
  const error = new PageScriptError(call, exceptionDetails);
  if (call.script in RESIDENT || !/terminated/i.test(error.text)) throw error;
  throw fail('timeout', `The page was not read within ${MAX_SCRIPT_MS / 1000} s.`, {
    situation: 'page_too_slow',
  });
};

interface ContextData {
  readonly frameId?: string;
  readonly isDefault?: boolean;
}

export const exceptionText = (details: Protocol.Runtime.ExceptionDetails): string => {
  const { exception, text } = details;
  if (exception?.description !== undefined) return exception.description;
  if (exception && 'value' in exception) return `${text} ${String(exception.value)}`;
  return text;
};

interface FrameTreeListener {
  /** A frame was attached, or shows a new document. */
  readonly onFrame: (frame: Frame) => void;
  /** A new document was committed in a frame. */
  readonly onNavigated: (frame: Frame, navigation: Protocol.Page.FrameNavigatedEvent) => void;
  readonly onMovedWithinDocument: (frame: Frame) => void;
}

export class FrameTree {
  readonly #frames = new Map<string, Frame>();
  readonly #listener: FrameTreeListener;
  readonly main: Frame;

  constructor(mainId: string, session: CdpSession, listener: FrameTreeListener) {
    this.main = new Frame(mainId, undefined, session);
    this.#frames.set(mainId, this.main);
    this.#listener = listener;
  }

  byId(id: string): Frame | undefined {
    return this.#frames.get(id);
  }

  /** Every frame, parents before children. */
  all(): Frame[] {
    const out: Frame[] = [];
    const visit = (frame: Frame): void => {
      out.push(frame);
      for (const child of frame.children) visit(child);
    };
    visit(this.main);
    return out;
  }

  /**
   * Follows the frames of one session. Sends its commands at once; resolves when all are answered.
   */
  async watch(session: CdpSession, rootFrameId: string): Promise<void> {
    this.#listen(session, rootFrameId);
    const sent = Promise.all([
      session.send('Page.enable'),
      session.send('Page.getFrameTree'),
      session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `${factsScript}\n${pressScript}`,
        worldName: WORLD,
        runImmediately: true,
      }),
      session.send('Runtime.enable'),
    ]);
    // Load the script while Chrome works: the first page is usually read soon.
    loadInstaller('main').catch(() => {});
    const [, { frameTree }] = await sent;
    this.#adopt(frameTree, session);
  }

  /**
   * Reads the main frame again if it is blank and Chrome names another address: Chrome can lose the
   * event of a navigation that begins while a tab is being attached.
   */
  async catchUp(address: string): Promise<void> {
    const { main } = this;
    if (!isBlankAddress(main.url) || isBlankAddress(address)) return;
    const { session } = main;
    const { frameTree } = await session.send('Page.getFrameTree');
    const { frame } = frameTree;
    if (frame.id !== main.id || !isBlankAddress(main.url) || isBlankAddress(frame.url)) return;
    this.#navigated({ frame, type: 'Navigation' }, session);
  }

  #listen(session: CdpSession, rootFrameId: string): void {
    const root = this.#frames.get(rootFrameId);
    if (root) {
      root.session = session; // the frame moved to a process of its own
      root.clearContexts();
    }
    session.on('Page.frameAttached', ({ frameId, parentFrameId }) =>
      this.#listener.onFrame(this.#ensure(frameId, this.#frames.get(parentFrameId), session)),
    );
    session.on('Page.frameNavigated', (event) => this.#navigated(event, session));
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      const frame = this.#frames.get(frameId);
      if (!frame) return;
      frame.url = url;
      this.#listener.onMovedWithinDocument(frame);
    });
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      // A swap moves the frame to another process: it stays, and its new session takes over.
      if (reason === 'remove') this.#remove(frameId);
    });
    session.on('Runtime.executionContextCreated', ({ context }) => {
      const aux = (context.auxData ?? {}) as ContextData;
      if (aux.frameId === undefined) return;
      // Chrome may report a context before its frame; the frame is linked when its parent is known.
      const frame = this.#ensure(aux.frameId, undefined, session);
      if (frame.session === session) frame.addContext(context, aux);
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextUniqueId }) => {
      for (const frame of this.#frames.values()) frame.removeContext(executionContextUniqueId);
    });
    session.on('Runtime.executionContextsCleared', () => {
      for (const frame of this.#frames.values())
        if (frame.session === session) frame.clearContexts();
    });
    session.onClose(() => {
      const frame = this.#frames.get(rootFrameId);
      if (frame && frame !== this.main && frame.session === session) this.#remove(rootFrameId);
    });
  }

  #adopt(tree: Protocol.Page.FrameTree, session: CdpSession): void {
    const { frame: info } = tree;
    const frame = this.#ensure(
      info.id,
      info.parentId === undefined ? undefined : this.#frames.get(info.parentId),
      session,
    );
    // A frame event that arrived in the meantime is newer than this response.
    if (!frame.loaderId)
      Object.assign(frame, {
        url: info.url + (info.urlFragment ?? ''),
        loaderId: info.loaderId,
        name: info.name ?? '',
      });
    for (const child of tree.childFrames ?? []) this.#adopt(child, session);
  }

  #ensure(id: string, parent: Frame | undefined, session: CdpSession): Frame {
    const known = this.#frames.get(id);
    if (known) {
      if (parent && !known.parent) this.#link(known, parent);
      return known;
    }
    const frame = new Frame(id, parent, session);
    this.#frames.set(id, frame);
    if (parent) parent.children.add(frame);
    return frame;
  }

  #link(frame: Frame, parent: Frame): void {
    if (frame === this.main) return;
    frame.parent = parent;
    parent.children.add(frame);
  }

  #navigated(event: Protocol.Page.FrameNavigatedEvent, session: CdpSession): void {
    const { frame: info } = event;
    const frame = this.#ensure(
      info.id,
      info.parentId === undefined ? undefined : this.#frames.get(info.parentId),
      session,
    );
    if (frame.session !== session) {
      frame.session = session; // back in its parent's process
      frame.clearContexts();
    }
    for (const child of [...frame.children]) this.#remove(child.id);
    Object.assign(frame, {
      url: info.url + (info.urlFragment ?? ''),
      loaderId: info.loaderId,
      name: info.name ?? '',
    });
    this.#listener.onNavigated(frame, event);
    this.#listener.onFrame(frame);
  }

  #remove(id: string): void {
    const frame = this.#frames.get(id);
    if (!frame || frame === this.main) return;
    for (const child of [...frame.children]) this.#remove(child.id);
    frame.parent?.children.delete(frame);
    this.#frames.delete(id);
  }
}

/**
 * Whether the call failed because the frame was removed or its document was replaced. False if the
 * tab is gone: a retry loop would get the same error at once and block the event loop.
 */
export const isFrameReplaced = (frame: Frame, error: unknown): boolean => {
  const isTabGone = frame.parent === undefined && error instanceof Disconnected;
  return (isGone(error) && !isTabGone) || (error as { code?: string }).code === 'page_changed';
};
