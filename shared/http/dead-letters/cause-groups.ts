/** Groups the dead letters of many batches by cause and workload, from the counts in their rows. */
import type { BatchRow } from '../../batches/batch-row.ts';
import { batchTimeMs } from '../../contract/names.ts';
import { shortCause } from '../../processing/outcome/header-causes.ts';
import type { DeadLettersOfBatches } from './schemas.ts';

/** The batches that match, and optionally one cause. An absent field matches everything. */
export interface DeadFilter {
  workload?: string | undefined;
  labels: readonly (readonly [key: string, value: string])[];
  cause?: string | undefined;
}

/** The fields that are read from the row of a batch, or from its line in the listing. */
export type DeadBatch = Pick<BatchRow, 'id' | 'state' | 'workload' | 'dead' | 'causes' | 'fileName' | 'labels'>;

type Group = DeadLettersOfBatches['groups'][number];

/** Maximum number of groups in an answer, and of groups that are collected to find the most frequent ones. */
const MAX_GROUPS = 100;
const MAX_KNOWN_GROUPS = 5_000;
const MAX_BATCHES = 50;

/** Creates an empty collection. */
export function createCauseGroups(filter: DeadFilter) {
  const groups = new Map<string, Group>();
  const cause = filter.cause === undefined ? undefined : shortCause(filter.cause).toLowerCase();
  let [scanned, count] = [0, 0];
  const add = (batch: DeadBatch): void => {
    scanned += 1;
    if (!fits(batch, filter)) return;
    const named = Object.entries(batch.causes ?? {}).filter(
      ([each]) => cause === undefined || each.toLowerCase().includes(cause),
    );
    count += cause === undefined ? batch.dead : sum(named.map(([, n]) => n));
    for (const [each, n] of named) addTo(groups, { batch, cause: each, count: n });
  };
  const result = (): Pick<DeadLettersOfBatches, 'count' | 'groups' | 'otherCauses' | 'scanned'> => {
    const shown = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, MAX_GROUPS);
    for (const { batches } of shown) cut(batches);
    const named = sum(shown.map((group) => group.count));
    return {
      count,
      groups: shown.map((group) => ({ ...group, moreBatches: group.moreBatches - group.batches.length })),
      otherCauses: Math.max(0, count - named),
      scanned,
    };
  };
  return { add, result };
}

const fits = ({ workload, dead, labels = {} }: DeadBatch, filter: DeadFilter): boolean =>
  dead > 0 &&
  (filter.workload === undefined || workload === filter.workload) &&
  filter.labels.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);

/** During collection, `moreBatches` counts all batches of a group. */
function addTo(
  groups: Map<string, Group>,
  { batch, cause, count }: { batch: DeadBatch; cause: string; count: number },
) {
  const { workload } = batch;
  const key = `${workload} ${cause}`;
  const group = groups.get(key);
  if (!group && groups.size >= MAX_KNOWN_GROUPS) return;
  const { id, state, fileName, labels } = batch;
  const named = { id, state, count, createdAt: new Date(batchTimeMs(id)).toISOString(), file: fileName, labels };
  if (!group) {
    groups.set(key, { cause, workload, count, batches: [named], moreBatches: 1 });
    return;
  }
  group.count += count;
  group.moreBatches += 1;
  group.batches.push(named);
  // Batches arrive day by day, oldest day first, so the newest are known only at the end.
  if (group.batches.length >= 2 * MAX_BATCHES) cut(group.batches);
}

function cut(batches: Group['batches']): void {
  batches.sort((a, b) => (a.id < b.id ? 1 : -1));
  batches.length = Math.min(batches.length, MAX_BATCHES);
}

const sum = (counts: readonly number[]): number => counts.reduce((total, n) => total + n, 0);
