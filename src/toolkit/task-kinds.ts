// The kinds of background tasks: every tool that declares itself a job.
import { defined } from '../core/defined.ts';
import type { TaskKind } from '../features/tasks/kind.ts';
import type { Tool } from './define-tool.ts';

export const listTaskKinds = (tools: readonly Tool[]): TaskKind[] =>
  tools
    .filter(({ traits }) => traits.duration === 'job')
    .map(({ name, assemble, traits }) =>
      defined({
        name,
        resumes: traits.resumes === true,
        distributed: traits.distributed === true,
        assemble: assemble ? assemble : undefined,
      }),
    );
