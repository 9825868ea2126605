import { TableClient } from '@azure/data-tables';
import type { ContainerClient } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import { claimKey, freeKey } from '../../../shared/batches/keys.ts';
import { changeBatch, insertBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { indexBatch } from '../../../shared/batches/listing/index-rows.ts';
import { readOpen, writeOpenRow } from '../../../shared/batches/listing/open-rows.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { type GateDeps, wake } from '../../../shared/gate/gate.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { recordHeartbeat } from '../../../shared/gate/heartbeat.ts';
import { DEFAULT_POLICY } from '../../../shared/gate/policy.ts';
import { writePolicy } from '../../../shared/gate/policy-store.ts';
import { readRange } from '../../../shared/processing/fetch-frames.ts';
import { putOutcome, readOutcomeHeader } from '../../../shared/processing/outcome/outcome-store.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { openTable, type Table } from '../../../shared/storage/table.ts';
import { BATCH, batchRowOf, chunkRowOf, headerOf } from '../../helpers/data/factories.ts';
import { readReport } from '../../helpers/data/read-report.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { type AccountStorage, openAccount } from '../../helpers/own-account.ts';

const MAX_REQUESTS = 3;
const QUEUE = 'billing-normal-0';

let storage: AccountStorage;
let requests = 0;
beforeAll(async () => {
  storage = await openAccount();
});
afterAll(() => storage.stop());
beforeEach(() => {
  requests = 0;
});

/** A table that does not exist. A loop over it ends here; otherwise it would not end. */
function missingTable(): Table {
  const client = TableClient.fromConnectionString(storage.connection, 'gates', { allowInsecureConnection: true });
  client.pipeline.addPolicy({
    name: 'count',
    sendRequest: (request, next) => {
      requests += 1;
      if (requests > MAX_REQUESTS) throw new Error(`More than ${MAX_REQUESTS} requests.`);
      return next(request);
    },
  });
  return openTable(client);
}

const row = batchRowOf();
const chunk = chunkRowOf({ chunk: '000000' });
const gateDeps = (table: Table): GateDeps => ({
  table,
  now: Date.now,
  start: async () => {},
  status: async () => undefined,
});

const CALLS: Record<string, (table: Table) => Promise<unknown>> = {
  'waking a queue': (table) => wake(gateDeps(table), QUEUE),
  'changing a gate': (table) => changeGate(table, QUEUE, () => ({ depth: 1 })),
  'a sign of life': (table) => recordHeartbeat(table, { queue: QUEUE, task: 't0', generation: 1, until: 0 }),
  'storing a policy': (table) => writePolicy(table, QUEUE, { policy: DEFAULT_POLICY }),
  'claiming a key': (table) => claimKey(table, 'k', { nowMs: 0 }),
  'freeing a key': (table) => freeKey(table, 'k', BATCH),
  'reading a batch': (table) => readBatch(table, BATCH),
  'accepting a batch': (table) => insertBatch(table, row, [chunk]),
  'inserting chunk rows': (table) => insertChunks(table, [chunk]),
  'changing a batch': (table) => changeBatch(table, BATCH, () => ({ state: 'running' })),
  'collecting results': (table) =>
    applyOutcomes(table, BATCH, [{ chunk: '000000', header: headerOf(), message: 'm' }], {
      at: row.acceptedAt,
    }),
  'opening a batch': (table) => writeOpenRow(table, row),
  'listing a batch': (table) => indexBatch(table, row),
  'a sweep': (table) => readOpen(table),
};

test.each(Object.entries(CALLS))(
  '%s fails immediately if its table is missing, and the error contains the table',
  async (_what, call) => {
    await expect(call(missingTable())).rejects.toThrow('The table gates does not exist');
  },
);

const REFERENCE = { workload: 'billing', batch: BATCH, chunk: '000000' };
const RANGE = { container: 'payloads', blob: 'a.zst', offset: 0, length: 10 } as const;
const BLOB_CALLS: Record<string, (container: ContainerClient) => Promise<unknown>> = {
  'reading a frame': (container) => readRange(container, RANGE),
  'looking for an outcome': (container) => readOutcomeHeader(container, REFERENCE),
  'storing an outcome': (container) =>
    putOutcome(container, REFERENCE, { header: headerOf(), body: new Uint8Array(1), causes: {} }),
  'reading a report': (container) => readReport(container, BATCH, 0),
};

test.each(Object.entries(BLOB_CALLS))(
  '%s fails if its container is missing, unlike for a missing blob',
  async (_what, call) => {
    const { container } = createClients(readSettings(connectionsTo(storage.connection)), createMeter());

    await expect(call(container('payloads'))).rejects.toThrow(/container of \/\w+\/payloads.* does not exist/);
  },
);
