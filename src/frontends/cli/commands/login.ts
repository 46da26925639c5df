// `openchrome login SITE|list|check|remove|import|export`: saved logins in the home folder.
import { createInterface } from 'node:readline';
import { fail } from '../../../core/failure.ts';
import type { SavedLoginFacts } from '../../../features/session/saved-login.ts';
import { loadLogin, Logins, type LoginSummary } from '../../../store/files/logins.ts';
import { type CliContext, type Command, formatCommandName, type RunCommand } from '../command.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { hasDisplay } from '../desktop.ts';
import { runInterruptibly } from '../terminal.ts';
import { formatCount, formatTime } from '../amounts.ts';
import { renderTable } from '../text-layout.ts';
import type { LoginOrder } from './login-handoff.ts';

export const run: RunCommand = async (given, context, command) => {
  const { name, rest } = takeName(given);
  const { on, rest: words } = takeSwitches(command, rest);
  const print = (sentence: string, data: object): void =>
    context.terminal.out(on.has('json') ? JSON.stringify(data) : sentence);
  const work = ACTIONS[command.path[1] ?? 'record'] ?? recordLogin;
  return work({ ...context, command, words, name, headless: on.has('headless'), print });
};

interface LoginCommand extends CliContext {
  readonly command: Command;
  readonly words: readonly string[];
  /** The value of --as. */
  readonly name: string | undefined;
  readonly headless: boolean;
  readonly print: (sentence: string, data: object) => void;
}

const takeName = (
  words: readonly string[],
): { readonly name: string | undefined; readonly rest: readonly string[] } => {
  const at = words.indexOf('--as');
  if (at < 0) return { name: undefined, rest: words };
  return { name: words[at + 1], rest: [...words.slice(0, at), ...words.slice(at + 2)] };
};

const requireWord = ({ command, words }: LoginCommand, label: string): string => {
  const [word, ...more] = words;
  if (word === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs ${label}.`, {
      argument: label.toLowerCase(),
    });
  requireNoWords(command, more);
  return word;
};

const recordLogin = async (login: LoginCommand): Promise<number> => {
  const { wiring, headless, print } = login;
  const site = requireWord(login, 'SITE');
  const url = await wiring.parseAddress(site);
  const name = login.name ?? new URL(url).hostname;
  const saved = await (headless || !hasDisplay()
    ? recordWithoutWindow({ url, name }, login)
    : recordInWindow({ url, name }, login));
  print(`The login "${name}" was saved: ${formatCount(saved.cookies, 'cookie')}.`, saved);
  return 0;
};

const recordWithoutWindow = async (
  order: LoginOrder,
  context: CliContext,
): Promise<SavedLoginFacts> => {
  const { recordByHandoff } = await import('./login-handoff.ts');
  return runInterruptibly((signal) => recordByHandoff(order, context, signal));
};

const recordInWindow = async (
  { url, name }: LoginOrder,
  { wiring, terminal }: CliContext,
): Promise<SavedLoginFacts> => {
  const config = await wiring.loadConfig([]);
  const waitForUser = async (): Promise<void> => {
    terminal.err(`Log in to ${new URL(url).host} in the window, then press Enter here.`);
    const lines = createInterface({ input: process.stdin });
    await new Promise<void>((resolve) =>
      lines.once('line', () => resolve()).once('close', resolve),
    );
    lines.close();
  };
  return runInterruptibly((signal) =>
    wiring.recordLogin({ url, name, config, waitForUser, signal }),
  );
};

const listLogins = async (login: LoginCommand): Promise<number> => {
  requireNoWords(login.command, login.words);
  const all = await new Logins(login.wiring.home.logins).list();
  const { terminal } = login;
  const columns = terminal.interactive ? terminal.columns : Infinity;
  const table = renderTable(LIST_COLUMNS, all.map(describeLogin), columns);
  login.print(all.length > 0 ? table : 'No login is saved.', { logins: all });
  return 0;
};

const LIST_COLUMNS = [
  { title: 'name' },
  { title: 'hosts', shrinks: 1 },
  { title: 'cookies' },
  { title: 'expired' },
  { title: 'expires' },
  { title: 'passkeys' },
];

const describeLogin = (summary: LoginSummary): string[] => [
  summary.name,
  summary.hosts.join(', '),
  String(summary.cookies),
  String(summary.expired || ''),
  summary.expires === null ? 'session' : formatTime(Date.parse(summary.expires), Date.now()),
  String(summary.passkeys || ''),
];

const checkLogin = async (login: LoginCommand): Promise<number> => {
  const { wiring } = login;
  const name = requireWord(login, 'NAME');
  const config = await wiring.loadConfig([]);
  const checked = await runInterruptibly((signal) => wiring.checkLogin(name, config, signal));
  const verdict = VERDICTS.get(checked.works) ?? 'was not tried';
  login.print(`The login ${verdict}. ${formatSummary(checked)}`, checked);
  return checked.works === false ? 1 : 0;
};

const VERDICTS = new Map<boolean | null, string>([
  [true, 'works'],
  [false, 'does not work any more'],
]);

const removeLogin = async (login: LoginCommand): Promise<number> => {
  const name = requireWord(login, 'NAME');
  await new Logins(login.wiring.home.logins).remove(name);
  login.print(`The login "${name}" was removed.`, { removed: name });
  return 0;
};

const importLogin = async (login: LoginCommand): Promise<number> => {
  const file = requireWord(login, 'FILE');
  const { name } = login;
  if (name === undefined)
    throw fail('invalid_argument', `${formatCommandName(login.command)} needs --as NAME.`, {
      argument: 'as',
    });
  const { cookies, origins, passkeys } = await loadLogin(file);
  await new Logins(login.wiring.home.logins).save(name, { cookies, origins, passkeys });
  login.print(`The login "${name}" was saved: ${formatCount(cookies.length, 'cookie')}.`, {
    saved: name,
    cookies: cookies.length,
    origins: origins.map(({ origin }) => origin),
  });
  return 0;
};

const exportLogin = async (login: LoginCommand): Promise<number> => {
  const [name, file, ...more] = login.words;
  if (name === undefined || file === undefined)
    throw fail('invalid_argument', `${formatCommandName(login.command)} needs NAME and FILE.`, {
      argument: name === undefined ? 'name' : 'file',
    });
  requireNoWords(login.command, more);
  const { cookies, origins } = await new Logins(login.wiring.home.logins).export(name, file);
  login.print(
    `The login "${name}" was written to ${file}: ${formatCount(cookies.length, 'cookie')}.`,
    {
      exported: name,
      file,
      cookies: cookies.length,
      origins: origins.map(({ origin }) => origin),
    },
  );
  return 0;
};

const ACTIONS: Readonly<Record<string, (login: LoginCommand) => Promise<number>>> = {
  list: listLogins,
  check: checkLogin,
  remove: removeLogin,
  import: importLogin,
  export: exportLogin,
};

const formatSummary = (summary: LoginSummary): string => {
  const { name, hosts, cookies, expired, expires, passkeys = 0 } = summary;
  const end =
    expires === null
      ? 'no cookie has an expiry time'
      : `first expires ${formatTime(Date.parse(expires), Date.now())}`;
  const gone = expired > 0 ? `, ${expired} expired` : '';
  const keys = passkeys > 0 ? `; ${formatCount(passkeys, 'passkey')}` : '';
  return `${name}: ${hosts.join(', ')}; ${formatCount(cookies, 'cookie')}${gone}, ${end}${keys}`;
};
