// Rules for tools: a description, a file with the tool's name, and a token limit for the list.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { listTools } from '../../src/frontends/mcp/tool-methods.ts';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { filesBelow } from './sources.ts';
import { complaintsAbout } from './tool-contract.ts';

const listed = (...flags: string[]): ReturnType<typeof listTools> =>
  listTools(TOOLS, resolveConfig({ flags }));

/** What a client hands to its model. */
const tokensOf = (tools: ReturnType<typeof listTools>): number =>
  encode(
    JSON.stringify(
      tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        input_schema: inputSchema,
      })),
    ),
  ).length;

describe('every tool', () => {
  it('is well declared', () => {
    expect(TOOLS.flatMap(complaintsAbout)).toEqual([]);
  });

  it('has a unique name', () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });

  it('is in the file of its name, without other tools', () => {
    const files = filesBelow('src/tools', '.ts').map(({ path }) => path);
    const declaring = files
      .filter((path) => /^src\/tools\/.+\/[^.]+\.ts$/.test(path))
      .map((path) => path.replace(/^.*\/|\.ts$/g, ''));
    expect(declaring.sort()).toEqual(TOOLS.map(({ name }) => name.replaceAll('_', '-')).sort());
  });

  it('that is part of the core is also in the default list', () => {
    expect(TOOLS.filter(({ tier, traits }) => traits.core && tier !== 1)).toEqual([]);
  });
});

describe('a planted tool', () => {
  const [good] = TOOLS as readonly [Tool];
  const complaints = (over: Partial<Tool>): string[] =>
    complaintsAbout({ ...good, name: 'planted', examples: [], ...over });

  it('without a description is caught', () => {
    expect(complaints({ description: '' })).toContain('planted: there is no description');
    expect(complaints({ description: undefined as never })).toContain(
      'planted: there is no description',
    );
  });

  it('whose description is idle, late or long is caught', () => {
    expect(complaints({ description: 'Clicks.' })).toContain(
      'planted: the first sentence says too little',
    );
    expect(complaints({ description: 'This tool is there to click something.' })).toContain(
      'planted: the description begins with words that say nothing',
    );
    expect(complaints({ description: `Clicks ${'really '.repeat(40)} well.` })).toContain(
      'planted: the first sentence ends after 200 characters',
    );
    expect(complaints({ description: `Clicks on a thing. ${'Really. '.repeat(300)}` })).toContain(
      'planted: the description has 2048 bytes or more',
    );
  });

  it('with a wrong name or a wrong example is caught', () => {
    expect(complaints({ name: 'readPage' })).toContain(
      'readPage: the name is not lower_snake_case',
    );
    expect(complaints({})).toContain('planted: there is no example');
    expect(complaints({ examples: [{ noSuchArgument: 1 }] })[0]).toMatch(
      /^planted: the example .* is not valid/,
    );
  });
});

describe('the list', () => {
  it('keeps its order', () => {
    expect(listed().map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "navigate",
        "tabs_context",
        "tabs",
        "read_page",
        "page_content",
        "inspect",
        "validate_page",
        "find",
        "page_screenshot",
        "interact",
        "fill_form",
        "act",
        "computer",
        "javascript_tool",
        "script",
        "wait_for",
        "expect",
        "oc_recipe",
        "handle_dialog",
        "network",
        "extract_data",
        "crawl",
        "crawl_sitemap",
        "recording",
        "oc_evidence_bundle",
        "oc_session_snapshot",
        "oc_output_fetch",
        "oc_task_start",
        "oc_task_list",
        "oc_task_get",
        "oc_task_update",
        "oc_task_finish",
        "oc_task_cancel",
        "oc_task_wait",
        "oc_handoff",
        "oc_journal",
        "expand_tools",
      ]
    `);
  });

  it('costs at most 4,000 tokens by default', () => {
    expect(tokensOf(listed())).toBeLessThanOrEqual(4_000);
  });

  it('has at most 12 tools and costs less than 1,500 tokens when it is slim', () => {
    expect(listed('--slim').length).toBeLessThanOrEqual(12);
    expect(tokensOf(listed('--slim'))).toBeLessThan(1_500);
  });

  it('has every tool with --all-tools', () => {
    expect(listed('--all-tools')).toHaveLength(TOOLS.length);
  });
});
