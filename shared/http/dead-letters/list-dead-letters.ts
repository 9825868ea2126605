import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { isFinished } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import { batchesOfDays } from '../../batches/listing/index-rows.ts';
import { openIds } from '../../batches/listing/listing.ts';
import { batchDate } from '../../contract/names.ts';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { json } from '../edge/answers.ts';
import type { Days } from '../edge/days.ts';
import { daysOf, labelsOf, workloadNameOf } from '../edge/request/parameters.ts';
import { createCauseGroups, type DeadFilter } from './cause-groups.ts';
import type { DeadLettersOfBatches } from './schemas.ts';

export interface DeadLettersOfBatchesHttp {
  table: Table;
  now: () => number;
}

/** Maximum number of days per request, and the default. */
export const DEAD_LETTER_DAYS = { fallback: 7, most: 31 };
/** Each unfinished batch is read by one operation: it may have no line in the listing, or an outdated one. */
const MAX_OPEN = 500;
const READS_AT_ONCE = 16;

/**
 * GET dead-letters: the current dead letters of the batches of some days, by cause and workload. Requires the query for the
 * open batches, one operation per thousand batches with dead letters, and one per unfinished batch, at most 500.
 */
export async function listDeadLetters(
  { table, now }: DeadLettersOfBatchesHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const days = daysOf(request, { nowMs: now(), ...DEAD_LETTER_DAYS });
  const cause = request.query.get('cause') ?? undefined;
  const filter: DeadFilter = { workload: workloadNameOf(request), labels: labelsOf(request), cause };
  const groups = createCauseGroups(filter);
  const open = await openIds(table, filter.workload);
  await addFinished(table, { days, filter, open, groups });
  const wanted = [...open].filter((id) => isIn(days, id)).sort((a, b) => (a < b ? 1 : -1));
  const read = await inParallel(wanted.slice(0, MAX_OPEN), READS_AT_ONCE, (id) => readBatch(table, id));
  for (const found of read) if (found) groups.add(found.row);
  const answer: DeadLettersOfBatches = {
    ...days,
    ...groups.result(),
    notScanned: Math.max(0, wanted.length - MAX_OPEN),
  };
  return json(answer);
}

interface Finished {
  days: Days;
  filter: DeadFilter;
  open: ReadonlySet<string>;
  groups: ReturnType<typeof createCauseGroups>;
}

/** The line of an open batch may be outdated, because of a redrive. */
async function addFinished(table: Table, { days, filter, open, groups }: Finished): Promise<void> {
  const { workload } = filter;
  const workloads = workload === undefined ? undefined : [workload];
  const query = { first: days.from, last: days.to, workloads, hasDead: true };
  for await (const entry of batchesOfDays(table, query))
    if (isFinished(entry.state) && !open.has(entry.id)) groups.add(entry);
}

function isIn({ from, to }: Days, id: string): boolean {
  const day = batchDate(id);
  return day >= from && day <= to;
}
