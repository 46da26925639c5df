// A hint has two renderings: tools for models, commands for users of a shell.
import { expect, it } from 'vitest';
import { fail, FAILURES } from './failure.ts';
import { renderHint } from './hint-text.ts';

it('names the tool for a model and the command for a user', () => {
  const hint = 'Open a page first with [[open]], or name another tab with [[tab]].';
  expect(renderHint(hint, 'model')).toBe(
    'Open a page first with navigate {url}, or name another tab with tabId.',
  );
  expect(renderHint(hint, 'shell')).toBe(
    'Open a page first with openchrome open URL, or name another tab with --tab.',
  );
});

it('leaves other brackets unchanged', () => {
  expect(renderHint('[[unknown]] a[[0]]', 'shell')).toBe('[[unknown]] a[[0]]');
});

it('is rendered for a model in the JSON form of a failure', () => {
  expect(fail('no_page', 'No page.').toJSON().error.hint).toContain('navigate {url}');
});

it('has a mark for every tool in the table of failures', () => {
  for (const [code, { hint = '' }] of Object.entries(FAILURES as Record<string, { hint?: string }>))
    expect(`${code}: ${hint}`).not.toMatch(
      /: .*\b(?:oc_[a-z_]+|read_page|tabs_context|wait_for|handle_dialog|expand_tools|timeout_ms)\b/,
    );
  for (const [code, { hint = '' }] of Object.entries(FAILURES as Record<string, { hint?: string }>))
    expect(`${code}: ${renderHint(hint, 'shell')}`).not.toContain('[[');
});
