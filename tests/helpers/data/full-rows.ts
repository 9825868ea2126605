/** A row of each kind with all columns set, as created by the code that stores it. */
import { type BatchRow, toBatchEntity } from '../../../shared/batches/batch-row.ts';
import { toChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { toIndexEntity } from '../../../shared/batches/listing/index-rows.ts';
import { toQuotaEntity } from '../../../shared/limits/quota-row.ts';
import type { RowKind } from '../../../shared/storage/columns.ts';
import { type StoredEntity, toEntity } from '../../../shared/storage/entity.ts';
import { type GateRow, newGate, toGateEntity } from '../../../shared/wake/gate/gate-row.ts';
import { batchRowOf, chunkRowOf, headerOf } from './factories.ts';

const AT = '2026-01-01T00:00:00.000Z';
const pause = { by: 'circuit', reason: '9 of 10 items failed', since: AT, probeAt: AT, probes: 1 } as const;

/** A batch row with all of its columns. Every whole number in it is `n`, every fraction `x`. */
export const fullBatch = (n: number, x: number): Required<BatchRow> => ({
  ...(Object.fromEntries(
    Object.entries(batchRowOf()).map(([name, value]) => [name, typeof value === 'number' ? n : value]),
  ) as BatchRow),
  ...{ version: 1, queueOffset: 1, revision: 1, reportRevision: 1, handlerSeconds: x },
  ...{ queuedAt: AT, startedAt: AT, completedAt: AT, cancellingAt: AT, deletingAt: AT },
  earlier: [{ revision: 0, items: n, openedAt: AT, deadlineAt: AT, completedAt: AT, latencyP95: n }],
  discardReason: 'test orders',
  ...{ latencyP50: n, latencyP95: n, latencyMax: n, operations: { 'blob.put': n } },
  suspect: { causes: [{ cause: 'invalid: InvalidItem: id', count: n, example: { position: n, message: 'id' } }] },
  paused: { by: 'halt', reason: '9 of 10 items are dead letters', at: AT },
  ...{ resumes: 1, pausedMs: n, resumingAt: AT, haltFrom: { succeeded: n, dead: n } },
  ...{ fileName: 'usage.csv', labels: { month: '2026-09' }, format: 'csv' },
  csv: { delimiter: ',', columns: n, cells: 'typed' },
  ...{ producer: 'erp', progressPercent: 50, progressAt: AT, atRiskAt: AT },
  ...{ keyRow: 'k', traceparent: 't', reportProblem: 'too many keys', reportRedrives: { 1: 'b/k.ndjson.zst' } },
  causes: { 'invalid: InvalidItem: id': n },
  drains: { 'billing-normal-0': [[n, n]] },
});

const INT32 = ['generation', 'active', 'policyVersion', 'taskLimit', 'waveTasks', 'fedTasks', 'instances'];
const DOUBLE = [
  'secondsPerReference',
  'pressedAt',
  'failureRate',
  'baselineFailureRate',
  'cpu',
  'eventLoop',
  'responseMs',
  'usualResponseMs',
];

const fullGate = (n: number, x: number): GateRow => ({
  ...(Object.fromEntries(
    Object.entries(newGate('q')).map(([name, value]) => [name, typeof value === 'number' ? n : value]),
  ) as unknown as GateRow),
  ...Object.fromEntries(INT32.map((name) => [name, 1])),
  ...Object.fromEntries(DOUBLE.map((name) => [name, x])),
  ...{ due: [AT], paused: pause, startFailure: { since: AT, error: 'no' } },
  waves: [[1_767_225_600, 30, n, 1, 'rule', 0, n, n, n, x]],
  spent: [[n, n, 1, [n, n]]],
});

/** The entities, with `n` for whole numbers that may be large and `x` for fractions. */
export const fullRows = (n: number, x: number): Record<RowKind, StoredEntity> => ({
  batch: toBatchEntity(fullBatch(n, x)),
  line: toIndexEntity(fullBatch(n, x)),
  chunk: toChunkEntity(chunkRowOf({ chunk: '0', items: n, header: headerOf(), doneAt: AT, endedBy: 'm', dueAt: AT })),
  progress: toEntity('progress', keys('progress'), {
    ...{ at: AT, chunks: 1, items: n, ended: n, inFlight: n, failing: n, error: 'Error: no' },
  }),
  gate: toGateEntity(fullGate(n, x)),
  spent: toEntity('spent', keys('spent'), { at: AT, drains: [[n, n, 1, [n, n]]] }),
  open: toEntity('open', keys('open'), {
    ...{ workload: 'billing', lane: 'normal', items: n, chunks: n, deadlineAt: AT },
    ...{ fileName: 'a.csv', labels: { team: 'a' } },
  }),
  note: toEntity('note', keys('note'), { at: AT, since: AT, left: true }),
  key: toEntity('key', keys('key'), { batch: 'b', claimedUntil: AT, expiresAt: AT, digest: 'd' }),
  heartbeat: toEntity('heartbeat', keys('heartbeat'), { generation: 1, aliveUntil: AT }),
  mark: toEntity('mark', keys('mark'), { name: 'billing/a.csv', batch: 'b' }),
  policy: toEntity('policy', keys('policy'), { version: 1, policy: {}, previous: {} }),
  action: toEntity('action', keys('action'), {
    ...{ at: AT, action: 'pause-queue', target: 'billing-normal-0', by: 'a', verified: true, detail: 'reason: no' },
    status: 200,
  }),
  quota: toQuotaEntity({ workload: 'mail', holders: [], waiting: [], factor: x, changedAt: n, heldUntil: n }),
});

const keys = (rowKey: string) => ({ partitionKey: 'p', rowKey });
