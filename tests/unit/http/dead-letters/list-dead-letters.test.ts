import { describe, expect, it } from 'vitest';
import { toBatchEntity } from '../../../../shared/batches/batch-row.ts';
import { indexBatch } from '../../../../shared/batches/listing/index-rows.ts';
import { writeOpenRow } from '../../../../shared/batches/listing/open-rows.ts';
import { newBatchId } from '../../../../shared/contract/names.ts';
import { listDeadLetters } from '../../../../shared/http/dead-letters/list-dead-letters.ts';
import { deadLettersOfBatchesSchema } from '../../../../shared/http/dead-letters/schemas.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { requestFor } from '../requests.ts';

const DAY = Date.parse('2026-03-31T00:00:00.000Z');
const causes = { 'rejected: Error: no': 2 };

describe('dead letters of the batches of some days', () => {
  it('include the newest 500 unfinished batches, and all finished ones with dead letters', async () => {
    const { table, before } = memoryTable();
    const open = Array.from({ length: 503 }, (_, n) =>
      batchRowOf({ id: newBatchId(DAY + n), state: 'running', dead: 2, causes }),
    );
    for (const row of open) await writeOpenRow(table, row);
    // The other batches have been deleted. The lines date from the acceptance of a batch, or from before a redrive.
    for (const n of [2, 3, 502]) if (open[n]) await table.createEntity(toBatchEntity(open[n]));
    for (const n of [3, 502]) if (open[n]) await indexBatch(table, { ...open[n], state: 'completed', dead: n - 3 });
    const ended = { state: 'completedWithDeadLetters', dead: 2, causes } as const;
    await indexBatch(table, batchRowOf({ ...ended, id: newBatchId(DAY + 1_000) }));
    await indexBatch(table, batchRowOf({ ...ended, id: newBatchId(DAY + 1_001), state: 'completed', dead: 0 }));
    await indexBatch(table, batchRowOf({ ...ended, id: newBatchId(DAY - 1) }));
    let calls = 0;
    before(async () => {
      calls += 1;
    });

    const deps = { table, gate: { table, now: () => DAY } };
    const { jsonBody } = await listDeadLetters(deps, requestFor('dead-letters?day=2026-03-31'));

    const { groups, ...rest } = deadLettersOfBatchesSchema.parse(jsonBody);
    expect(rest).toMatchObject({ count: 6, otherCauses: 0, scanned: 3, notScanned: 3 });
    expect(groups).toMatchObject([{ workload: 'billing', count: 6, moreBatches: 0 }]);
    expect(calls).toBe(502);
  });

  it('omit the weeks before those with too many batches', async () => {
    const { table } = memoryTable();
    const ended = { state: 'completedWithDeadLetters', dead: 2, causes } as const;
    for (const day of [0, 3, 8, 20])
      await indexBatch(table, batchRowOf({ ...ended, id: newBatchId(DAY - day * 86_400_000) }));
    const ask = async (maxLines: number) => {
      const deps = { table, gate: { table, now: () => DAY }, maxLines };
      const { jsonBody } = await listDeadLetters(deps, requestFor('dead-letters?from=2026-03-01&to=2026-03-31'));
      return deadLettersOfBatchesSchema.parse(jsonBody);
    };

    expect(await ask(2)).toMatchObject({ from: '2026-03-25', to: '2026-03-31', count: 4, scanned: 2 });
    expect(await ask(3)).toMatchObject({ from: '2026-03-18', count: 6, scanned: 3 });
    expect(await ask(10)).toMatchObject({ from: '2026-03-01', count: 8, scanned: 4 });
  });
});
