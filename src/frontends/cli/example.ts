// A call as the line that one would type for it: the other direction of parsing. Pure.
import { dashed, nameOf, type ToolCommand } from './command.ts';

type Args = Readonly<Record<string, unknown>>;

/** Nothing where the command cannot say it: something else is fixed, or it has no such argument. */
export const exampleLine = (command: Omit<ToolCommand, 'examples'>, given: Args): string | undefined => {
  const { fixed, within, positionals } = command;
  const left: Record<string, unknown> = { ...given };
  if (within === undefined)
    for (const [name, value] of Object.entries(fixed)) {
      if (name in left && left[name] !== value) return undefined;
      delete left[name];
    }
  const words: string[] = [];
  for (const { label, as, required, rest } of positionals) {
    const field = as === 'target' ? ['ref', 'selector', 'query'].find((name) => name in left) : label;
    const value = field === undefined ? undefined : left[field];
    if (value === undefined) {
      if (required) return undefined;
      break;
    }
    words.push(...(rest ? [value].flat() : [value]).map((word) => quoted(asText(word))));
    delete left[field as string];
  }
  const flags = Object.entries(left).map(([name, value]) => asFlag(command, name, value));
  return flags.includes(undefined) ? undefined : [nameOf(command), ...words, ...flags].join(' ');
};

const asFlag = ({ fields }: Pick<ToolCommand, 'fields'>, name: string, value: unknown): string | undefined => {
  const field = fields.find((candidate) => candidate.name === name);
  if (!field) return undefined;
  const flag = `--${dashed(name)}`;
  if (field.kind === 'switch') return value === false ? `--no-${dashed(name)}` : flag;
  if (field.kind === 'numbers' && Array.isArray(value)) return `${flag} ${value.join(',')}`;
  if (field.kind === 'list' && Array.isArray(value)) return value.map((one) => `${flag} ${quoted(asText(one))}`).join(' ');
  return `${flag} ${quoted(asText(value))}`;
};

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Bare where every shell leaves it as it is. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
