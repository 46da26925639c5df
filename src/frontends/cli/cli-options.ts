// The options of the command line itself, in addition to the arguments of a tool.
import type { ToolCommand } from './command.ts';

export const FORMATS = ['text', 'json'] as const;
export type OutputFormat = (typeof FORMATS)[number];

export interface Option {
  readonly name: string;
  readonly kind: 'switch' | 'value';
  readonly placeholder?: string;
  readonly values?: readonly string[];
  readonly describe: string;
  /** Accepted, but not listed in the help. */
  readonly unlisted?: true;
  /** The value is a path. */
  readonly file?: true;
}

const OPTIONS: readonly Option[] = [
  { name: 'json', kind: 'switch', describe: 'Print JSON' },
  {
    name: 'args',
    kind: 'value',
    placeholder: 'JSON|-',
    describe: "The tool's input as one JSON object; - reads it from stdin",
  },
  {
    name: 'session',
    kind: 'value',
    placeholder: 'NAME',
    describe: 'Session with its own tabs (default: $OPENCHROME_SESSION)',
  },
  {
    name: 'format',
    kind: 'value',
    placeholder: 'text|json',
    values: FORMATS,
    describe: 'Print text or JSON',
    unlisted: true,
  },
  { name: 'help', kind: 'switch', describe: 'Print this help' },
];

const FOLLOW: Option = {
  name: 'follow',
  kind: 'switch',
  describe: 'Keep printing new entries until Ctrl-C',
};

const OUT: Option = {
  name: 'out',
  kind: 'value',
  placeholder: 'DIR|FILE.jsonl',
  describe: 'Write each page as it arrives: a file per page, or a line of JSON per page',
  file: true,
};

const SHOW: Option = {
  name: 'show',
  kind: 'switch',
  describe: 'Also show the picture in the terminal (kitty, Ghostty, WezTerm, iTerm2)',
};

/** Short forms of options. */
export const SHORT_FLAGS: Readonly<Record<string, string>> = {
  '-h': '--help',
  '-s': '--session',
  '-o': '--out',
};

export const listOptions = ({
  follows,
  crawls,
  draws,
}: Pick<ToolCommand, 'follows' | 'crawls' | 'draws'>): readonly Option[] => {
  if (crawls) return [OUT, ...OPTIONS];
  if (draws) return [SHOW, ...OPTIONS];
  return follows ? [FOLLOW, ...OPTIONS] : OPTIONS;
};
