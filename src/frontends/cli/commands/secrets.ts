// `openchrome secrets allow|remove|list`: the hosts for secrets that name no hosts of their own.
import { fail } from '../../../core/failure.ts';
import { parseSecretHost } from '../../../core/secret-definition.ts';
import { SecretHosts } from '../../../store/config/secrets-file.ts';
import { formatCommandName, type RunCommand } from '../command.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';

const SECRET_NAME = /^[A-Za-z_][\w.-]*$/;

export const run: RunCommand = async (given, { terminal, wiring }, command) => {
  const { on, rest: words } = takeSwitches(command, given);
  const hosts = new SecretHosts(wiring.home);
  const print = (sentence: string, data: object): void =>
    terminal.out(on.has('json') ? JSON.stringify(data) : sentence);
  if (command.path.at(-1) === 'list') {
    requireNoWords(command, words);
    const all = await hosts.list();
    const lines = Object.entries(all).map(([name, allowed]) => `${name}: ${allowed.join(', ')}`);
    print(lines.length > 0 ? lines.join('\n') : 'No host is confirmed for a secret.', all);
    return 0;
  }
  const [name = '', hostText, ...more] = words;
  if (hostText === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs NAME and HOST.`, {
      argument: 'host',
    });
  if (!SECRET_NAME.test(name))
    throw fail('invalid_argument', `"${name.slice(0, 100)}" is not a name of a secret.`, {
      argument: 'name',
    });
  requireNoWords(command, more);
  const host = parseSecretHost(hostText);
  if (command.path.at(-1) === 'allow') {
    await hosts.allow(name, host);
    print(`${name} may be filled into pages of ${host}.`, { name, host, allowed: true });
    return 0;
  }
  const removed = await hosts.remove(name, host);
  print(
    removed
      ? `${name} is no longer filled into pages of ${host}.`
      : `${host} was not confirmed for ${name}.`,
    { name, host, removed },
  );
  return 0;
};
