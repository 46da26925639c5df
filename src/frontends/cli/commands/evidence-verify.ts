// `openchrome evidence verify FILE`: checks the files of an evidence bundle against its manifest.
import { resolve } from 'node:path';
import { fail } from '../../../core/failure.ts';
import { type Verification, verifyBundle } from '../../../features/evidence/verify.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { formatCommandName, type RunCommand } from '../command.ts';
import type { Terminal } from '../terminal.ts';

export const run: RunCommand = async (words, { terminal }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const [file, ...more] = rest;
  if (file === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs FILE.`, {
      argument: 'file',
    });
  requireNoWords(command, more);
  const verification = await verifyBundle(resolve(file));
  terminal.out(on.has('json') ? JSON.stringify(verification) : render(verification, terminal));
  return verification.ok ? 0 : 1;
};

const render = ({ ok, url, captured_at, files }: Verification, terminal: Terminal): string => {
  const width = Math.max(...files.map(({ name }) => name.length));
  const bad = files.filter(({ state }) => state !== 'ok').length;
  return [
    `Page      ${url}`,
    `Captured  ${new Date(captured_at).toLocaleString()}`,
    '',
    ...files.map(({ name, state }) => {
      const colour = state === 'ok' ? 'green' : 'red';
      return `${name.padEnd(width)}  ${terminal.paint(colour, state)}`;
    }),
    '',
    ok
      ? `All ${files.length} files match the manifest.`
      : `${bad} of ${files.length} files differ.`,
  ].join('\n');
};
