// docs/errors.md: the failure table.
import { FAILURES } from '../../src/core/failure.ts';
import { code, table } from './markdown.ts';

export const errorsPage = (): string => {
  const rows = Object.entries(FAILURES).map(([name, kind]) => [
    code(name),
    'hint' in kind ? kind.hint : '',
    kind.retryable ? 'yes' : 'no',
    String(kind.exit),
    String(kind.http),
  ]);
  return `# Failures

A tool that fails answers with \`isError: true\` and one JSON text \`{"error": {"code", "message", "hint"?, "retryable", …}}\`; what is needed to
recover (tabs, candidates, the closest name) travels along. The command line prints the same object and ends with the exit status. Retryable means
that the same call may succeed if it is simply made again. The HTTP status is used where a request is refused before it reaches the protocol.

${table(['code', 'usual hint', 'retryable', 'exit', 'HTTP'], rows)}`;
};
