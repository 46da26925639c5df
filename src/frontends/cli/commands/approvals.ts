// `openchrome waiting|approve|deny|handoff|approvals`: answers questions of agents.
import { compact } from '../../../core/defined.ts';
import { fail } from '../../../core/failure.ts';
import { textIf } from '../../../core/text.ts';
import type { ApprovalScope } from '../../../core/consent-rule.ts';
import type { Waiting } from '../../../features/consent/waiting.ts';
import type { Approval } from '../../../store/consent/approvals-file.ts';
import type { ListedWaiting, WaitingItem } from '../../../store/consent/waiting-files.ts';
import {
  type CliContext,
  formatCommandName,
  type OwnCommand,
  type RunCommand,
} from '../command.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import { formatTime } from '../amounts.ts';
import { toOneLine } from '../text-layout.ts';

interface AnswerCommand extends CliContext {
  readonly command: OwnCommand;
  readonly on: ReadonlySet<string>;
  readonly words: readonly string[];
  readonly waiting: Waiting;
  readonly print: (sentence: string, data: object) => void;
}

export const run: RunCommand = async (given, context, command) => {
  const { on, rest: words } = takeSwitches(command, given);
  const print = (sentence: string, data: object): void =>
    context.terminal.out(on.has('json') ? JSON.stringify(data) : sentence);
  const waiting = await context.wiring.openWaiting();
  const work = COMMANDS[command.path.join(' ')] ?? listWaiting;
  await work({ ...context, command, on, words, waiting, print });
  return 0;
};

const listWaiting = async ({ command, words, waiting, print }: AnswerCommand): Promise<void> => {
  requireNoWords(command, words);
  const listed = await waiting.listAll();
  const lines = listed.map((one) => describeListed(one, Date.now()));
  const data = listed.map(({ item, isInterrupted }) => ({
    ...item,
    ...compact({ interrupted: isInterrupted }),
  }));
  print(lines.length > 0 ? lines.join('\n') : 'Nothing waits for you.', { waiting: data });
};

const describeListed = ({ item, isInterrupted }: ListedWaiting, now: number): string =>
  `${describeItem(item, now)}${textIf(isInterrupted, INTERRUPTED_NOTE)}`;

const INTERRUPTED_NOTE = ' (its server ended: continue it in the dashboard)';

/** `k7m2qx  14:05:33  interact wants to submit a form on shop.example` */
export const describeItem = (item: WaitingItem, now: number): string => {
  const { id, since } = item;
  const text = item.kind === 'approval' ? item.summary : `needs your help: ${item.reason}`;
  return toOneLine(`${id}  ${formatTime(since, now)}  ${text}`);
};

const answer = async (given: AnswerCommand, allow: boolean): Promise<void> => {
  const { on, waiting, print } = given;
  requireUser(given);
  const id = requireId(given);
  const scope = findScope(on);
  await waiting.answer(id, { allow, scope }, 'terminal');
  const outcome = allow ? 'approved' : 'denied';
  print(`${id} was ${outcome}.`, { id, outcome, ...(allow && { scope }) });
};

const findScope = (on: ReadonlySet<string>): ApprovalScope => {
  if (on.has('session') && on.has('always'))
    throw fail('invalid_argument', '--session and --always exclude each other.', {
      argument: 'always',
    });
  if (on.has('always')) return 'always';
  return on.has('session') ? 'session' : 'once';
};

const finish = async (given: AnswerCommand, outcome: 'done' | 'cant'): Promise<void> => {
  requireUser(given);
  const id = requireId(given);
  await given.waiting.finishHandoff(id, outcome, 'terminal');
  given.print(`The agent continues (${outcome}).`, { id, outcome });
};

const listApprovals = async ({ command, words, waiting, print }: AnswerCommand): Promise<void> => {
  requireNoWords(command, words);
  const approvals = await waiting.approvals();
  const lines = approvals.map(describeApproval);
  print(lines.length > 0 ? lines.join('\n') : 'No approval is stored.', { approvals });
};

const describeApproval = ({ id, effect, host, tool, scope, session, at }: Approval): string => {
  const by = tool === undefined ? '' : ` with ${tool}`;
  const where = scope === 'always' ? 'always' : `in the session "${session}"`;
  return `${id}  ${formatTime(at, Date.now())}  ${effect} on ${host || 'pages without a host'}${by}, ${where}`;
};

const revoke = async (given: AnswerCommand): Promise<void> => {
  const { effect, host } = await given.waiting.revoke(requireId(given));
  given.print(`${effect} on ${host} is not approved any more.`, { effect, host, revoked: true });
};

const requireId = ({ command, words: [id, ...more] }: AnswerCommand): string => {
  if (id === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs ID.`, { argument: 'id' });
  requireNoWords(command, more);
  return id;
};

/** An agent that runs commands has no terminal: it must not answer its own question. */
const requireUser = ({ terminal, command }: AnswerCommand): void => {
  if (terminal.interactive) return;
  throw fail('tool_not_allowed', `${formatCommandName(command)} needs a terminal.`, {
    hint: 'The user must run it in a terminal, or answer in the dashboard.',
  });
};

const COMMANDS: Readonly<Record<string, (given: AnswerCommand) => Promise<void>>> = {
  waiting: listWaiting,
  approve: (given) => answer(given, true),
  deny: (given) => answer(given, false),
  'handoff done': (given) => finish(given, 'done'),
  'handoff cant': (given) => finish(given, 'cant'),
  approvals: listApprovals,
  'approvals revoke': revoke,
};
