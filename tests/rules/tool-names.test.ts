// No room knows a tool by its name: what others need to know of a tool are its traits.
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/tools/index.ts';
import { shippedSources } from './sources.ts';
import { findNamedTools, findToolNames } from './tool-names.ts';

const names = new Set(TOOLS.map(({ name }) => name));

/** The table of the names that hints use, per frontend. */
const MENTIONS = 'src/core/hint-text.ts';

/** Three effects of the owner's policy have the names of tools: act, script and cookies. */
const EFFECTS = ['src/core/consent-rule.ts', 'src/policy/consent-policy.ts'];

it('is true of all that ships', () => {
  const files = shippedSources().filter(({ path }) => path !== MENTIONS && !EFFECTS.includes(path));
  expect(files.flatMap((file) => findToolNames(file, names))).toEqual([]);
});

/** Layers that do not know the tools. */
const BELOW = /^src\/(?:core|system|store|page|browser)\//;

/** The tables of failures and settings contain texts for the caller; `fetch_with` is a format. */
const EXCEPTIONS = new Set([
  'src/core/failure.ts',
  'src/core/config-fields.ts',
  MENTIONS,
  'src/store/handles/handle-descriptor.ts',
]);

it('no text of the layers below the tools names a tool', () => {
  const files = shippedSources().filter(({ path }) => BELOW.test(path) && !EXCEPTIONS.has(path));
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => findNamedTools(file, names))).toEqual([]);
});

it.each([
  "const hint = 'Look at the page with read_page.';",
  'const hint = `${first}, then read_page {ref: "${ref}"}.`;',
])('a tool name is found in %s', (text) => {
  expect(findNamedTools({ path: 'planted.ts', text }, names)).toEqual(['planted.ts: read_page']);
});

describe('a planted list of tool names', () => {
  const known = new Set(['navigate', 'tabs', 'act', 'find', 'read_page', 'oc_journal']);
  const find = (text: string): string[] => findToolNames({ path: 'planted.ts', text }, known);

  it.each([
    [
      "const QUIET = ['navigate', 'read_page'];",
      'planted.ts:1: a list of tool names: navigate, read_page',
    ],
    [
      "const QUIET = new Set<string>(['oc_journal', 'other', `tabs`]);",
      'planted.ts:1: a list of tool names: oc_journal, tabs',
    ],
    [
      "const LIMITS = { navigate: 1, 'read_page': 2 };",
      'planted.ts:1: a list of tool names: navigate, read_page',
    ],
    [
      "type Loud = 'navigate' | 'tabs' | 'find';",
      'planted.ts:1: a list of tool names: navigate, tabs, find',
    ],
    [
      "switch (name) {\n  case 'navigate':\n  case 'read_page':\n}",
      'planted.ts:1: a list of tool names: navigate, read_page',
    ],
    ["if (tool.name === 'navigate') skip();", 'planted.ts:1: a branch on the tool navigate'],
    ["const quiet = 'read_page' !== request.name;", 'planted.ts:1: a branch on the tool read_page'],
  ])('is caught in %s', (code, complaint) => {
    expect(find(code)).toEqual([complaint]);
  });

  it.each([
    "type Effect = 'read' | 'act';",
    "const hint = 'Look at the page again with read_page or find, then navigate.';",
    "if (session.state === 'act') go();",
    "const both = ['act', 'find'].includes(verb);",
    'const services = { tabs, find };',
  ])('is not seen in %s', (code) => {
    expect(find(code)).toEqual([]);
  });
});
