// script: runs JavaScript with one async function per tool, in a sandbox.
import { fail } from '../../core/failure.ts';
import { listSecretReferences } from '../../core/secret-references.ts';
import { textIf } from '../../core/text.ts';
import { z } from 'zod';
import {
  type FailedScriptCall,
  prepareScripts,
  runScript,
  type ScriptOutcome,
} from '../../features/script/run-script.ts';
import { InnerEffects } from '../../features/script/inner-call.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';
import { buildInnerArguments } from '../../toolkit/input-fields.ts';

/** The reply lists this many failed calls and notes. */
const MAX_LINES = 20;
const MAX_NOTES = 5;

const HELP = `The code is the body of an async function, or one expression. It can use:
- one async function per tool, with the arguments of the tool: await interact({action: "click",
  query: "Save"}). It returns the data of the tool (see "returns" of each tool); a tool whose reply
  is a text also returns that text as "text". Calls in parallel (Promise.all) work.
- args: the given arguments. sleep(ms). log(...values): the lines are added to the reply.
A failed call throws an Error with code, message, hint and the recovery data of the failure; catch
it to continue. There are no files, network, timers or modules. Limits: 64 MB of memory, 5 s of
computing, max_calls calls, 4 MB of returned JSON.`;

export const script = defineTool({
  name: 'script',
  description:
    'Run JavaScript that calls tools, with loops and conditions: `await navigate({url}); return ' +
    'await find({query})`. Only the returned value is the reply. expand_tools {names: ["script", ' +
    '"find"]} shows what each tool returns.',
  help: HELP,
  keywords: 'program code loop batch many steps automate',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'browser',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 120_000,
    makesCalls: true,
    scripts: ['code', 'args'],
    large: true,
    prepareFirstCall: ({ scriptThreads }) => prepareScripts(scriptThreads),
  },
  input: () => ({
    code: z.string().min(1).max(1_000_000),
    args: markUndescribed(
      z.record(z.string(), z.unknown()).optional().describe('`args` in the code'),
    ),
    max_calls: markUnlisted(z.number().int().min(1).max(10_000).default(1000)),
  }),
  examples: [
    {
      code:
        'for (const url of args.urls) { await navigate({url}); ' +
        'log((await find({role: "heading"})).total) }',
      args: { urls: ['https://example.com'] },
    },
    { code: 'const {state} = await read_page(); return state.title' },
  ],
  run: async ({ code, args = {}, max_calls: maxCalls }, context) => {
    const { services, deadline, signal } = context;
    const effects = new InnerEffects();
    const done: string[] = [];
    context.explainFailure(() => effects.explainFailure(done, context.session));
    const value = await runScript(
      {
        code,
        args,
        maxCalls,
        tools: [...services.tools.map(({ name }) => name), ...services.config.disableTools],
        threads: services.scriptThreads,
        call: async (name, given, callSignal) => {
          requireWrittenSecrets(code, given);
          return services.call({
            name,
            arguments: buildInnerArguments(
              services.tools.find((tool) => tool.name === name),
              given,
              context,
            ),
            session: context.session.name,
            folder: context.folder,
            signal: callSignal,
            elicit: context.elicit,
          });
        },
        effects,
        onDone: (line) => void done.push(line),
        logDefect: (error) => services.log.defect(error),
        timeoutMs: deadline.remainingMs,
        signal,
      },
      (outcome) => addNotes(outcome, context),
    );
    return { value };
  },
  render: ({ value }) => {
    if (value === undefined || value === null) return 'null';
    return typeof value === 'string' && value !== '' ? value : { json: value };
  },
});

/** Values of `args` and texts of pages may contain references, which are not resolved. */
const requireWrittenSecrets = (code: string, given: unknown): void => {
  const written = listSecretReferences(code);
  const other = listSecretReferences(given).find((one) => !written.includes(one));
  if (other === undefined) return;
  throw fail('secret_not_allowed_here', `The code of the script does not contain ${other}.`, {
    hint: 'Write the reference into the code itself.',
  });
};

const addNotes = (
  { failed, log, notes }: Omit<ScriptOutcome, 'value'>,
  { note }: Context,
): void => {
  for (const line of log) note(`log: ${line}`);
  for (const call of failed.slice(0, MAX_LINES)) note(renderFailed(call));
  if (failed.length > MAX_LINES) note(`[${failed.length - MAX_LINES} more failed calls]`);
  for (const line of notes.slice(0, MAX_NOTES)) note(line);
};

const renderFailed = ({ tool, line, code, message }: FailedScriptCall): string =>
  `[${textIf(line !== undefined, `line ${line}: `)}${tool} failed: ${code}: ${message}]`;
