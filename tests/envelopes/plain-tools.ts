// Two tools without a browser, for tests: one that looks and one that acts; either can fail, wait,
// and claim to load an address.
import { z } from 'zod';
import { fail, type FailureCode } from '../../src/core/failure.ts';
import { sleep } from '../../src/core/time.ts';
import { defineTool, type Tool } from '../../src/toolkit/define-tool.ts';

const plain = (name: string, observation: boolean): Tool =>
  defineTool({
    name,
    description: `${observation ? 'Looks' : 'Acts'} at once, for tests.`,
    tier: 2,
    traits: {
      effect: observation ? 'read' : 'act',
      scope: 'none',
      observation,
      duration: 'instant',
      dialog: 'allowed',
      timeoutMs: 10_000,
      opens: ({ url }) => url,
      noEffect: (data) => (data as { idle: boolean }).idle,
    },
    input: () => ({
      code: z.string().optional(),
      url: z.string().optional(),
      said: z.string().default(''),
      idle: z.boolean().default(false),
      wait_ms: z.number().default(0),
    }),
    examples: [{}],
    run: async ({ code, said, idle, wait_ms }, { signal }) => {
      if (wait_ms > 0) await sleep(wait_ms, signal);
      if (code !== undefined) throw fail(code as FailureCode, 'As it was asked for.');
      return { said, idle };
    },
  });

export const looks = plain('looks', true);
export const acts = plain('acts', false);
