// `openchrome doctor`: runs all checks of the machine, printed as lines or as JSON.
import { Failure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import type { Finding } from '../../../features/doctor/index.ts';
import { takeSwitches } from '../command-words.ts';
import { formatCount } from '../amounts.ts';
import type { RunCommand } from '../command.ts';
import { type Colour, runInterruptibly, type Terminal } from '../terminal.ts';

export const run: RunCommand = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const config = await wiring.loadConfig(rest);
  const checked = await runInterruptibly((signal) => wiring.runDoctor(config, signal));
  const findings = [...checked, await checkDaemon(wiring.home)];
  terminal.out(on.has('json') ? JSON.stringify(findings) : renderFindings(findings, terminal));
  return findings.some(({ status }) => status === 'fail') ? 1 : 0;
};

const checkDaemon = async (home: Home): Promise<Finding> => {
  const { readDaemonStatus } = await import('../daemon/control.ts');
  try {
    const { pid, version, tabs, memory_mb: memory } = await readDaemonStatus(home);
    const facts = `pid ${pid}, version ${version}, ${formatCount(tabs, 'tab')}, ${memory} MB`;
    return { id: 'daemon', status: 'ok', message: `running, ${facts}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'no_daemon')
      return { id: 'daemon', status: 'ok', message: 'not running; the next command starts it' };
    const fix = 'openchrome daemon restart';
    return { id: 'daemon', status: 'warn', message: error.message, fix };
  }
};

const SIGNS: Readonly<
  Record<Finding['status'], { readonly sign: string; readonly colour: Colour }>
> = {
  ok: { sign: 'ok', colour: 'green' },
  warn: { sign: 'warn', colour: 'yellow' },
  fail: { sign: 'FAIL', colour: 'red' },
};

const SIGN_WIDTH = Math.max(...Object.values(SIGNS).map(({ sign }) => sign.length));

const renderFindings = (findings: readonly Finding[], terminal: Terminal): string => {
  const width = Math.max(...findings.map(({ id }) => id.length));
  const lines = findings.flatMap(({ id, status, message, fix }) => {
    const { sign, colour } = SIGNS[status];
    const indent = ' '.repeat(SIGN_WIDTH + width + 4);
    return [
      `${terminal.paint(colour, sign.padEnd(SIGN_WIDTH))}  ${id.padEnd(width)}  ${message}`,
      ...(fix === undefined || status === 'ok'
        ? []
        : [`${indent}${terminal.paint('dim', `fix: ${fix}`)}`]),
    ];
  });
  return [...lines, '', closing(findings)].join('\n');
};

const closing = (findings: readonly Finding[]): string => {
  const count = (status: Finding['status']): number =>
    findings.filter((finding) => finding.status === status).length;
  return `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`;
};
