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

The reply of a failed call has \`isError: true\` and one JSON text \`{"error": {"code", "message", "hint"?, "retryable", …}}\`. It also
contains data that helps to recover (tabs, candidates, the closest name). The command line prints the same object and exits with
the exit status. \`retryable\` means that the same call may succeed if it is repeated. The HTTP status is used if the HTTP server
rejects a request before it is handled as MCP.

${table(['code', 'default hint', 'retryable', 'exit', 'HTTP'], rows)}`;
};
