// `openchrome run FILE.js [--arg NAME=VALUE]`: runs a script that calls tools, in the daemon.
import { resolve } from 'node:path';
import { fail } from '../../../core/failure.ts';
import { loadUserFile } from '../../../store/files/user-file.ts';
import { parseValue } from '../argument-values.ts';
import { formatCommandName } from '../command.ts';
import { takeValues } from '../command-words.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, context, command) => {
  const { values, rest } = takeValues('arg', words);
  const at = rest.findIndex((word) => !word.startsWith('--') || word === '-');
  const file = rest[at];
  if (file === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs FILE.`, {
      argument: 'file',
    });
  const code = file === '-' ? await context.wiring.readStdin() : await loadUserFile(resolve(file));
  const args = parseValue({ name: 'arg', kind: 'object' }, values);
  const input = JSON.stringify({ code, args });
  return context.run(['call', 'script', '--args', input, ...rest.toSpliced(at, 1)], context);
};
