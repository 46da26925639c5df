// Derives commands from tools: short names, `browser`, `tasks start` and `call` commands. Pure.
import { defined } from '../../core/defined.ts';
import type { ToolUsage, UsageField, Usages } from '../../toolkit/usage.ts';
import { type Alias, ALIASES } from './aliases.ts';
import {
  type Command,
  formatCommandName,
  formatDashed,
  formatPlain,
  type Positional,
  type ToolCommand,
} from './command.ts';

/** A command's name and summary; `make` builds the rest on demand, because few are used. */
export interface DerivedEntry<C extends Command = Command> {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hidden?: true;
  readonly make: () => C;
}

/** Builds all commands that call a tool. */
export const deriveCommands = (usages: Usages): DerivedEntry<ToolCommand>[] => {
  const taken = new Set(ALIASES.map(({ words }) => words));
  // Tools with an alias outside `browser`, and `oc_` tools with any alias, get no other command in
  // the `browser` group.
  const placed = new Set(
    ALIASES.filter(
      ({ words, tool }) => !words.startsWith('browser ') || tool.startsWith('oc_'),
    ).map(({ tool }) => tool),
  );
  const named = usages.tools.filter(
    ({ name }) => !placed.has(name) && !taken.has(`browser ${commandName(name)}`),
  );
  return [
    ...ALIASES.map((alias) => aliasEntry(alias, usages)),
    ...named.map((tool) => toolEntry(['browser', commandName(tool.name)], tool, usages)),
    ...usages.tools.filter(({ job }) => job).map((tool) => backgroundEntry(tool, usages)),
    ...usages.tools.map((tool) => toolEntry(['call', tool.name], tool, usages)),
  ];
};

const aliasEntry = (alias: Alias, usages: Usages): DerivedEntry<ToolCommand> => ({
  path: alias.words.split(' '),
  summary: alias.says,
  make: () => fromAlias(alias, requireTool(usages, alias.tool), usages),
});

const toolEntry = (
  path: readonly string[],
  tool: ToolUsage,
  usages: Usages,
): DerivedEntry<ToolCommand> => ({
  path,
  summary: firstSentence(tool.description),
  make: () => byItself(path, tool, usages),
});

const backgroundEntry = (tool: ToolUsage, usages: Usages): DerivedEntry<ToolCommand> => ({
  path: [...START.split(' '), tool.name],
  summary: `${firstSentence(tool.description)}, in the background`,
  make: () => inBackground(tool, usages),
});

const START = 'tasks start';

/** `oc_stop` -> stop */
const commandName = (tool: string): string => formatDashed(tool.replace(/^oc_/, ''));

const requireAlias = (test: (alias: Alias) => boolean): Alias => {
  const alias = ALIASES.find(test);
  if (!alias) throw new Error('there is no such short name');
  return alias;
};

const requireTool = ({ tools }: Usages, name: string): ToolUsage => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`a short name stands for ${name}, and there is no such tool`);
  return tool;
};

const firstSentence = (text: string): string =>
  /^.*?\.(?=\s|$)/s.exec(text)?.[0].slice(0, -1) ?? text;

const fromAlias = (alias: Alias, tool: ToolUsage, usages: Usages): ToolCommand => {
  const { words, says, takes = '', fixed = {}, files = [], pick, tabFact, follows } = alias;
  const command = defined({
    ...factsOf(tool),
    path: words.split(' '),
    summary: says,
    positionals: parsePositionals(takes, tool.fields),
    fields: fieldsOf(tool, usages, fixed, files),
    fixed,
    pick,
    tabFact,
    follows,
  });
  return withExamples(command, alias.examples ?? tool.examples);
};

/** A command named after its tool; required texts and numbers are positional. */
const byItself = (path: readonly string[], tool: ToolUsage, usages: Usages): ToolCommand => {
  const needed = tool.fields.filter(
    ({ required, kind }) => required && (kind === 'text' || kind === 'number'),
  );
  const takes = path[0] === 'call' ? '' : needed.map(({ name }) => `<${name}>`).join(' ');
  const command = {
    ...factsOf(tool),
    path,
    summary: firstSentence(tool.description),
    positionals: parsePositionals(takes, tool.fields),
    fields: fieldsOf(tool, usages, {}, []),
    fixed: {},
  };
  return withExamples(command, tool.examples);
};

/**
 * `tasks start crawl <url>`: the arguments of a long-running tool, inside those of the tool that
 * starts tasks.
 */
const inBackground = (tool: ToolUsage, usages: Usages): ToolCommand => {
  const starter = requireAlias(({ words }) => words === START);
  const start = requireTool(usages, starter.tool);
  const own = ALIASES.find((alias) => alias.tool === tool.name);
  const names = new Set(tool.fields.map(({ name }) => formatPlain(name)));
  const beside = fieldsOf(start, usages, { kind: tool.name }, []).filter(
    ({ name }) => !names.has(formatPlain(name)),
  );
  const command = {
    ...factsOf(start),
    path: [...START.split(' '), tool.name],
    summary: `${own?.says ?? firstSentence(tool.description)}, in the background`,
    description: tool.description,
    positionals: parsePositionals(own?.takes ?? '', tool.fields),
    fields: [...tool.fields, ...(tool.large ? usages.output : []), ...beside],
    fixed: { kind: tool.name },
    within: { name: 'args', beside: beside.map(({ name }) => name) },
  };
  return withExamples(command, tool.examples);
};

const factsOf = ({
  name,
  description,
  job,
  stored,
}: ToolUsage): Pick<ToolCommand, 'tool' | 'description' | 'job' | 'stored'> =>
  defined({
    tool: name,
    description,
    job: job ? job : undefined,
    stored,
  });

/** The tool's own arguments, then those common to all tools, without the fixed ones. */
const fieldsOf = (
  tool: ToolUsage,
  usages: Usages,
  fixed: object,
  files: readonly string[],
): UsageField[] => {
  const own = tool.fields.map((field) =>
    files.includes(field.name) ? { ...field, file: true as const } : field,
  );
  // `--session` is an option of the command line: see cli-options.ts.
  const names = new Set(['session', ...own.map(({ name }) => formatPlain(name))]);
  const shared = [...usages.common, ...(tool.large ? usages.output : [])].filter(
    ({ name }) => !names.has(formatPlain(name)),
  );
  return [...own.filter(({ name }) => !(name in fixed)), ...shared];
};

const positionalKind = (label: string, fields: readonly UsageField[]): Positional['as'] => {
  if (fields.some(({ name }) => name === label)) return 'field';
  return label === 'target' ? 'target' : 'slot';
};

/** Parses a `takes` text: `<target> [value...]`. */
const parsePositionals = (takes: string, fields: readonly UsageField[]): Positional[] =>
  [...takes.matchAll(/([<[])([\w-]+)(\.\.\.)?[>\]]/g)].map(([, bracket, label = '', rest]) => ({
    label,
    as: positionalKind(label, fields),
    required: bracket === '<',
    rest: rest !== undefined,
  }));

const withExamples = (
  command: Omit<ToolCommand, 'examples'>,
  examples: readonly Readonly<Record<string, unknown>>[],
): ToolCommand => ({
  ...command,
  examples: examples.flatMap((args) => renderExample(command, args) ?? []),
});

type Args = Readonly<Record<string, unknown>>;

/**
 * Returns undefined if the command cannot express the example: a fixed argument differs, or an
 * argument is missing.
 */
const renderExample = (command: Omit<ToolCommand, 'examples'>, given: Args): string | undefined => {
  const { fixed, within, positionals } = command;
  const left: Record<string, unknown> = { ...given };
  if (within === undefined)
    for (const [name, value] of Object.entries(fixed)) {
      if (name in left && left[name] !== value) return undefined;
      delete left[name];
    }
  const words: string[] = [];
  for (const { label, as, required, rest } of positionals) {
    const field =
      as === 'target' ? ['ref', 'selector', 'query'].find((name) => name in left) : label;
    const value = field === undefined ? undefined : left[field];
    if (value === undefined) {
      if (required) return undefined;
      break;
    }
    words.push(...(rest ? [value].flat() : [value]).map((word) => quoted(asText(word))));
    delete left[field as string];
  }
  const flags = Object.entries(left).map(([name, value]) => asFlag(command, name, value));
  return flags.includes(undefined)
    ? undefined
    : [formatCommandName(command), ...words, ...flags].join(' ');
};

const asFlag = (
  { fields }: Pick<ToolCommand, 'fields'>,
  name: string,
  value: unknown,
): string | undefined => {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) return undefined;
  const flag = `--${formatDashed(name)}`;
  if (field.kind === 'switch') return value === false ? `--no-${formatDashed(name)}` : flag;
  if (field.kind === 'numbers' && Array.isArray(value)) return `${flag} ${value.join(',')}`;
  if (field.kind === 'list' && Array.isArray(value))
    return value.map((one) => `${flag} ${quoted(asText(one))}`).join(' ');
  return `${flag} ${quoted(asText(value))}`;
};

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Quotes a text unless every shell leaves it unchanged. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
