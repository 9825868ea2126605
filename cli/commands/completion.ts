import { Argument, type Command } from 'commander';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';

const HELP = `
Completes commands, options and their values, and, with the help of the app, the ids of its latest batches and the names of its
queues and workloads.

  bash  echo 'source <(sluice completion bash)' >> ~/.bashrc
  zsh   echo 'source <(sluice completion zsh)' >> ~/.zshrc        after compinit
  fish  sluice completion fish > ~/.config/fish/completions/sluice.fish`;

/** `sluice completion SHELL`. */
export function addCompletion(program: Command, act: Act): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Prints the script with which a shell completes the command line.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(act(completion));
}

const completion: Action<[Shell]> = async ({ io, answer, settings }, shell) => {
  if (settings.json) answer({ shell, script: SCRIPTS[shell] }, () => []);
  else io.stdout.write(SCRIPTS[shell]);
  return EXIT.done;
};
