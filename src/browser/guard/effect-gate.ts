// Passes requests and downloads of pages to the owner's policy, with their tab, pages and session.
import { listDefined } from '../../core/collections.ts';
import { ifDefined } from '../../core/defined.ts';
import type { Targets } from '../tabs/targets.ts';
import type { SubmitJudge } from './browser-guard.ts';

/** A navigation request with a body, or with a method other than GET. */
export interface SubmitRequest {
  readonly url: string;
  readonly method: string;
  /** The pages that caused the request, as far as they are known. */
  readonly pages: readonly string[];
  /** The tab of the request, then its openers. */
  readonly tabIds: readonly string[];
  /** Undefined if the tab is unknown. */
  readonly session: string | undefined;
}

export interface DownloadRequest extends Omit<SubmitRequest, 'method'> {
  readonly file: string;
}

/** Each function is absent if no rule needs it: nothing is then intercepted. */
export interface EffectGate {
  readonly allowSubmit?: (request: SubmitRequest) => Promise<boolean>;
  readonly allowDownload?: (request: DownloadRequest) => Promise<boolean>;
}

const BODILESS_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Whether a document request is a submit, from Chrome's description of it. */
export const isSubmit = ({
  method,
  hasPostData = false,
}: {
  readonly method: string;
  readonly hasPostData?: boolean;
}): boolean => hasPostData || !BODILESS_METHODS.has(method.toUpperCase());

interface RequestListener {
  readonly findSession: (tabId: string) => string | undefined;
}

/** The pages that caused a request, the tabs that it belongs to, and their session. */
const describeSource = (
  targets: Targets,
  listener: RequestListener,
  tabId: string | undefined,
  frameUrl?: string,
): Pick<DownloadRequest, 'pages' | 'tabIds' | 'session'> => {
  const tabIds = ifDefined(tabId, (id) => targets.listOpeners(id)) ?? [];
  const urls = tabIds.map((id) => targets.findUrl(id)).filter((url) => url !== undefined);
  const own = urls[0]?.startsWith('http') ? urls.slice(0, 1) : urls;
  const sessions = tabIds.map(listener.findSession).filter((name) => name !== undefined);
  return { pages: [...own, ...listDefined(frameUrl)], tabIds, session: sessions[0] };
};

/** Chrome sets the Origin of a request with a body; it is `null` for some pages. */
export const judgePaused = async (
  targets: Targets,
  listener: RequestListener,
  { allowSubmit }: EffectGate,
  ...[{ request, frameId }, ownerId]: Parameters<SubmitJudge>
): Promise<boolean> => {
  const tabId = ownerId ?? targets.findPage(frameId);
  const source = describeSource(targets, listener, tabId, request.headers['Origin']);
  const { url, method } = request;
  using _hold = source.tabIds
    .map((id) => targets.attachedTab(id))
    .find(Boolean)
    ?.holds.add();
  return (await allowSubmit?.({ url, method, ...source })) ?? false;
};

export const judgeDownload = async (
  targets: Targets,
  listener: RequestListener,
  { allowDownload }: EffectGate,
  { url, file, frameId }: { readonly url: string; readonly file: string; readonly frameId: string },
): Promise<boolean> => {
  const tabId = targets.tabOfFrame(frameId)?.id ?? targets.findPage(frameId);
  const source = describeSource(targets, listener, tabId);
  return (await allowDownload?.({ url, file, ...source })) ?? false;
};
