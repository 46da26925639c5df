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
}

const OPTIONS: readonly Option[] = [
  {
    name: 'format',
    kind: 'value',
    placeholder: 'text|json',
    values: FORMATS,
    describe: 'What is printed (json where stdout is no terminal)',
  },
  {
    name: 'session',
    kind: 'value',
    placeholder: 'NAME',
    describe: 'Named workspace with tabs of its own (default: $OPENCHROME_SESSION)',
  },
  {
    name: 'json',
    kind: 'value',
    placeholder: 'OBJECT|-',
    describe: 'Arguments as one JSON object; - reads it from stdin',
  },
  { name: 'help', kind: 'switch', describe: 'Print this help' },
];

const FOLLOW: Option = {
  name: 'follow',
  kind: 'switch',
  describe: 'Go on printing what is new, one JSON object per line',
};

export const listOptions = ({ follows }: Pick<ToolCommand, 'follows'>): readonly Option[] =>
  follows ? [FOLLOW, ...OPTIONS] : OPTIONS;
