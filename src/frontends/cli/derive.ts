// The commands that follow from the tools: one for every tool, the short names, and every tool by its name. Pure.
import type { ToolUsage, UsageField, Usages } from '../../toolkit/usage.ts';
import { ALIASES, type Alias } from './aliases.ts';
import { dashed, plain, type Positional, type ToolCommand } from './command.ts';
import { exampleLine } from './example.ts';

/** Everything that a tool does, by the words that ask for it. */
export const deriveCommands = (usages: Usages): ToolCommand[] => {
  const aliased = ALIASES.map((alias) => fromAlias(alias, requireTool(usages, alias.tool), usages));
  const taken = new Set(aliased.map(({ path }) => path.join(' ')));
  // A tool that has its place elsewhere needs no second one among the commands of the browser.
  const elsewhere = new Set(aliased.filter(({ path }) => path[0] !== 'browser').map(({ tool }) => tool));
  const hasOwnName = ({ name }: ToolUsage): boolean => !elsewhere.has(name) && !taken.has(`browser ${commandName(name)}`);
  const named = usages.tools.filter(hasOwnName).map((tool) => byItself(['browser', commandName(tool.name)], tool, usages));
  const background = usages.tools.filter(({ job }) => job).map((tool) => inBackground(tool, aliased, usages));
  const called = usages.tools.map((tool) => byItself(['call', tool.name], tool, usages));
  return [...aliased, ...named.filter(({ tool }) => !isServed(tool, aliased)), ...background, ...called];
};

/** `oc_stop` -> stop */
const commandName = (tool: string): string => dashed(tool.replace(/^oc_/, ''));

/** A tool of the harness whose short name says the same. */
const isServed = (tool: string, aliased: readonly ToolCommand[]): boolean =>
  tool.startsWith('oc_') && aliased.some((command) => command.tool === tool);

const requireTool = ({ tools }: Usages, name: string): ToolUsage => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`a short name stands for ${name}, and there is no such tool`);
  return tool;
};

const firstSentence = (text: string): string => /^.*?\.(?=\s|$)/s.exec(text)?.[0].slice(0, -1) ?? text;

const fromAlias = (alias: Alias, tool: ToolUsage, usages: Usages): ToolCommand => {
  const { words, says, takes = '', fixed = {}, files = [], pick, follows } = alias;
  const command = {
    ...factsOf(tool),
    path: words.split(' '),
    summary: says,
    positionals: positionalsOf(takes, tool.fields),
    fields: fieldsOf(tool, usages, fixed, files),
    fixed,
    ...(pick === undefined ? {} : { pick }),
    ...(follows === undefined ? {} : { follows }),
  };
  return withExamples(command, alias.examples ?? tool.examples);
};

/** A tool under its own name; what it cannot do without is given by its place. */
const byItself = (path: readonly string[], tool: ToolUsage, usages: Usages): ToolCommand => {
  const needed = tool.fields.filter(({ required, kind }) => required && (kind === 'text' || kind === 'number'));
  const takes = path[0] === 'call' ? '' : needed.map(({ name }) => `<${name}>`).join(' ');
  const command = {
    ...factsOf(tool),
    path,
    summary: firstSentence(tool.description),
    positionals: positionalsOf(takes, tool.fields),
    fields: fieldsOf(tool, usages, {}, []),
    fixed: {},
  };
  return withExamples(command, tool.examples);
};

/** `tasks start crawl <url>`: the arguments of a long-running tool, within those of the tool that starts tasks. */
const inBackground = (tool: ToolUsage, aliased: readonly ToolCommand[], usages: Usages): ToolCommand => {
  const start = aliased.find(({ path }) => path.join(' ') === 'tasks start');
  const own = aliased.find((command) => command.tool === tool.name);
  if (!start) throw new Error('no command starts tasks');
  const names = new Set(tool.fields.map(({ name }) => plain(name)));
  const beside = start.fields.filter(({ name }) => name !== 'kind' && !names.has(plain(name)));
  const command = {
    ...factsOf(requireTool(usages, start.tool)),
    path: [...start.path, tool.name],
    summary: `${own?.summary ?? firstSentence(tool.description)}, in the background`,
    description: tool.description,
    positionals: own?.positionals ?? [],
    fields: [...tool.fields, ...(tool.large ? usages.output : []), ...beside],
    fixed: { kind: tool.name },
    within: { name: 'args', beside: beside.map(({ name }) => name) },
  };
  return withExamples(command, tool.examples);
};

const factsOf = ({ name, description, job, stored }: ToolUsage): Pick<ToolCommand, 'tool' | 'description' | 'job' | 'stored'> => ({
  tool: name,
  description,
  ...(job ? { job } : {}),
  ...(stored === undefined ? {} : { stored }),
});

/** The tool's own arguments, then those that every tool understands; what is fixed is not asked for. */
const fieldsOf = (tool: ToolUsage, usages: Usages, fixed: object, files: readonly string[]): UsageField[] => {
  const own = tool.fields.map((field) => (files.includes(field.name) ? { ...field, file: true as const } : field));
  // Who calls is said once for the whole command: see options.ts.
  const names = new Set(['session', ...own.map(({ name }) => plain(name))]);
  const shared = [...usages.common, ...(tool.large ? usages.output : [])].filter(({ name }) => !names.has(plain(name)));
  return [...own.filter(({ name }) => !(name in fixed)), ...shared];
};

/** `<target> [value...]` */
const positionalsOf = (takes: string, fields: readonly UsageField[]): Positional[] =>
  [...takes.matchAll(/([<[])([\w-]+)(\.\.\.)?[>\]]/g)].map(([, bracket, label = '', rest]) => ({
    label,
    as: fields.some(({ name }) => name === label) ? 'field' : label === 'target' ? 'target' : 'slot',
    required: bracket === '<',
    rest: rest !== undefined,
  }));

const withExamples = (command: Omit<ToolCommand, 'examples'>, examples: readonly Readonly<Record<string, unknown>>[]): ToolCommand => ({
  ...command,
  examples: examples.flatMap((args) => exampleLine(command, args) ?? []),
});
