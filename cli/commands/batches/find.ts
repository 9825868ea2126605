import type { Command } from 'commander';
import type { z } from 'zod';
import { jsonOf } from '../../../shared/client/index.ts';
import type { FoundItems, itemSchema } from '../../../shared/http/items/schemas.ts';
import { itemPosition } from '../../options.ts';
import { CliError, UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Act, Action, Session } from '../../session.ts';
import { formatNumber, formatTable, formatTime } from '../../text/format.ts';

type Item = z.infer<typeof itemSchema>;

/** Maximum number of items with the same id. If there are more, the upload has a mistake, and the first ones show it. */
const MAX_SHOWN = 10;

const HELP = `
Positions start at 0 and are the same for items, results and dead letters. The id of an item is computed by the option "id" of
the workload: to find it, the app reads all items of the batch, 200,000 per request.

Examples:
  sluice find 01a2043c-dd51-7fbe-8535-3dcea3e353c5 4711
  sluice find 01a2043c-dd51-7fbe-8535-3dcea3e353c5 --id INV-2026-0815`;

/** `sluice find BATCH [POSITION] [--id X]`. */
export function addFind(program: Command, act: Act): void {
  program
    .command('find')
    .summary('show one item: its chunks, attempts, and result or dead letter')
    .description('Shows the history of one item of a batch, found by its position or by its id.')
    .argument('<id>', 'the batch')
    .argument('[position]', 'position of the item, starting at 0', itemPosition)
    .option('--id <id>', 'id of the item, if the workload defines one')
    .addHelpText('after', HELP)
    .action(act(find));
}

const find: Action<[string, number | undefined, { id?: string }]> = async (session, batch, position, { id }) => {
  if ((position === undefined) === (id === undefined))
    throw new UsageError('find: expected a POSITION or --id, and not both');
  const positions = position === undefined ? await positionsOf(session, batch, id ?? '') : [position];
  const items: Item[] = [];
  for (const each of positions)
    items.push(await session.api.json('GET batches/{id}/items/{position}', { path: { id: batch, position: each } }));
  session.answer({ batch, items }, () => items.flatMap(describeItem));
  return EXIT.done;
};

async function positionsOf(session: Session, batch: string, id: string): Promise<number[]> {
  const positions: number[] = [];
  let scanned = 0;
  const asked = { path: { id: batch }, query: { itemId: id } };
  for await (const answer of session.api.pages('GET batches/{id}/items', asked)) {
    const page = (await jsonOf(answer)) as FoundItems;
    positions.push(...page.positions);
    scanned += page.scanned.items;
    if (positions.length >= MAX_SHOWN) break;
  }
  if (positions.length > 0) return positions.slice(0, MAX_SHOWN);
  throw new CliError(`No item of batch ${batch} has the id "${id}"; ${formatNumber(scanned, 'item')} searched.`, {
    exitCode: EXIT.notFound,
  });
}

function describeItem({ position, line, state, steps, item, result, deadLetter }: Item): string[] {
  const value = (name: string, json: unknown): string[] =>
    json === undefined ? [] : [`${name}: ${JSON.stringify(json)}`];
  return [
    `Item ${position}${line === null ? '' : `, line ${line} of the upload`}: ${state}`,
    ...value('Uploaded', item),
    ...formatTable([
      ['chunk', 'outcome', 'at', 'failed attempts', 'error'],
      ...steps.map(({ chunk, end, at, dueAt, attempts, error }) => [
        ...[chunk, end, at === undefined ? (dueAt === undefined ? '' : `due ${formatTime(dueAt)}`) : formatTime(at)],
        ...[attempts === undefined ? '' : String(attempts), error ?? ''],
      ]),
    ]),
    ...value('Result', result),
    ...(deadLetter === undefined ? [] : [`Dead letter: ${deadLetter.reason}, ${deadLetter.error.message}`]),
  ];
}
