// The `openchrome` command line: runs one command and says with its exit status how it went.
import { type Command, CommanderError } from 'commander';
import { closest } from '../../core/closest.ts';
import { fail, toFailure } from '../../core/failure.ts';
import { createLog } from '../../core/log.ts';
import { VERSION } from '../../core/version.ts';
import { renderFindings } from './doctor.ts';
import { printFailure } from './failures.ts';
import { interruptible } from './interruptible.ts';
import { type Actions, createProgram } from './program.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import type { Wiring } from './wiring.ts';

export const runCli = async (argv: readonly string[], wiring: Wiring, terminal: Terminal = createTerminal()): Promise<number> => {
  const actions = new Commands(wiring, terminal);
  try {
    const program = inOurHands(createProgram(actions), terminal);
    requireKnownCommand(program, argv[0]);
    await program.parseAsync(argv, { from: 'user' });
    return actions.status;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // help and version were printed
    const log = createLog({ level: 'error', write: (line) => terminal.err(line.trimEnd()) });
    const failure = toFailure(asArgumentFailure(error), (thrown) => log.defect(thrown));
    return printFailure(failure, terminal);
  }
};

class Commands implements Actions {
  readonly #wiring: Wiring;
  readonly #terminal: Terminal;
  status = 0;

  constructor(wiring: Wiring, terminal: Terminal) {
    this.#wiring = wiring;
    this.#terminal = terminal;
  }

  serve(flags: readonly string[]): Promise<void> {
    return this.#wiring.serve(flags);
  }

  async doctor(flags: readonly string[], { json = false }: { readonly json?: boolean }): Promise<void> {
    const config = await this.#wiring.loadConfig(flags);
    const findings = await interruptible((signal) => this.#wiring.runDoctor(config, signal));
    this.#terminal.out(json ? JSON.stringify(findings) : renderFindings(findings, this.#terminal));
    this.status = findings.some(({ status }) => status === 'fail') ? 1 : 0;
  }

  async installBrowser(): Promise<void> {
    const installed = await interruptible((signal) => this.#wiring.installBrowser((line) => this.#terminal.err(line), signal));
    this.#terminal.out(this.#terminal.interactive ? installed.path : JSON.stringify(installed));
  }

  version(): void {
    this.#terminal.out(VERSION);
  }
}

/** Help goes where data goes; everything else that commander would print or exit for comes back as an error. */
const inOurHands = (program: Command, terminal: Terminal): Command => {
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: () => {},
      getOutHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
    });
  }
  return program;
};

const requireKnownCommand = (program: Command, name: string | undefined): void => {
  const commands = [...program.commands.map((command) => command.name()), 'help'];
  if (name === undefined || name.startsWith('-') || commands.includes(name)) return;
  const meant = closest(name, commands);
  throw fail('invalid_argument', `There is no command "${name}"${meant === undefined ? '.' : `; did you mean ${meant}?`}`, {
    argument: name,
    commands,
    hint: 'Run "openchrome --help" to see the commands.',
  });
};

const asArgumentFailure = (error: unknown): unknown =>
  error instanceof CommanderError
    ? fail('invalid_argument', `${error.message.replace(/^error: /, '').replaceAll('\n', ' ')}.`, {
        hint: 'Run "openchrome --help" to see the options.',
      })
    : error;
