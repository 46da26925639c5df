// Removes expired payloads and tasks while no engine is loaded. Apart from cleanup.ts, because it
// loads schemas.
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import type { RetentionRule } from '../../store/files/sweeper.ts';
import { PayloadFiles } from '../../store/handles/payload-files.ts';
import { taskRetention } from '../../store/tasks/task-sweep.ts';

export const createPayloadSweep = (config: Config, { output }: Home): RetentionRule['sweep'] => {
  const payloads = new PayloadFiles(output);
  return (now) => payloads.sweep({ now, maxTotalBytes: config.outputStoreMaxBytes });
};

export const createTaskSweep = ({ tasks }: Home): RetentionRule['sweep'] => {
  const rule = taskRetention(tasks);
  return (now) => rule.sweep(now);
};
