// Runs the tool under its deadline.
import { showsPdf } from '../browser/pdf/pdf-kind.ts';
import { listEffectKinds } from '../core/effect-kinds.ts';
import { isRecord } from '../core/json.ts';
import { findLastReceipt } from '../core/receipt.ts';
import { abortable } from '../core/time.ts';
import type { JobContext, TabContext } from '../toolkit/context.ts';
import type { ToolOutput } from '../toolkit/tool-call.ts';
import type { PermittedCall } from './call.ts';
import { createConsentContext } from './consent.ts';
import { requireExisting } from '../store/files/allowed-path.ts';
import { allowAddress, allowFileForPage } from './guard.ts';
import { inlineLimit } from './present/fit.ts';
import { fillSecrets } from './secrets.ts';

export const run = async (call: PermittedCall): Promise<ToolOutput> => {
  const work = call.toolCall.run(createContext(call));
  call.course.work = work;
  const result = await abortable(work, call.deadline.signal);
  call.course.result = result;
  noteEffects(call, result);
  readShownPdfAhead(call);
  return result;
};

const noteEffects = ({ common, toolCall, course }: PermittedCall, { data }: ToolOutput): void => {
  if (common.taskId === undefined || toolCall.effect !== 'act' || !isRecord(data)) return;
  const receipt = findLastReceipt(data);
  if (receipt) course.effects = listEffectKinds(receipt.effects);
};

/** After a call that may have opened a PDF. The owner's rules may forbid to read it. */
const readShownPdfAhead = ({
  services,
  session,
  tab = session.current,
  toolCall,
}: PermittedCall): void => {
  if (toolCall.effect !== 'act' || services.consentPolicy.restricts) return;
  if (!tab || !showsPdf(tab)) return;
  const load = async (): Promise<void> => {
    const { startReadAhead } = await import('../browser/pdf/read-ahead.ts');
    if (showsPdf(tab)) startReadAhead(tab, services.workers);
  };
  load().catch((error: unknown) => services.log.defect(error));
};

const createContext = (call: PermittedCall): TabContext & JobContext => {
  const consent = createConsentContext(call);
  return {
    ...consent,
    services: call.services,
    session: call.session,
    isUser: call.request.shell !== undefined,
    folder: call.request.folder,
    taskId: call.common.taskId,
    tabId: call.tab?.id ?? call.common.tabId,
    signal: call.deadline.signal,
    deadline: call.deadline,
    progress: call.onProgress,
    allowAddress: async (url) => {
      const address = await allowAddress(call, url);
      await consent.requireConsent('read', [address]);
      return address;
    },
    allowFile: (path) => allowFileForPage(call, path),
    allowUpload: async (path) => {
      const real = await allowFileForPage(call, path);
      await requireExisting(real, path);
      await consent.requireConsent('upload', consent.listPages());
      return real;
    },
    fillSecrets: (text, place) => fillSecrets(call, text, place),
    inlineLimitBytes: () => inlineLimit(call),
    keepTargets: (targets) => void (call.course.targets ??= []).push(...targets),
    explainFailure: (explain) => void (call.course.explainFailure = explain),
    note: (line) => void call.notes.push(line),
    leftOut: (count) => void (call.findings.hidden += count),
    // The types of a tool's context hide these from tools that do not declare them.
    get tab() {
      return requireFact(call.tab, 'tab');
    },
    get job() {
      return requireFact(call.job, 'job');
    },
  };
};

const requireFact = <T>(fact: T | undefined, name: string): T => {
  if (fact === undefined) throw new Error(`the call has no ${name}`);
  return fact;
};
