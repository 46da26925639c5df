// Derives commands from tools: verbs, hidden `browser` commands, `tasks start` and `call`. Pure.
import { compact, defined, ifDefined } from '../../core/defined.ts';
import type { ToolUsage, UsageField, Usages } from '../../toolkit/usage.ts';
import {
  type Command,
  type CommandField,
  formatCommandName,
  formatDashed,
  formatFieldName,
  formatPlain,
  type Positional,
  type ToolCommand,
} from './command.ts';
import { VERBS } from './verbs/index.ts';
import type { Section, Verb } from './verbs/verb.ts';

/** A command's name and summary; `make` builds the rest on demand, because few are used. */
export interface DerivedEntry<C extends Command = Command> {
  readonly path: readonly string[];
  readonly summary: string;
  readonly section?: Section;
  readonly hidden?: true;
  readonly make: () => C;
}

/** Builds all commands that call a tool. */
export const deriveCommands = (usages: Usages): DerivedEntry<ToolCommand>[] => [
  ...VERBS.map((verb) => verbEntry(verb, usages)),
  ...usages.tools.filter(hasNoVerb).map((tool): DerivedEntry<ToolCommand> => ({
    ...toolEntry(['browser', commandName(tool.name)], tool, usages),
    hidden: true,
  })),
  ...usages.tools.filter(({ job }) => job).map((tool) => backgroundEntry(tool, usages)),
  ...usages.tools.map((tool) => toolEntry(['call', tool.name], tool, usages)),
];

const verbEntry = (verb: Verb, usages: Usages): DerivedEntry<ToolCommand> =>
  defined({
    path: verb.words.split(' '),
    summary: verb.summary,
    section: verb.section,
    hidden: verb.hidden,
    make: () => buildVerbCommand(verb, requireTool(usages, verb.tool), usages),
  });

const toolEntry = (
  path: readonly string[],
  tool: ToolUsage,
  usages: Usages,
): DerivedEntry<ToolCommand> => ({
  path,
  summary: firstSentence(tool.description),
  section: 'tools',
  make: () => buildToolCommand(path, tool, usages),
});

const backgroundEntry = (tool: ToolUsage, usages: Usages): DerivedEntry<ToolCommand> => ({
  path: [...START.split(' '), tool.name],
  summary: `${findVerb(tool)?.summary ?? firstSentence(tool.description)}, in the background`,
  section: 'work',
  make: () => buildBackgroundCommand(tool, usages),
});

const START = 'tasks start';

/** `browser VERB` is the verb itself. */
const hasNoVerb = ({ name }: ToolUsage): boolean => !VERB_WORDS.has(commandName(name));

const VERB_WORDS: ReadonlySet<string> = new Set(VERBS.map(({ words }) => words));

/** `oc_stop` -> stop */
const commandName = (tool: string): string => formatDashed(tool.replace(/^oc_/, ''));

const findVerb = ({ name }: ToolUsage): Verb | undefined =>
  VERBS.find(({ tool, fixed }) => tool === name && fixed === undefined);

const requireStartVerb = (): Verb => {
  const verb = VERBS.find(({ words }) => words === START);
  if (!verb) throw new Error(`there is no verb ${START}`);
  return verb;
};

const requireTool = ({ tools }: Usages, name: string): ToolUsage => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`a verb calls the unknown tool ${name}`);
  return tool;
};

const firstSentence = (text: string): string =>
  /^.*?\.(?=\s|$)/s.exec(text)?.[0].slice(0, -1) ?? text;

const buildVerbCommand = (verb: Verb, tool: ToolUsage, usages: Usages): ToolCommand => {
  const { words, takes = '', fixed = {}, files = [], about } = verb;
  return defined({
    ...pickFacts(tool),
    path: words.split(' '),
    summary: verb.summary,
    section: verb.section,
    description: ifDefined(about, (about) => `${verb.summary}. ${about}`),
    positionals: parsePositionals(takes, tool.fields, verb.places).map((positional) =>
      defined({ ...positional, completes: verb.completes }),
    ),
    fields: listFields(tool, usages, { fixed, files, verb }),
    fixed,
    defaults: verb.defaults,
    hidden: verb.hidden,
    isTaught: verb.isTaught,
    pick: verb.pick,
    tabFact: verb.tabFact,
    elementFact: verb.elementFact,
    follows: verb.follows,
    draws: verb.draws,
    crawls: verb.crawls,
    splitsLabel: verb.splitsLabel,
    watches: verb.watches,
    view: verb.view,
    data: verb.data,
    bare: verb.bare,
    examples: verb.examples,
  });
};

/** A command named after its tool; required texts and numbers are positional. */
const buildToolCommand = (
  path: readonly string[],
  tool: ToolUsage,
  usages: Usages,
): ToolCommand => {
  const needed = tool.fields.filter(
    ({ required, kind }) => required && (kind === 'text' || kind === 'number'),
  );
  const isCall = path[0] === 'call';
  const takes = isCall ? '' : needed.map(({ name }) => `<${name}>`).join(' ');
  const command = defined({
    ...pickFacts(tool),
    path,
    summary: firstSentence(tool.description),
    section: 'tools' as const,
    hidden: isCall ? undefined : (true as const),
    ...compact({ data: isCall }),
    description: tool.description,
    positionals: parsePositionals(takes, tool.fields),
    fields: listFields(tool, usages, {}),
    fixed: {},
  });
  return withExamples(command, tool.examples);
};

/**
 * `tasks start crawl <url>`: the arguments of a long-running tool, inside those of the tool that
 * starts tasks.
 */
const buildBackgroundCommand = (tool: ToolUsage, usages: Usages): ToolCommand => {
  const starter = requireStartVerb();
  const start = requireTool(usages, starter.tool);
  const verb = findVerb(tool);
  const names = new Set(tool.fields.map(({ name }) => formatPlain(name)));
  const beside = listFields(start, usages, { fixed: { kind: tool.name }, verb: starter }).filter(
    ({ name }) => !names.has(formatPlain(name)),
  );
  const command = defined({
    ...pickFacts(start),
    path: [...START.split(' '), tool.name],
    summary: `${verb?.summary ?? firstSentence(tool.description)}, in the background`,
    section: 'work' as const,
    positionals: parsePositionals(verb?.takes ?? '', tool.fields, verb?.places),
    fields: [
      ...tool.fields.map((field) => describeField(field, verb)),
      ...(tool.large ? usages.output : []).map(hideField),
      ...beside,
    ],
    fixed: { kind: tool.name },
    within: { name: 'args', beside: beside.map(({ name }) => name) },
    view: starter.view,
  });
  return withExamples(command, tool.examples);
};

const pickFacts = ({
  name,
  job,
  stored,
}: ToolUsage): Pick<ToolCommand, 'tool' | 'job' | 'stored'> => defined({ tool: name, job, stored });

/** Flags and texts of the arguments that every tool has. */
const COMMON: Readonly<Record<string, Pick<CommandField, 'flag' | 'describe' | 'unlisted'>>> = {
  tabId: { flag: 'tab', describe: 'The tab, by its id in "openchrome tabs" (default: current)' },
  taskId: { flag: 'task', describe: 'Count the call against this task' },
  timeout_ms: { flag: 'timeout', describe: 'Maximum time of the call, such as 30s or 2m' },
  output_mode: { describe: 'handle: store the result, auto: store it if it is large' },
  output_inline_limit_bytes: { unlisted: true },
};

interface FieldOptions {
  readonly fixed?: object;
  readonly files?: readonly string[];
  readonly verb?: Verb;
}

/** The tool's own arguments, then those common to all tools, without the fixed ones. */
const listFields = (
  tool: ToolUsage,
  usages: Usages,
  { fixed = {}, files = [], verb }: FieldOptions,
): CommandField[] => {
  const own = tool.fields.map((field) => (isCommon(field) ? describeCommon(field) : field));
  // `--session` is an option of the command line: see cli-options.ts.
  const names = new Set(['session', ...own.map(({ name }) => formatPlain(name))]);
  const shared = [...usages.common, ...(tool.large ? usages.output : [])]
    .filter(({ name }) => !names.has(formatPlain(name)))
    .map(describeCommon);
  const listed = own
    .filter(({ name }) => !(name in fixed))
    .map((field) => describeField(field, verb))
    .map((field) => (files.includes(field.name) ? { ...field, file: true as const } : field));
  return [...inOrder(listed, verb), ...shared];
};

const isCommon = ({ name }: UsageField): boolean => Object.hasOwn(COMMON, name);

const describeCommon = (field: UsageField): CommandField => ({ ...field, ...COMMON[field.name] });

/** Text and flag for the command line; arguments that the verb does not list are unlisted. */
const describeField = (field: CommandField, verb: Verb | undefined): CommandField => {
  if (verb === undefined || isCommon(field)) return field;
  const { options = {}, flags = {}, places = {} } = verb;
  const describe = options[field.name];
  return defined({
    ...field,
    describe: describe ?? places[field.name] ?? field.describe,
    default: describe === undefined || field.kind === 'switch' ? field.default : undefined,
    flag: flags[field.name] ?? field.flag,
    ...compact({ unlisted: describe === undefined }),
  });
};

const hideField = (field: UsageField): CommandField => ({ ...field, unlisted: true });

/** The arguments in the order in which the verb lists them; others last. */
const inOrder = (fields: readonly CommandField[], verb: Verb | undefined): CommandField[] => {
  const order = Object.keys(verb?.options ?? {});
  const rank = ({ name }: CommandField): number =>
    order.includes(name) ? order.indexOf(name) : order.length;
  return fields.toSorted((a, b) => rank(a) - rank(b));
};

const positionalKind = (label: string, fields: readonly UsageField[]): Positional['as'] => {
  const field = fields.find(({ name }) => name === label);
  if (!field && label === 'target') return 'target';
  return field?.kind === 'json' ? 'pairs' : 'field';
};

/** Parses a `takes` text: `<target> [value...]`. */
const parsePositionals = (
  takes: string,
  fields: readonly UsageField[],
  places: Verb['places'] = {},
): Positional[] =>
  [...takes.matchAll(/([<[])([\w-]+)(\.\.\.)?[>\]]/g)].map(([, bracket, label = '', rest]) =>
    defined({
      label,
      as: positionalKind(label, fields),
      required: bracket === '<',
      rest: rest !== undefined,
      describe: places[label],
    }),
  );

const withExamples = (
  command: Omit<ToolCommand, 'examples'>,
  examples: readonly Readonly<Record<string, unknown>>[],
): ToolCommand => ({
  ...command,
  examples: examples.flatMap((args) => renderExample(command, args) ?? []),
});

type Args = Readonly<Record<string, unknown>>;

/** Returns undefined if the command cannot express the example: an argument is missing. */
const renderExample = (command: Omit<ToolCommand, 'examples'>, given: Args): string | undefined => {
  const left: Record<string, unknown> = { ...given };
  const words: string[] = [];
  for (const { label, required, rest } of command.positionals) {
    const value = left[label];
    if (value === undefined) {
      if (required) return undefined;
      break;
    }
    words.push(...(rest ? [value].flat() : [value]).map((word) => quoted(asText(word))));
    delete left[label];
  }
  const flags = Object.entries(left).map(([name, value]) => asFlag(command, name, value));
  return flags.includes(undefined)
    ? undefined
    : [formatCommandName(command), ...words, ...flags].join(' ');
};

/** Arguments that have the name of an option of the command line: see parse.ts. */
const OPTION_NAMES: readonly string[] = ['args', 'json'];

const asFlag = (
  { fields }: Pick<ToolCommand, 'fields'>,
  name: string,
  value: unknown,
): string | undefined => {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) return undefined;
  const word = formatFieldName(field);
  const flag = OPTION_NAMES.includes(word) ? `--tool-${word}` : `--${word}`;
  if (field.kind === 'switch') return value === false ? `--no-${word}` : flag;
  if (value === true) return flag;
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
