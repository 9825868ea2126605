import { isOutage, Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';
import type { RawChunk } from '../chunk-records.ts';
import { ItemCheck } from './check-items.ts';

/**
 * Passes chunks on while all items match the schema. After the first invalid item it reads on, to count the others, and
 * passes no further chunks.
 * @throws Problem 'invalid-items' at the end of the upload, or when an outage or the time limit ends the reading after a
 * fault. It cannot wait for the next attempt: that resumes from a checkpoint before the fault, so a file that needs several
 * attempts would never be rejected.
 */
export async function* validChunks(
  workload: Pick<Workload, 'name' | 'item'>,
  chunks: AsyncIterable<RawChunk>,
): AsyncGenerator<RawChunk> {
  const check = new ItemCheck(workload);
  let unread = '';
  try {
    for await (const chunk of chunks) {
      await check.add(chunk);
      if (check.invalid === 0) yield chunk;
    }
  } catch (error) {
    if (check.invalid === 0 || !isOutage(error)) throw error;
    unread = ' The rest was not read.';
  }
  if (check.invalid === 0) return;
  const { invalid, faults } = check;
  const listed = invalid > faults.length ? ` The first ${faults.length} are listed.` : '';
  // Without the total: for a large file that resumed from a checkpoint, the items before it are not counted again.
  const what = `${invalid} ${invalid === 1 ? 'item does' : 'items do'} not fit the schema of workload "${workload.name}".`;
  throw new Problem('invalid-items', `${what}${listed}${unread} Nothing was accepted.`, {
    errors: faults.map(({ line, message }) => ({ line, message })),
  });
}
