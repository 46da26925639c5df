// The commands: one declaration each, from which parsing, help and docs/cli.md follow.
import { Command, Help } from 'commander';
import { VERSION } from '../../core/version.ts';
import { configOptions } from './config-options.ts';

/** What each command does when it is called, given the words and flags after its name. */
export interface Actions {
  serve(flags: readonly string[]): Promise<void>;
  doctor(flags: readonly string[], options: { readonly json?: boolean }): Promise<void>;
  installBrowser(): Promise<void>;
  version(): void;
}

export const createProgram = (actions: Actions): Command => {
  const program = new Command('openchrome')
    .description('A real Chrome for AI agents, over MCP. Without a command it serves MCP on stdio.')
    .usage('[command] [options]')
    .version(VERSION, '-v, --version', 'Print the version')
    .helpOption('-h, --help', 'Print this help')
    .helpCommand('help [command]', 'Print the help of a command')
    .addHelpText(
      'after',
      '\nExamples:\n  openchrome                          serve MCP on stdio, as hosts start it\n  openchrome serve --http 3000        serve MCP at http://127.0.0.1:3000/mcp\n  openchrome doctor                   check that everything needed is here\n',
    );
  withConfig(program.command('serve').description('Serve MCP on stdio, or over HTTP with --http')).action((_, command: Command) =>
    actions.serve(command.args),
  );
  withConfig(program.command('doctor').description('Check this machine: Node, Chrome, home folder, ports, fonts, sandbox'))
    .option('--json', 'Print the findings as JSON')
    .action((options: { json?: boolean }, command: Command) => actions.doctor(command.args, options));
  program
    .command('install-browser')
    .description('Fetch a Chrome into the home folder, for machines that have none')
    .action(() => actions.installBrowser());
  program
    .command('version')
    .description('Print the version')
    .action(() => actions.version());
  return program;
};

/** Every flag of the configuration: shown as an option, and handed on as it was written. */
const withConfig = (command: Command): Command =>
  command
    .usage('[options]')
    .allowUnknownOption()
    .allowExcessArguments()
    .configureHelp({ visibleOptions: (of) => [...new Help().visibleOptions(of), ...configOptions()] });
