// javascript_tool: runs code in the page and returns its value.
import { z } from 'zod';
import { evaluate } from '../../browser/tabs/evaluate.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

/** A synchronous loop is ended this long before the deadline, so that the reply can report it. */
const MARGIN_MS = 750;

export const javascriptTool = defineTool({
  name: 'javascript_tool',
  description:
    'Run JavaScript in the page and return its value as JSON (await and return work). To read ' +
    'or click prefer read_page, find and interact.',
  returns: '{value, type}',
  keywords: 'run evaluate execute script code js',
  tier: 1,
  traits: {
    effect: 'act',
    consent: () => ({ special: ['script'] }),
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'blocked',
    // Agents also run code in a blank tab, for example to build a page.
    needsPage: 'command',
    rejectsPdf: true,
    timeoutMs: 10_000,
    core: true,
  },
  input: () => ({
    code: markUndescribed(
      z
        .string()
        .min(1)
        .max(1_000_000)
        .describe('Expression or statements; a bare return works too'),
    ),
    world: markUnlisted(
      z
        .enum(['main', 'isolated'])
        .default('main')
        .describe("isolated: without the page's own variables"),
    ),
    frameId: markUnlisted(z.string().min(1).optional()),
    max_chars: markUnlisted(z.number().int().min(1).max(10_000_000).default(50_000)),
  }),
  examples: [
    { code: 'document.title' },
    { code: 'const r = await fetch("/api/me"); return r.json()' },
  ],
  run: ({ code, world, frameId, max_chars }, { tab, signal, deadline }) => {
    const { remainingMs } = deadline;
    const timeoutMs = Math.max(1, remainingMs - Math.min(MARGIN_MS, remainingMs / 2));
    return evaluate(tab.requireFrame(frameId), code, {
      world,
      signal,
      timeoutMs,
      maxChars: max_chars,
    });
  },
  render: ({ value, type, truncatedFrom }) => {
    if (value === undefined) return type;
    // An empty string is returned as JSON: a reply without text would look like no value.
    const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
    if (truncatedFrom === undefined) return text;
    const cut = `cut at ${text.length} of ${truncatedFrom} characters`;
    return `${text}\n… ${cut}; raise max_chars or return less data`;
  },
});
