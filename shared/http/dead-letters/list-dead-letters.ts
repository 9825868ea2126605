import { isFinished } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import { batchesOfDays } from '../../batches/listing/index-rows.ts';
import { openIds } from '../../batches/listing/listing.ts';
import { batchDate } from '../../contract/names.ts';
import { weeksOf } from '../../days.ts';
import { inParallel } from '../../parallel.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { daysOf, labelsOf, workloadNameOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { createCauseGroups } from './cause-groups.ts';
import type { DeadLettersOfBatches } from './schemas.ts';

/** `maxLines`: maximum number of batches with dead letters, in whole weeks. Defaults to 50,000. */
type ListHttp = Pick<Reads, 'table' | 'gate'> & { maxLines?: number };

/** Maximum number of days per request, and the default. */
export const DEAD_LETTER_DAYS = { fallback: 7, most: 31 };
/** Lines are read week by week, newest first, up to this number; each thousand is one operation. */
const MAX_LINES = 50_000;
/** Each unfinished batch is read by one operation: it may have no line in the listing, or an outdated one. */
const MAX_OPEN = 500;
const READS_AT_ONCE = 16;

/**
 * GET dead-letters: the current dead letters of the batches of some days, by cause and workload. Requires the query for the
 * open batches, one operation per thousand batches with dead letters, and one per unfinished batch, at most 500.
 */
export const listDeadLetters: Handle<ListHttp> = async ({ table, gate, maxLines = MAX_LINES }, request) => {
  const days = daysOf(request, { nowMs: gate.now(), ...DEAD_LETTER_DAYS });
  const workload = workloadNameOf(request);
  const cause = request.query.get('cause') ?? undefined;
  const groups = createCauseGroups({ workload, labels: labelsOf(request), cause });
  const open = await openIds(table, workload);
  const workloads = workload === undefined ? undefined : [workload];
  let [from, lines] = [days.to, 0];
  for (const week of weeksOf(days)) {
    if (lines >= maxLines) break;
    from = week.first;
    for await (const entry of batchesOfDays(table, { ...week, workloads, only: 'dead' })) {
      lines += 1;
      // The line of an open batch may be outdated, because of a redrive.
      if (isFinished(entry.state) && !open.has(entry.id)) groups.add(entry);
    }
  }
  const isWanted = (id: string) => batchDate(id) >= from && batchDate(id) <= days.to;
  const wanted = [...open].filter(isWanted).sort((a, b) => (a < b ? 1 : -1));
  const read = await inParallel(wanted.slice(0, MAX_OPEN), READS_AT_ONCE, (id) => readBatch(table, id));
  for (const found of read) if (found) groups.add(found.row);
  const answer: DeadLettersOfBatches = {
    ...{ from, to: days.to },
    ...groups.result(),
    notScanned: Math.max(0, wanted.length - MAX_OPEN),
  };
  return json(answer);
};
