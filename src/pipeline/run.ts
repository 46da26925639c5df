// Runs the tool under its deadline.
import { defined } from '../core/defined.ts';
import { abortable } from '../core/time.ts';
import type { SecretPlace } from '../toolkit/context.ts';
import { known, type Step } from './call.ts';
import { allowAddress, allowFileForPage } from './guard.ts';
import { fillSecrets } from './secrets.ts';

export const run: Step = async (call) => {
  const tool = known(call, 'tool');
  const deadline = known(call, 'deadline');
  const { signal } = deadline;
  const context = defined({
    rooms: call.rooms,
    session: known(call, 'session'),
    tab: call.tab,
    folder: call.request.folder,
    taskId: call.common.taskId,
    signal,
    deadline,
    progress: (progress: object) => call.request.onProgress?.(progress as never),
    allowAddress: (url: string) => allowAddress(call, url),
    allowFile: (path: string) => allowFileForPage(call, path),
    fillSecrets: (text: string, place?: SecretPlace) => fillSecrets(call, text, place),
    note: (line: string) => call.notes.push(line),
    leftOut: (count: number) => (call.findings.hidden += count),
    job: call.job ? call.job : undefined,
  });
  const work = Promise.resolve(tool.run(call.input as never, context as never));
  call.work = work;
  call.data = await abortable(work, signal);
};
