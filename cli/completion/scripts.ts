/** The completion script of each shell. All of them call `sluice __complete`, so that a new option needs no new script. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The scripts by shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of sluice: source <(sluice completion bash)
_sluice() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(sluice __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sluice sluice
`,
  zsh: `#compdef sluice
# zsh completion of sluice: source <(sluice completion zsh), or this file as _sluice in a folder of $fpath
_sluice() {
  local line word
  local -a described
  for line in "\${(@f)$(sluice __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      _files
    elif [[ -n $line ]]; then
      word=\${line%%$'\\t'*}
      if [[ $line == *$'\\t'* ]]; then described+=("\${word//:/\\\\:}:\${line#*$'\\t'}"); else described+=("\${word//:/\\\\:}"); fi
    fi
  done
  (( \${#described} )) && _describe -V sluice described
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`,
  fish: `# fish completion of sluice: sluice completion fish > ~/.config/fish/completions/sluice.fish
function __sluice_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    for line in (sluice __complete $words "$typed" 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path "$typed"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c sluice -f -a '(__sluice_complete)'
`,
};
