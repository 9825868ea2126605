import type { Command } from 'commander';
import type { Act, Action } from '../../session.ts';
import { exitCodeOf } from '../../watch/until-finished.ts';
import { describeEnd, timeoutOption, type WaitOptions, waitFor } from '../../watch/wait.ts';

const HELP = `
Polls every half second at first, later every five seconds. Exit codes: 5 if there are dead letters, 6 if the batch was
cancelled, 8 if its report failed, 9 if it is suspect. Continues while a batch is paused. Ctrl-C stops only this command: the
batch continues.`;

/** `sluice watch ID`. */
export function addWatch(program: Command, act: Act): void {
  program
    .command('watch')
    .summary('show the progress of a batch until it is finished')
    .description(
      'Shows the progress of a batch until it is completed, completed with dead letters, suspect, cancelled, or report failed.',
    )
    .argument('<id>', 'the batch')
    .addOption(timeoutOption())
    .addHelpText('after', HELP)
    .action(act(watch));
}

const watch: Action<[string, WaitOptions]> = async (session, id, options) => {
  const batch = await waitFor(session, id, options);
  session.answer(batch, () => describeEnd(batch));
  return exitCodeOf(batch);
};
