import { type Command, Option } from 'commander';
import { jsonOf } from '../../../shared/client/index.ts';
import type { ItemList } from '../../../shared/http/items/schemas.ts';
import { itemPosition, whole } from '../../options.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatNumber } from '../../text/format.ts';
import type { Column } from '../../text/listing.ts';

type Item = ItemList['items'][number];

interface ItemsOptions {
  state?: Item['state'];
  from?: number;
  limit: number;
  results?: boolean;
}

const STATES = ['pending', 'succeeded', 'dead', 'discarded', 'cancelled', 'unknown'] satisfies Item['state'][];
const MAX_SHOWN = 100_000;
const MAX_PAGE = 10_000;

const HELP = `
pending    is running, or waits to run or for a retry
succeeded  has a result: --results shows it
dead       is a dead letter: sluice dead-letters groups them by cause
discarded  is a dead letter that an operator has discarded: it never runs again
cancelled  did not run, or was stopped while it ran
unknown    is in a chunk that was cancelled while it ran: its results do not identify their items

The position of an item starts at 0 and is also that of its dead letter. With --state, the app searches 200,000 items per
request until it has found --limit items.

Examples:
  sluice items 01a2043c-dd51-7fbe-8535-3dcea3e353c5
  sluice items 01a2043c-dd51-7fbe-8535-3dcea3e353c5 --state pending -o csv`;

/** `sluice items BATCH`. */
export function addItems(program: Command, act: Act): void {
  program
    .command('items')
    .summary('list the items of a batch with their states')
    .description('Lists the items of a batch with their current states, in the order of the upload.')
    .argument('<id>', 'the batch')
    .addOption(new Option('--state <state>', 'only items in this state').choices(STATES))
    .option('--from <position>', 'start at this item', itemPosition)
    .option('--limit <n>', 'maximum number of items', whole(1, MAX_SHOWN), 100)
    .option('--results', 'also show the result of each item')
    .addHelpText('after', HELP)
    .action(act(items, ['table', 'json', 'csv']));
}

const items: Action<[string, ItemsOptions]> = async (session, batch, options) => {
  const { found, hasMore } = await itemsOf(session, batch, options);
  const columns = options.results ? [...COLUMNS, RESULT] : COLUMNS;
  session.list({ batch, items: found } satisfies ItemList, { entries: found, columns, none: 'No items match.' });
  const last = found.at(-1);
  if (hasMore && last)
    session.inform(`Stopped after ${formatNumber(found.length, 'item')}. To continue: --from ${last.position + 1}`);
  return EXIT.done;
};

async function itemsOf(
  { api }: Session,
  batch: string,
  { limit, state, from, results }: ItemsOptions,
): Promise<{ found: Item[]; hasMore: boolean }> {
  const found: Item[] = [];
  const query = { state, from, results, limit: Math.min(limit, MAX_PAGE) };
  for await (const answer of api.pages('GET batches/{id}/items', { path: { id: batch }, query })) {
    found.push(...((await jsonOf(answer)) as ItemList).items);
    if (found.length >= limit)
      return { found: found.slice(0, limit), hasMore: found.length > limit || answer.headers.has('link') };
  }
  return { found, hasMore: false };
}

const COLUMNS: readonly Column<Item>[] = [
  { field: 'position' },
  { field: 'id' },
  { field: 'state' },
  { field: 'attempts', title: 'failed attempts' },
  { field: 'error' },
];
const RESULT: Column<Item> = {
  field: 'result',
  value: ({ result }) => (result === undefined ? undefined : JSON.stringify(result)),
};
