// `openchrome install-browser|demo|version`: the installed program and its Chrome.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../../../core/version.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { RunCommand } from '../command.ts';
import { runInterruptibly } from '../terminal.ts';

/** Runs the demo program that is installed next to the server. */
const runDemo: RunCommand = (words, _context, command) => {
  requireNoWords(command, words);
  // The bundler writes this command to dist/chunks/.
  const program = fileURLToPath(new URL('../demo.js', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
};

const printVersion: RunCommand = async (words, { terminal }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  terminal.out(on.has('json') ? JSON.stringify({ version: VERSION }) : VERSION);
  return 0;
};

const installBrowser: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const installed = await runInterruptibly((signal) =>
    wiring.installBrowser((line) => terminal.err(line), signal),
  );
  terminal.out(on.has('json') ? JSON.stringify(installed) : installed.path);
  return 0;
};

const RUNS: Readonly<Record<string, RunCommand>> = {
  'install-browser': installBrowser,
  demo: runDemo,
  version: printVersion,
};

export const run: RunCommand = async (words, context, command) => {
  const [name = ''] = command.path;
  const runCommand = RUNS[name];
  if (!runCommand) throw new Error(`unknown command ${name}`);
  return runCommand(words, context, command);
};
