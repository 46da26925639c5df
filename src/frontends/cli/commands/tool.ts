// Runs a command that calls a tool: in the daemon, or from the home folder if no daemon is needed.
import usages from 'tool-usage';
import { defined } from '../../../core/defined.ts';
import { fail, Failure } from '../../../core/failure.ts';
import type { DaemonClient, ToolAnswer } from '../client.ts';
import type { CliContext, ToolCommand } from '../command.ts';
import { printFailure } from '../failures.ts';
import { mergeJson, type Parsed, parseWords } from '../parse.ts';
import { failureFormat, printAnswer } from '../print.ts';
import { renderProgress } from '../amounts.ts';
import { INTERRUPTED, INTERRUPTED_STATUS, runInterruptibly } from '../terminal.ts';

interface CommandCall {
  readonly command: ToolCommand;
  readonly args: Record<string, unknown>;
  readonly parsed: Parsed;
  readonly session?: string;
}

export const runToolCommand = (
  command: ToolCommand,
  words: readonly string[],
  context: CliContext,
): Promise<number> => {
  return runParsedCommand(command, parseWords(command, words, usages.config), context);
};

/** For commands that change the arguments of a tool before they call it. */
export const runParsedCommand = async (
  command: ToolCommand,
  parsed: Parsed,
  context: CliContext,
): Promise<number> => {
  const { terminal, wiring } = context;
  const { format } = parsed;
  try {
    const args =
      parsed.json === undefined
        ? parsed.args
        : await withJson(command, parsed, parsed.json, context);
    const { session = wiring.session } = parsed;
    const named = await withWholeTaskId(args, wiring.home.tasks);
    const call: CommandCall = defined({ command, args: named, parsed, session });
    const work = chooseWork(call);
    return await runInterruptibly((signal) => work(call, context, signal));
  } catch (error) {
    if (error === INTERRUPTED && (command.watches || parsed.follow)) {
      terminal.err('Stopped watching; the work continues.'); // not on stdout, as part of the stream
      return INTERRUPTED_STATUS;
    }
    if (error instanceof Failure)
      return printFailure(error, terminal, {
        format: failureFormat({ format, command, terminal }),
        command,
      });
    throw error;
  } finally {
    terminal.status();
  }
};

const TASK_ID = /^[0-9a-f]{16}$/;

/** Replaces the first characters of a task id by the whole id, if only one task has them. */
const withWholeTaskId = async (
  args: Record<string, unknown>,
  folder: string,
): Promise<Record<string, unknown>> => {
  const { task_id: start } = args;
  if (typeof start !== 'string' || TASK_ID.test(start)) return args;
  const { findTaskIds } = await import('../../../store/tasks/task-ids.ts');
  const ids = await findTaskIds(folder, start);
  if (ids.length > 1)
    throw fail('invalid_argument', `${ids.length} tasks start with "${start}".`, {
      argument: 'task_id',
      hint: `Use more characters: ${ids.slice(0, 5).join(', ')}`,
    });
  const [id] = ids;
  if (id === undefined)
    throw fail('task_not_found', `There is no task "${start.slice(0, 40)}".`, {
      task_id: start.slice(0, 40),
      hint: 'List the tasks with "openchrome tasks".',
    });
  return { ...args, task_id: id };
};

/** Words that could belong to the label or to the value. */
const isAmbiguous = ({ command, args, parsed }: CommandCall): boolean =>
  command.splitsLabel === true && parsed.words.length > 2 && 'query' in args;

const withLabelWords = async (
  call: CommandCall,
  client: DaemonClient,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  if (!isAmbiguous(call)) return call.args;
  const { splitLabelWords } = await import('./label-words.ts');
  const split = await splitLabelWords(client, call.parsed.words, signal);
  const { query: _, ...rest } = call.args;
  return split ? { ...rest, ...split } : call.args;
};

type Work = (call: CommandCall, context: CliContext, signal: AbortSignal) => Promise<number>;

const chooseWork = ({ command, parsed }: CommandCall): Work => {
  if (command.crawls) return crawlWithTool;
  return parsed.follow ? followTool : callTool;
};

const crawlWithTool: Work = async (call, context, signal) => {
  const { runCrawl } = await import('./follow-crawl.ts');
  const client = await connect(call, context, signal, true);
  const { command, args, parsed } = call;
  const order = { kind: command.tool, args, out: parsed.out, isJson: parsed.format === 'json' };
  return runCrawl(client, order, context, signal);
};

const withJson = async (
  command: ToolCommand,
  { args }: Parsed,
  json: string,
  { wiring }: CliContext,
): Promise<Record<string, unknown>> =>
  mergeJson(command, args, json === '-' ? await wiring.readStdin() : json);

const callTool = async (
  call: CommandCall,
  context: CliContext,
  signal: AbortSignal,
): Promise<number> => {
  const { terminal, wiring } = context;
  const showPicture = call.parsed.show ? await preparePicture(context) : undefined;
  const answer = await requestAnswer(call, context, signal);
  terminal.status();
  return printAnswer(answer, {
    terminal,
    format: call.parsed.format,
    command: call.command,
    tabId: call.args['tabId'],
    target: call.parsed.words[0],
    asWritten: call.parsed.format === undefined && call.args['format'] !== undefined,
    showPicture,
    savePicture: async (picture) => {
      const { savePicture } = await import('../../../store/files/pictures.ts');
      return savePicture(wiring.home.downloads, picture);
    },
  });
};

/** Checks the terminal before the picture is taken. */
const preparePicture = async ({
  terminal,
}: CliContext): Promise<(path: string) => Promise<void>> => {
  const { encodePicture, requirePictureProtocol } = await import('../terminal-pictures.ts');
  const protocol = requirePictureProtocol(process.env, terminal.interactive);
  return async (path) => {
    const { loadPicture } = await import('../../../store/files/pictures.ts');
    process.stdout.write(encodePicture(protocol, await loadPicture(path)));
  };
};

/**
 * The first attempt identifies the daemon by its process, in one request. If the daemon ended or
 * hangs before the call reached it, the call is sent to a daemon that answered, or to a new one.
 */
const requestAnswer = async (
  call: CommandCall,
  context: CliContext,
  signal: AbortSignal,
): Promise<ToolAnswer> => {
  try {
    return await askOnce(call, context, signal, true);
  } catch (error) {
    if (error instanceof Failure && error.code === 'no_daemon')
      return askOnce(call, context, signal, false);
    throw error;
  }
};

const askOnce = async (
  call: CommandCall,
  context: CliContext,
  signal: AbortSignal,
  quick: boolean,
): Promise<ToolAnswer> => {
  const stored = isStored(call);
  const client = await connect(call, context, signal, !stored, quick).catch((error: unknown) => {
    if (stored && error instanceof Failure && NOT_OURS.includes(error.code)) return undefined;
    throw error;
  });
  const { command, args, session } = call;
  if (!client)
    return context.wiring.callStored(
      defined({ name: command.tool, arguments: args, signal, session, shell: {} }),
    );
  try {
    return await client.callTool(
      command.tool,
      await withLabelWords(call, client, signal),
      defined({ signal, onProgress: command.job ? progressOn(context) : undefined }),
    );
  } finally {
    await client.close();
  }
};

/** No daemon of this version is running: stored data can be read without one. */
const NOT_OURS: readonly string[] = ['no_daemon', 'daemon_version_mismatch'];

const isStored = ({ command: { stored }, args }: CommandCall): boolean =>
  stored === true || (stored ?? []).some((name) => args[name] !== undefined);

const connect = (
  { command, parsed, session }: CommandCall,
  { wiring, terminal }: CliContext,
  signal: AbortSignal,
  start: boolean,
  quick = false,
): Promise<DaemonClient> =>
  wiring.connect(
    defined({
      flags: parsed.flags,
      start,
      quick,
      signal,
      onLostTabs: (reason: string) => terminal.err(reason),
      wishes: {
        wholeReplies: true,
        structuredContent: parsed.format === 'json',
        shell: defined({ bare: command.bare }),
      },
      session,
    }),
  );

const progressOn =
  ({ terminal }: CliContext) =>
  (progress: Parameters<typeof renderProgress>[0]): void =>
    terminal.status(renderProgress(progress));

const followTool = async (
  call: CommandCall,
  context: CliContext,
  signal: AbortSignal,
): Promise<number> => {
  const { follow } = await import('./follow.ts');
  const client = await connect(call, context, signal, true);
  try {
    return await follow(client, call.command, call.args, context, signal);
  } finally {
    await client.close();
  }
};
