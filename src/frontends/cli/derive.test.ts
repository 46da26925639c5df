// Commands from tools: every tool can be reached, every command has examples, and each example
// calls its tool.
import usages from 'tool-usage';
import { describe, expect, it } from 'vitest';
import type { ToolCommand } from './command.ts';
import { deriveCommands } from './derive.ts';
import { isToolCommand } from './help.ts';
import { mergeJson, parseWords } from './parse.ts';
import { commands, findCommand } from './program.ts';
import { VERBS } from './verbs/index.ts';

const derived = deriveCommands(usages).map(({ make }) => make());

/** As a shell of the usual kind splits a line. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'),
  );

const read = (line: string): { readonly tool: string; readonly args: Record<string, unknown> } => {
  const found = findCommand(shellWords(line).slice(1));
  if (!('command' in found) || !isToolCommand(found.command))
    throw new Error(`not a tool: ${line}`);
  const parsed = parseWords(found.command, found.words, usages.config);
  const args =
    parsed.json === undefined ? parsed.args : mergeJson(found.command, parsed.args, parsed.json);
  return { tool: found.command.tool, args };
};

describe('every tool', () => {
  it.each(usages.tools.map(({ name }) => name))(
    '%s can be called by its name, and as a hidden command of `browser`',
    (name) => {
      const words = ['browser', name.replace(/^oc_/, '').replaceAll('_', '-')];
      expect(findCommand(words)).toHaveProperty('command.tool');
      expect(derived.find(({ path }) => path.join(' ') === `call ${name}`)?.tool).toBe(name);
    },
  );
});

describe('every command', () => {
  it('has a unique name', () => {
    const names = commands().map(({ path }) => path.join(' '));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has an example', () => {
    expect(commands().filter(({ examples, hidden }) => !hidden && examples.length === 0)).toEqual(
      [],
    );
  });

  it('understands its own examples', () => {
    for (const command of derived)
      for (const example of command.examples) {
        const line = example.replace(/^u=\$\((.*)\)$|\s+>.*$/g, '$1');
        const { tool, args } = read(line);
        expect(tool, line).toBe(command.tool);
        for (const [name, value] of Object.entries(command.fixed))
          if (typeof value !== 'string' || !value.includes('{'))
            expect(args, line).toHaveProperty(name, value);
      }
  });

  it('describes only arguments that the tool has', () => {
    for (const { words, tool, options = {}, flags = {} } of VERBS) {
      const names = usages.tools.find(({ name }) => name === tool)?.fields.map(({ name }) => name);
      const common = usages.common.map(({ name }) => name);
      for (const name of [...Object.keys(options), ...Object.keys(flags)])
        expect([...(names ?? []), ...common], words).toContain(name);
    }
  });

  it('called by its name, an example is the very call that the tool declares', () => {
    for (const tool of usages.tools) {
      const command = derived.find(
        ({ path }) => path.join(' ') === `call ${tool.name}`,
      ) as ToolCommand;
      expect(command.examples.map((line) => read(line).args)).toEqual(tool.examples);
    }
  });
});

describe('what people type', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['openchrome open https://example.com', 'navigate', { url: 'https://example.com' }],
    ['openchrome back', 'navigate', { action: 'back' }],
    ['openchrome browser back', 'navigate', { action: 'back' }],
    ['openchrome browser tab list --all', 'tabs_context', { all: true }],
    ['openchrome browser tab new', 'tabs', { action: 'new' }],
    [
      'openchrome form Email=ada@x.org e4=true --submit',
      'fill_form',
      {
        fields: [
          { label: 'Email', value: 'ada@x.org' },
          { ref: 'e4', value: true },
        ],
        submit: true,
      },
    ],
    [
      'openchrome click Save --timeout 2s --tab t2 --after diff',
      'interact',
      { action: 'click', query: 'Save', timeout_ms: 2000, tabId: 't2', returnAfterState: 'diff' },
    ],
    ['openchrome browser read-page --mode dom', 'read_page', { mode: 'dom' }],
    ['openchrome browser read_page', 'read_page', {}],
    ['openchrome click e12', 'interact', { action: 'click', ref: 'e12' }],
    ['openchrome click Sign in', 'interact', { action: 'click', query: 'Sign in' }],
    ["openchrome click '#save'", 'interact', { action: 'click', selector: '#save' }],
    ['openchrome click css=button', 'interact', { action: 'click', selector: 'button' }],
    ['openchrome click text=e12', 'interact', { action: 'click', query: 'e12' }],
    [
      'openchrome type e5 hello world',
      'interact',
      { action: 'type', ref: 'e5', value: 'hello world' },
    ],
    ['openchrome fill --ref e5 -5', 'interact', { action: 'fill', ref: 'e5', value: '-5' }],
    ['openchrome fill e5 -- --draft', 'interact', { action: 'fill', ref: 'e5', value: '--draft' }],
    [
      'openchrome select Country Norway',
      'interact',
      { action: 'select', query: 'Country', value: 'Norway' },
    ],
    ['openchrome keys Control+A', 'interact', { action: 'press', value: 'Control+A' }],
    ['openchrome press Tab Enter', 'interact', { action: 'press', value: 'Tab Enter' }],
    [
      'openchrome upload e3 a.pdf b.pdf',
      'interact',
      { action: 'upload', ref: 'e3', value: ['a.pdf', 'b.pdf'] },
    ],
    ['openchrome find Sign in --role button', 'find', { query: 'Sign in', role: 'button' }],
    ['openchrome get title', 'tabs_context', { all: true, limit: 1000 }],
    ['openchrome get url --tab-id 8A3F', 'tabs_context', { all: true, limit: 1000, tabId: '8A3F' }],
    ['openchrome get count \'a[href="x"]\'', 'inspect', { fact: 'count', selector: 'a[href="x"]' }],
    ['openchrome get count li', 'inspect', { fact: 'count', selector: 'li' }],
    ['openchrome get count ul li', 'inspect', { fact: 'count', selector: 'ul li' }],
    ['openchrome get count text=li', 'inspect', { fact: 'count', query: 'li' }],
    ['openchrome get value Email address', 'inspect', { fact: 'value', query: 'Email address' }],
    ['openchrome get value e12', 'inspect', { fact: 'value', ref: 'e12' }],
    [
      "openchrome get attr 'Next page' href",
      'inspect',
      { fact: 'attribute', query: 'Next page', attribute: 'href' },
    ],
    ['openchrome get html e12', 'page_content', { ref: 'e12' }],
    ['openchrome get html main', 'page_content', { selector: 'main' }],
    [
      'openchrome get text main',
      'read_page',
      { mode: 'markdown', selector: 'main', max_tokens: 1_000_000 },
    ],
    ['openchrome click main', 'interact', { action: 'click', query: 'main' }],
    ["openchrome eval '1 + 1'", 'javascript_tool', { code: '1 + 1' }],
    [
      'openchrome screenshot page.png --full-page',
      'page_screenshot',
      { path: 'page.png', fullPage: true },
    ],
    ['openchrome screenshot --format jpeg', 'page_screenshot', { format: 'jpeg' }],
    ['openchrome screenshot --format json', 'page_screenshot', {}],
    [
      'openchrome screenshot --clip \'{"x":0,"y":0,"width":9,"height":9}\'',
      'page_screenshot',
      { clip: { x: 0, y: 0, width: 9, height: 9 } },
    ],
    ['openchrome pdf out.pdf', 'page_pdf', { path: 'out.pdf' }],
    ['openchrome wait Welcome back', 'wait_for', { text: 'Welcome back' }],
    [
      'openchrome wait --selector-gone .spinner --timeout-ms 5000',
      'wait_for',
      { selectorGone: '.spinner', timeout_ms: 5000 },
    ],
    ['openchrome tabs new', 'tabs', { action: 'new' }],
    ['openchrome tabs close 8A3F', 'tabs', { action: 'close', tabId: '8A3F' }],
    ['openchrome tabs --all', 'tabs_context', { all: true }],
    ['openchrome network --format lines --limit=5', 'network', { format: 'lines', limit: 5 }],
    [
      "openchrome network --replay GetUser --set id:=7 --set code=007 --set 'name=Ada L'",
      'network',
      { replay: 'GetUser', args: { id: 7, code: '007', name: 'Ada L' } },
    ],
    ['openchrome cookies', 'cookies', { action: 'list' }],
    [
      'openchrome cookies set theme dark',
      'cookies',
      { action: 'set', name: 'theme', value: 'dark' },
    ],
    ['openchrome storage save login.json', 'storage', { action: 'save', path: 'login.json' }],
    ['openchrome dialog dismiss', 'handle_dialog', { accept: false }],
    [
      'openchrome emulate iphone-15 --locale null',
      'emulate',
      { device: 'iphone-15', locale: null },
    ],
    [
      'openchrome browser computer left_click --coordinate 10,20',
      'computer',
      { action: 'left_click', coordinate: [10, 20] },
    ],
    ['openchrome browser page-content --no-outer-html', 'page_content', { outerHTML: false }],
    [
      'openchrome crawl https://example.com --include /a --include /b --no-respect-robots',
      'crawl',
      { url: 'https://example.com', include: ['/a', '/b'], respect_robots: false },
    ],
    [
      'openchrome tasks start crawl https://example.com --max-pages 9',
      'oc_task_start',
      { kind: 'crawl', args: { url: 'https://example.com', max_pages: 9 } },
    ],
    [
      `openchrome tasks start crawl --args '{"url":"https://example.com"}' --resume-from 019a8c1f2b3d4e5f`,
      'oc_task_start',
      { kind: 'crawl', args: { url: 'https://example.com' }, resume_from: '019a8c1f2b3d4e5f' },
    ],
    [
      'openchrome tasks list --status RUNNING --status PENDING',
      'oc_task_list',
      { status: ['RUNNING', 'PENDING'] },
    ],
    [
      "openchrome browser request-intercept block --url '*' --resource-types image,font",
      'request_intercept',
      { action: 'block', url: '*', resourceTypes: ['image', 'font'] },
    ],
    [
      'openchrome tasks show 019a8c1f2b3d4e5f --include-result',
      'oc_task_get',
      { task_id: '019a8c1f2b3d4e5f', include_result: true },
    ],
    [
      'openchrome output grep oh_ABCDEFGH2345 (?i)error --context 2',
      'oc_output_fetch',
      { output_handle: 'oh_ABCDEFGH2345', grep: '(?i)error', context: 2 },
    ],
    [
      'openchrome output show oh_ABCDEFGH2345 --tool-format text',
      'oc_output_fetch',
      { output_handle: 'oh_ABCDEFGH2345', format: 'text' },
    ],
    [
      'openchrome journal summary --since 2026-01-01',
      'oc_journal',
      { action: 'summary', since: '2026-01-01' },
    ],
    ['openchrome journal --since 1700000000000', 'oc_journal', { since: 1700000000000 }],
  ])('%s', (line, tool, args) => {
    expect(read(line)).toEqual({ tool, args });
  });

  it.each([
    ['openchrome click', 'openchrome click needs <target>: a ref, CSS or words.'],
    ['openchrome open a b', 'openchrome open does not take the argument "b".'],
    [
      'openchrome browser read-page --mode xml',
      '--mode must be one of ax, dom, css, markdown, not "xml".',
    ],
    ['openchrome browser read-page --depth two', '--depth must be a number, not "two".'],
    ['openchrome browser read-page --urls=maybe', '--urls must be on or off, not "maybe".'],
    [
      'openchrome network --limt 5',
      'openchrome network has no option --limt; did you mean --limit?',
    ],
    ['openchrome network --limit', '--limit needs a value.'],
    ['openchrome get html words', 'openchrome get html takes ref or selector, not words: "words".'],
    ['openchrome get text words', 'openchrome get text takes ref or selector, not words: "words".'],
    ['openchrome browser fill-form --fields [', '--fields must be JSON, not "[".'],
    ['openchrome state --format xml', '--format must be one of text, json, not "xml".'],
  ])('%s: %s', (line, message) => {
    expect(() => read(line)).toThrow(message);
  });
});
