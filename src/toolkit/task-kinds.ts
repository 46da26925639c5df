// The kinds of background tasks: every tool that declares itself a job.
import type { TaskKind } from '../work/tasks/kind.ts';
import type { Tool } from './define-tool.ts';

export const kindsOf = (tools: readonly Tool[]): TaskKind[] =>
  tools
    .filter(({ traits }) => traits.duration === 'job')
    .map(({ name, assemble, traits }) => ({ name, resumes: traits.resumes === true, ...(assemble ? { assemble } : {}) }));
