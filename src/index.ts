// The `openchrome` binary. Hosts wait for the start of the server, and shells for commands: neither
// loads what only the other needs.
import { resolveHome } from './core/home.ts';
import { useCompileCache } from './system/compile-cache.ts';

const args = process.argv.slice(2);
const [first = 'serve'] = args;
const isAboutProgram = args.some((arg) => ['--help', '-h', '--version', '-v'].includes(arg));
const mayServe = !isAboutProgram && (first === 'serve' || first.startsWith('-'));

// Before the other modules are loaded: those that are loaded before it are not cached.
useCompileCache(resolveHome());

const runCommand = async (): Promise<void> => (await import('./run-command.ts')).run(args);
const serve = async (): Promise<void> => (await import('./serve-mcp.ts')).run(args, runCommand);
void (mayServe ? serve() : runCommand());
