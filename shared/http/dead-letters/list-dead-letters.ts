import { readBatches } from '../batches/read-days.ts';
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
const MAX_LINES = 50_000;

/**
 * GET dead-letters: the current dead letters of the batches of some days, by cause and workload. Requires the query for the
 * open batches, one operation per thousand batches with dead letters, and one per unfinished batch, at most 500.
 */
export const listDeadLetters: Handle<ListHttp> = async ({ table, gate, maxLines = MAX_LINES }, request) => {
  const { from, to } = daysOf(request, { nowMs: gate.now(), ...DEAD_LETTER_DAYS });
  const workload = workloadNameOf(request);
  const cause = request.query.get('cause') ?? undefined;
  const groups = createCauseGroups({ workload, labels: labelsOf(request), cause });
  const read = await readBatches(table, { from, to, workload, maxLines, only: 'dead' }, groups.add);
  const answer: DeadLettersOfBatches = { ...read, to, ...groups.result() };
  return json(answer);
};
