import type { Command } from 'commander';
import type { Act, Action } from '../../session.ts';
import { endingOf } from '../../watch/until-finished.ts';
import { describeEnd, timeoutOption, type WaitOptions, waitFor } from '../../watch/wait.ts';

const HELP = `
Looks every half second at first, every five seconds after a while. Ends with 5 when there are dead letters, with 6 when
it was cancelled, with 8 when its report failed, with 9 when it is suspect. Goes on watching a batch that is paused.
Ctrl-C ends the watching, not the batch.`;

/** `sluice watch ID`. */
export function addWatch(program: Command, act: Act): void {
  program
    .command('watch')
    .summary('show a batch until it has ended')
    .description(
      'Shows a batch until it has ended: completed, completed with dead letters, suspect, cancelled, or report failed.',
    )
    .argument('<id>', 'the batch')
    .addOption(timeoutOption())
    .addHelpText('after', HELP)
    .action(act(watch));
}

const watch: Action<[string, WaitOptions]> = async (session, id, options) => {
  const batch = await waitFor(session, id, options);
  session.answer(batch, () => describeEnd(batch));
  return endingOf(batch);
};
