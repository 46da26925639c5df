// `openchrome completion SHELL`: prints the shell's completion script.
import { requireNoWords } from '../command-words.ts';
import { FILES } from '../completion.ts';
import type { RunCommand } from '../program.ts';

export const run: RunCommand = async (words, { terminal }, command) => {
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
