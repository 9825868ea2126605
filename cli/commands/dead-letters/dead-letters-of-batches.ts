import type { Command } from 'commander';
import type { Labels } from '../../../shared/contract/text/labels.ts';
import type { DeadLettersOfBatches } from '../../../shared/http/dead-letters/schemas.ts';
import { addDayOptions, type DayOptions } from '../../options.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import type { Session } from '../../session.ts';
import { formatNumber } from '../../text/format.ts';
import type { Column } from '../../text/listing.ts';
import { labelOption, labelTexts } from '../../upload/label-flag.ts';

/** Selects the batches to search if no batch is given. */
export interface BatchesFilter extends DayOptions {
  workload?: string;
  label?: Labels;
}

/** Adds the options of `BatchesFilter`. */
export const addBatchesFilter = (command: Command): Command =>
  addDayOptions(command, 'seven', 'without an ID: only batches of this day, in UTC')
    .option('--workload <name>', 'only batches of this workload')
    .addOption(labelOption('only batches with this label; if repeated, with all of them'));

/** Lists the causes of the dead letters of many batches, the most frequent first. */
export async function listCauses(
  session: Session,
  { label = {}, ...filter }: BatchesFilter & { cause?: string | undefined },
): Promise<ExitCode> {
  const query = { ...filter, label: labelTexts(label) };
  const answer = await session.api.json('GET dead-letters', { query });
  const { from, to, groups, otherCauses, notScanned } = answer;
  session.list(answer, { entries: groups, columns: COLUMNS, none: `No dead letters from ${from} to ${to}.` });
  if (otherCauses > 0) session.inform(`${formatNumber(otherCauses, 'dead letter')} of other causes`);
  if (notScanned > 0)
    session.inform(
      `${formatNumber(notScanned, 'unfinished batch was', 'unfinished batches were')} not searched: give a day or a workload.`,
    );
  return EXIT.done;
}

type Group = DeadLettersOfBatches['groups'][number];

const COLUMNS: readonly Column<Group>[] = [
  { field: 'count', title: 'dead' },
  { field: 'workload' },
  { field: 'batches', value: ({ batches, moreBatches }) => batches.length + moreBatches },
  { field: 'newest', title: 'newest batch', value: ({ batches }) => batches[0]?.id },
  { field: 'cause' },
];
