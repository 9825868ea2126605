import type { BatchRow } from '../../batches/batch-row.ts';
import type { DeadLetterText } from './dead-letter-lines.ts';

/**
 * Maximum number of distinct causes. Otherwise a handler that puts free text into its messages would cause an answer of
 * unlimited size.
 */
const MAX_GROUPS = 100;

interface Group {
  cause: string;
  count: number;
  example: DeadLetterText;
}

/** Groups the dead letters of a page by cause, the most frequent first, as JSON text of deadLetterGroupsSchema. */
export async function groupsText(
  { id, dead }: Pick<BatchRow, 'id' | 'dead'>,
  chunks: AsyncIterable<DeadLetterText[]>,
): Promise<string> {
  const groups = new Map<string, Group>();
  let otherCauses = 0;
  for await (const letters of chunks) {
    for (const letter of letters) if (!addTo(groups, letter)) otherCauses += 1;
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
  const scanned = otherCauses + sorted.reduce((sum, group) => sum + group.count, 0);
  const head = JSON.stringify({ batch: id, count: dead, scanned, otherCauses });
  return `${head.slice(0, -1)},"groups":[${sorted.map(groupText).join(',')}]}`;
}

function addTo(groups: Map<string, Group>, example: DeadLetterText): boolean {
  const { cause } = example;
  const group = groups.get(cause);
  if (group) group.count += 1;
  else if (groups.size < MAX_GROUPS) groups.set(cause, { cause, count: 1, example });
  else return false;
  return true;
}

function groupText({ cause, count, example }: Group): string {
  const head = JSON.stringify({ cause, reason: example.reason, count });
  return `${head.slice(0, -1)},"example":${example.text}}`;
}
