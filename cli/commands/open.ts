import type { Command } from 'commander';
import { isBatchId } from '../../shared/contract/names.ts';
import { UsageError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Act, Action } from '../session.ts';

const HELP = `
The page asks for the key once per browser. The address never contains it, because browsers keep and show addresses.`;

/** `sluice open [ID]`. */
export function addOpen(program: Command, act: Act): void {
  program
    .command('open')
    .summary('open the dashboard in the browser')
    .description('Opens the dashboard, or the page of a batch, in the browser, and prints its address.')
    .argument('[id]', 'the batch')
    .option('--print', 'only print the address')
    .addHelpText('after', HELP)
    .action(act(open));
}

const open: Action<[string | undefined, { print?: boolean }]> = async (session, id, { print }) => {
  if (id !== undefined && !isBatchId(id))
    throw new UsageError(
      `ID: expected the id of a batch, or at least four characters of its beginning or end, got ${JSON.stringify(id)}`,
      {
        hint: 'sluice batches lists the ids.',
      },
    );
  const page = id === undefined ? '' : `#/batches/${encodeURIComponent(id)}`;
  const url = `${session.settings.url}/api/dashboard${page}`;
  const opened = print !== true && (await session.io.openUrl(url));
  session.answer({ url, opened }, () => [url]);
  if (!opened && !print) session.inform('Could not start a browser: open the address manually.');
  return EXIT.done;
};
