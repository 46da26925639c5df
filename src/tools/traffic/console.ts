// console: lists console messages and exceptions of the tab, with source-mapped stacks.
import { z } from 'zod';
import { CONSOLE_LEVELS, listConsole } from '../../browser/traffic/console-list.ts';
import { renderConsole } from '../../render/console.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const consoleTool = defineTool({
  name: 'console',
  description:
    'Console messages, uncaught exceptions and browser warnings of the tab since it was ' +
    'opened, with source-mapped stacks; repeats are folded. Pass the cursor as since to get ' +
    'only new messages. To wait for a message use wait_for {console}.',
  returns: '{lines: [{level, text, …}], cursor, older, dropped}',
  keywords: 'logs errors warnings messages exceptions',
  tier: 2,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 10_000,
    large: true,
  },
  input: () => ({
    level: z.enum(CONSOLE_LEVELS).default('debug').describe('This level and above'),
    since: z.number().int().min(0).optional().describe('Cursor of an earlier reply'),
    text: z.string().min(1).max(1000).optional().describe('Only messages that contain it'),
    limit: z.number().int().min(1).max(1000).default(100).describe('The newest'),
    fold: z.boolean().default(true).describe('false: similar messages of a long list one by one'),
  }),
  examples: [{ level: 'error' }, { since: 120 }],
  run: (choice, { tab, services: { workers }, signal }) =>
    listConsole(tab, choice, { workers, signal }),
  render: (list, { fold }) => renderConsole(list, fold),
});
