// The built command line as anybody can use it: every call a process of its own, with the daemon of
// a home of its own.
import { spawn } from 'node:child_process';
import { DIST, newHome, removeHome } from './ground.mjs';

const dashed = (name) =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');

/** Arguments as one would type them. */
const flagsOf = (args) =>
  Object.entries(args).map(([name, value]) => {
    if (value === true) return `--${dashed(name)}`;
    if (value === false) return `--no-${dashed(name)}`;
    return `--${dashed(name)}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });

/** `format`: text where a reply is text, as an agent gets it. */
export const startCli = async () => {
  const home = newHome();
  const env = {
    ...process.env,
    OPENCHROME_HOME: home,
    OPENCHROME_HEADLESS: '1',
    OPENCHROME_ISOLATED: '1',
    OPENCHROME_STATE_HEADER: 'off',
  };
  /** Begins a command; `ended` has its status and everything that it printed. */
  const begin = (...args) => {
    const child = spawn(process.execPath, [DIST, ...args], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (said.stdout += chunk));
    child.stderr.on('data', (chunk) => (said.stderr += chunk));
    const ended = new Promise((resolve) =>
      child.once('close', (status) => resolve({ status, ...said })),
    );
    return { child, said, ended };
  };
  const run = (...args) => begin(...args).ended;
  const command = (name) => (name === 'network' ? ['browser', name] : ['call', name]);
  const call = async (name, args = {}) => {
    const { status, stdout, stderr } = await run(
      ...command(name),
      ...flagsOf(args),
      ...('format' in args ? [] : ['--format', 'text']),
    );
    if (status !== 0) throw new Error(`${name}: ${status} ${stdout} ${stderr}`);
    return { text: stdout.trimEnd(), notes: stderr.split('\n').filter(Boolean) };
  };
  return {
    home,
    env,
    begin,
    run,
    call,
    json: async (name, args) => JSON.parse((await call(name, args)).text),
    failure: async (name, args = {}) => {
      const { status, stdout } = await run(...command(name), ...flagsOf(args));
      if (status === 0) throw new Error(`${name} succeeded: ${stdout.slice(0, 200)}`);
      return { ...JSON.parse(stdout).error, exit: status };
    },
    end: async () => {
      await run('daemon', 'stop');
      removeHome(home);
    },
  };
};
