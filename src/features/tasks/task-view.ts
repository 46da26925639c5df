// Formats a task for clients.
import type { TaskMeta } from '../../store/tasks/task-meta.ts';
import { withoutCounts } from './envelope-row.ts';

/** Removes the fields that only identify the process. */
export const showTask = (meta: TaskMeta): Omit<TaskMeta, 'process'> => {
  const { process: _, ...shown } = withoutCounts(meta);
  return shown;
};

/** `crawl RUNNING 12/20: https://…` */
export const describeTask = ({ kind, status, progress }: TaskMeta): string => {
  if (!progress) return `${kind} ${status}`;
  const { done, total, message } = progress;
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  const summary = `${kind} ${status} ${count}`;
  return message ? `${summary}: ${message}` : summary;
};
