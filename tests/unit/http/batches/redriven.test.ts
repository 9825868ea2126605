/** The first completion decides whether a batch met its deadline. Every view of the batch keeps that verdict. */
import { describe, expect, it } from 'vitest';
import { describeBatch } from '../../../../cli/text/batch-text.ts';
import type { BatchRow } from '../../../../shared/batches/batch-row.ts';
import { insertBatch } from '../../../../shared/batches/ledger.ts';
import { indexBatch } from '../../../../shared/batches/listing/index-rows.ts';
import { writeOpenRow } from '../../../../shared/batches/listing/open-rows.ts';
import { isAtRisk, riskOf } from '../../../../shared/batches/progress/deadline-risk.ts';
import { nextRevision } from '../../../../shared/batches/revisions.ts';
import { newBatchId } from '../../../../shared/contract/names.ts';
import { batchListSchema, listBatches } from '../../../../shared/http/batches/list-batches.ts';
import { batchViewSchema } from '../../../../shared/http/batches/schemas.ts';
import { batchView } from '../../../../shared/http/batches/view/batch-view.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { batchRowOf } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { BASIS } from '../../../helpers/fakes/receipt-basis.ts';
import { requestFor } from '../requests.ts';

const at = (time: string): string => `2026-01-01T${time}.000Z`;
const DEADLINE = at('00:05:00');
const REDRIVE_DEADLINE = at('02:05:00');

const uploaded = (completedAt: string): BatchRow =>
  batchRowOf({
    ...{ id: newBatchId(Date.parse(at('00:00:00'))), state: 'completedWithDeadLetters', announced: true },
    ...{ accepted: 10, succeeded: 6, dead: 4, chunksDone: 1, reportRevision: 0, completedAt },
    ...{ queuedAt: at('00:00:01'), startedAt: at('00:00:02'), latencyP50: 1, latencyP95: 2, latencyMax: 3 },
  });
const redriven = (row: BatchRow): BatchRow => ({
  ...{ ...row, ...nextRevision(row, { items: 4, openedAt: at('02:00:00'), deadlineAt: REDRIVE_DEADLINE }) },
  ...{ state: 'queued', dead: 0, chunksTotal: 2, announced: false, queuedAt: at('02:00:01') },
});
const ended = (row: BatchRow, completedAt: string): BatchRow => ({
  ...row,
  ...{ state: 'completed', succeeded: 10, chunksDone: 2, announced: true, reportRevision: 1 },
  ...{ startedAt: at('02:00:02'), completedAt, latencyP50: 4, latencyP95: 5, latencyMax: 6 },
});

/** The verdict at `now` in each view: the batch, its entry in the listing, and the command line. */
async function shown(row: BatchRow, now: string) {
  const view = batchViewSchema.parse(batchView(row, Date.parse(at(now)), BASIS));
  const { table } = memoryTable();
  await insertBatch(table, row, []);
  await indexBatch(table, row);
  if (row.completedAt === undefined) await writeOpenRow(table, row);
  const answer = await listBatches(
    { table, gate: { table, now: () => Date.parse(at(now)) }, registry: createRegistry([]) },
    requestFor('batches?day=2026-01-01'),
  );
  const [entry] = batchListSchema.parse(answer.jsonBody).batches;
  return { view, entry, lines: describeBatch(view).filter((line) => /^(Deadline|Revision)/.test(line)) };
}

describe.each([
  ['missed', at('00:06:00'), false, ['Deadline missed: 2026-01-01 00:05:00 UTC']],
  ['met', at('00:04:00'), true, []],
] as const)('a deadline that the upload has %s', (_what, completedAt, met, lines) => {
  const first = {
    ...{ revision: 0, kind: 'upload', items: 10, opened: at('00:00:00'), queued: at('00:00:01') },
    ...{ started: at('00:00:02'), completed: completedAt, deadline: DEADLINE, latencyMs: { p50: 1, p95: 2, max: 3 } },
  };

  it('keeps this verdict during a redrive, with the times of each revision', async () => {
    const { view, entry, lines: output } = await shown(redriven(uploaded(completedAt)), '02:01:00');

    expect(view.deadline).toEqual({ at: DEADLINE, met });
    expect(view.times).toMatchObject({ accepted: at('00:00:00'), opened: at('02:00:00'), completed: null });
    expect(view.revisions).toEqual([
      first,
      {
        ...{ revision: 1, kind: 'redrive', items: 4, opened: at('02:00:00'), queued: at('02:00:01') },
        ...{ started: null, completed: null, deadline: REDRIVE_DEADLINE, latencyMs: null },
      },
    ]);
    expect(entry).toMatchObject({ state: 'queued', revision: 1, deadlineMet: met, completedAt: null });
    expect(output).toEqual([...lines, 'Revision 1: 4 items redriven']);
  });

  // Late or early with respect to the deadline of the redrive.
  it.each([at('02:00:03'), at('03:00:00')])('keeps this verdict after a redrive that ends at %s', async (end) => {
    const { view, entry, lines: output } = await shown(ended(redriven(uploaded(completedAt)), end), '04:00:00');

    expect(view.deadline).toEqual({ at: DEADLINE, met });
    expect(view.latencyMs).toEqual({ p50: 1, p95: 2, max: 3 });
    expect(view.revisions[0]).toEqual(first);
    expect(view.revisions[1]).toMatchObject({ started: at('02:00:02'), completed: end, latencyMs: { max: 6 } });
    expect(entry).toMatchObject({ state: 'completed', revision: 1, deadlineMet: met, completedAt: end });
    expect(entry).toMatchObject({ openedAt: at('02:00:00'), deadlineAt: REDRIVE_DEADLINE });
    expect(output.slice(0, -1)).toEqual(lines);
  });

  it('is unaffected by a redrive at risk, whose event and command line show the revision', async () => {
    const row = redriven(uploaded(completedAt));
    const facts = { nowMs: Date.parse(at('02:04:30')) };

    expect(isAtRisk(row, facts)).toBe(true);
    expect(riskOf(row, facts)).toMatchObject({ deadlineAt: REDRIVE_DEADLINE, revision: 1, items: 4, ended: 0 });
    const { view, lines: output } = await shown({ ...row, atRiskAt: at('02:04:30') }, '02:04:40');
    expect(view.deadline).toEqual({ at: DEADLINE, met, atRiskAt: at('02:04:30') });
    expect(output).toContain(
      'Deadline of revision 1 at risk since 2026-01-01 02:04:30 UTC: it will probably be missed',
    );
  });
});
