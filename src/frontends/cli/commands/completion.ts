// `openchrome completion SHELL` prints a completion script, which calls `openchrome complete`.
import { defined } from '../../../core/defined.ts';
import { Deadline } from '../../../core/time.ts';
import { requireNoWords } from '../command-words.ts';
import { type Completion, FILES, isLive, listCompletions, type LiveKind } from '../completion.ts';
import type { CliContext, RunCommand } from '../command.ts';

/** Prints the completions of the last word, for the scripts. */
const printCompletions: RunCommand = async (given, context) => {
  const { terminal, program } = context;
  const words = given[0] === '--' ? given.slice(1) : given;
  const last = words.at(-1) ?? '';
  const found: Completion[] = [];
  for (const completion of listCompletions(program, words)) {
    const { word } = completion;
    if (isLive(word))
      found.push(...(await listLive(word, context, words)).filter(startsWith(last)));
    else found.push(completion);
  }
  if (found.length > 0)
    terminal.out(
      found.map(({ word, says }) => (says === '' ? word : `${word}\t${says}`)).join('\n'),
    );
  return 0;
};

const startsWith =
  (start: string) =>
  ({ word }: Completion): boolean =>
    word.startsWith(start);

/** A shell waits for completions: without a running daemon there are none of its objects. */
const MAX_WAIT_MS = 1500;
const MAX_LISTED = 50;

/** `words`: all words of the command line so far. */
type ListObjects = (
  context: CliContext,
  words: readonly string[],
) => Promise<readonly Completion[]>;

const listLive = async (
  kind: LiveKind,
  context: CliContext,
  words: readonly string[],
): Promise<readonly Completion[]> => {
  try {
    return await LISTS[kind](context, words);
  } catch {
    return []; // no daemon, or it does not respond: the shell then offers nothing
  }
};

const listTabs: ListObjects = async ({ wiring }, words) => {
  const at = words.indexOf('--session');
  const session = at < 0 ? wiring.session : words[at + 1];
  using deadline = new Deadline(MAX_WAIT_MS);
  const { signal } = deadline;
  const wishes = { wholeReplies: true, shell: {} };
  const options = defined({ flags: [], start: false, wishes, signal, session });
  const client = await wiring.connect(options);
  const { content, _meta } = await client.callTool('tabs_context', {}, { signal });
  const ids = _meta?.['openchrome/facts']?.tabs ?? {};
  const [block] = content;
  const { tabs } = JSON.parse(block?.type === 'text' ? block.text : '{"tabs":[]}') as {
    readonly tabs: readonly { readonly tabId: string; readonly title: string }[];
  };
  return tabs.map(({ tabId, title }) => ({
    word: ids[tabId] ?? tabId,
    says: title.replace(/\s+/g, ' '),
  }));
};

const listSessions = async ({ wiring }: CliContext): Promise<readonly Completion[]> => {
  const { readDaemonStatus } = await import('../daemon/control.ts');
  const { sessions } = await readDaemonStatus(wiring.home);
  return sessions.map((word) => ({ word, says: '' }));
};

const listTasks = async ({ wiring }: CliContext): Promise<readonly Completion[]> => {
  const { findTaskIds } = await import('../../../store/tasks/task-ids.ts');
  const ids = await findTaskIds(wiring.home.tasks, '');
  return ids.slice(-MAX_LISTED).map((word) => ({ word, says: '' }));
};

const listHandles = async ({ wiring }: CliContext): Promise<readonly Completion[]> => {
  const { listHandleNames } = await import('../../../store/handles/handle-files.ts');
  const names = await listHandleNames(wiring.home.output, MAX_LISTED);
  return names.map((word) => ({ word, says: '' }));
};

const listHosts = async (): Promise<readonly Completion[]> => {
  const { HOST_IDS } = await import('../../../features/setup/index.ts');
  return HOST_IDS.map((word) => ({ word, says: '' }));
};

const listLogins = async ({ wiring }: CliContext): Promise<readonly Completion[]> => {
  const { Logins } = await import('../../../store/files/logins.ts');
  const all = await new Logins(wiring.home.logins).list();
  return all.map(({ name, hosts }) => ({ word: name, says: hosts.join(', ') }));
};

const listWaiting = async ({ wiring }: CliContext): Promise<readonly Completion[]> => {
  const items = await (await wiring.openWaiting()).list();
  return items.map((item) => ({
    word: item.id,
    says: item.kind === 'approval' ? item.summary : item.reason,
  }));
};

const LISTS: Readonly<Record<LiveKind, ListObjects>> = {
  ':tabs': listTabs,
  ':sessions': listSessions,
  ':tasks': listTasks,
  ':handles': listHandles,
  ':hosts': listHosts,
  ':logins': listLogins,
  ':waiting': listWaiting,
};

const printScript: RunCommand = async (words, { terminal }, command) => {
  requireNoWords(command, words);
  terminal.out(renderCompletionScript(command.path.at(-1) as Shell));
  return 0;
};

type Shell = 'bash' | 'zsh' | 'fish';

const renderCompletionScript = (shell: Shell): string => SCRIPTS[shell];

const bash = `# bash completion for openchrome
_openchrome() {
  local line file=0 words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == '${FILES}' ]]; then file=1; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" complete -- "\${words[@]}" "$current" 2>/dev/null)
  if ((file)); then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  fi
}
complete -F _openchrome openchrome`;

const zsh = `#compdef openchrome
_openchrome() {
  local line file=0
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == '${FILES}' ]]; then
      file=1
    elif [[ "$line" == *$'\\t'* ]]; then
      found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      found+=("\${line//:/\\\\:}")
    fi
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  ((\${#found})) && _describe -t commands openchrome found
  ((file)) && _files
}
if [[ "\${funcstack[1]}" == _openchrome ]]; then _openchrome "$@"; \
else compdef _openchrome openchrome; fi`;

const fish = `# fish completion for openchrome
function __openchrome_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = '${FILES}'
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c openchrome -f -a '(__openchrome_complete)'`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish };

export const run: RunCommand = (words, context, command) =>
  command.path[0] === 'complete'
    ? printCompletions(words, context, command)
    : printScript(words, context, command);
