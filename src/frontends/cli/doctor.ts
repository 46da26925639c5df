// `openchrome doctor`: every check with its status and, where something is wrong, what to do about it.
import type { Finding } from '../../work/doctor/index.ts';
import type { Colour, Terminal } from './terminal.ts';

const SIGNS: Readonly<Record<Finding['status'], { readonly sign: string; readonly colour: Colour }>> = {
  ok: { sign: 'ok', colour: 'green' },
  warn: { sign: 'warn', colour: 'yellow' },
  fail: { sign: 'FAIL', colour: 'red' },
};

const SIGN_WIDTH = Math.max(...Object.values(SIGNS).map(({ sign }) => sign.length));

export const renderFindings = (findings: readonly Finding[], terminal: Terminal): string => {
  const width = Math.max(...findings.map(({ id }) => id.length));
  const lines = findings.flatMap(({ id, status, message, fix }) => {
    const { sign, colour } = SIGNS[status];
    const indent = ' '.repeat(SIGN_WIDTH + width + 4);
    return [
      `${terminal.paint(colour, sign.padEnd(SIGN_WIDTH))}  ${id.padEnd(width)}  ${message}`,
      ...(fix === undefined || status === 'ok' ? [] : [`${indent}${terminal.paint('dim', `fix: ${fix}`)}`]),
    ];
  });
  return [...lines, '', closing(findings)].join('\n');
};

const closing = (findings: readonly Finding[]): string => {
  const count = (status: Finding['status']): number => findings.filter((finding) => finding.status === status).length;
  return `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed`;
};
