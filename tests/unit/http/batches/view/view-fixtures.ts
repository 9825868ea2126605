/** Two batches, as they are shown at a given time of 2026-01-01. */
import { nextRevision } from '../../../../../shared/batches/revisions.ts';
import type { BatchView } from '../../../../../shared/http/batches/schemas.ts';
import { batchView } from '../../../../../shared/http/batches/view/batch-view.ts';
import { batchRowOf } from '../../../../helpers/data/factories.ts';
import { BASIS } from '../../../../helpers/fakes/receipt-basis.ts';

export const at = (time: string): string => `2026-01-01T${time}.000Z`;
/** As clients receive it. */
export const view = (
  row: Parameters<typeof batchView>[0],
  now: string,
  known: Parameters<typeof batchView>[3] = {},
): BatchView => JSON.parse(JSON.stringify(batchView(row, Date.parse(at(now)), BASIS, known)));

export const uploaded = batchRowOf({
  ...{ state: 'completedWithDeadLetters', accepted: 1_000, succeeded: 900, dead: 100 },
  ...{ queuedAt: at('00:00:00'), startedAt: at('00:00:01'), completedAt: at('00:00:10') },
  ...{ latencyP50: 4_000, latencyP95: 9_000, latencyMax: 10_000 },
});
const opening = { items: 100, openedAt: at('02:00:00'), deadlineAt: at('02:05:00') };
export const redriven = batchRowOf({
  ...{ ...uploaded, ...nextRevision(uploaded, opening) },
  ...{ state: 'running', succeeded: 940, dead: 10, queuedAt: at('02:00:00') },
});
