import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { listBatchesOf } from '../../../shared/batches/listing/listing.ts';
import { batchDate } from '../../../shared/contract/names.ts';
import type { Operations } from '../../../shared/contract/operations.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { createAppPipeline } from '../cost/functions.ts';
import { type CountingStorage, faultsOnly, startCountingStorage } from './counting-storage.ts';
import { storeFinishedBatch, storeLines } from './finished-batches.ts';

const FEW = 100;
const MANY = 10_000;
const PAGE = 50;
/** Noon of yesterday: all batches are in one day, and finished long ago. */
const FROM = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;

let storage: CountingStorage;

beforeAll(async () => {
  storage = await startCountingStorage(() => 0);
});
afterAll(() => storage.stop());

/** A sweep purges old drains of the runtime once per day. */
const durable = { purgeInstanceHistoryBy: async () => ({ instancesDeleted: 0 }) };

/** The operations of four requests: one batch, the newest page, the page after that batch, and a sweep. */
async function looking(id: string) {
  Object.assign(process.env, connectionsTo(storage.counted));
  const pipeline = await createAppPipeline();
  const { batches } = pipeline.clients();
  const cost = async (run: () => Promise<unknown>): Promise<Operations> => {
    storage.take();
    await withLog(faultsOnly, run);
    return storage.take();
  };
  const list = (after?: string) => cost(() => listBatchesOf(batches, { days: [batchDate(id)], limit: PAGE, after }));
  return async () => ({
    status: await cost(() => readBatch(batches, id)),
    newest: await list(),
    further: await list(id),
    sweep: await cost(() => sweep(pipeline.sweepDeps(durable as never))),
  });
}

it(`reads a batch, lists batches and sweeps at the same cost with ${MANY} finished batches as with ${FEW}`, async () => {
  const clients = createClients(readSettings(connectionsTo(storage.direct)), createMeter());
  await storeLines(clients.batches, 'billing', { count: FEW, from: FROM });
  const look = await looking(await storeFinishedBatch(clients, 'billing', FROM + FEW));
  // The first sweep does the chores of the day.
  await look();
  const few = await look();

  await storeLines(clients.batches, 'billing', { count: MANY - FEW, from: FROM + 2 * FEW });
  const many = await look();
  await clients.close();

  expect(few.status).toEqual({ 'table.get': 1 });
  expect(few.sweep).toEqual({ 'table.query': 1 });
  expect(many).toEqual(few);
});
