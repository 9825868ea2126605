import { afterAll, beforeAll, expect, it } from 'vitest';
import { addOperations, type Operations, totalOperations } from '../../../shared/contract/operations.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { scanInbox } from '../../../shared/intake/inbox/inbox.ts';
import { readSettings } from '../../../shared/settings.ts';
import { createClients } from '../../../shared/storage/clients.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { createAppPipeline } from '../cost/functions.ts';
import { type CountingStorage, faultsOnly, startCountingStorage } from './counting-storage.ts';
import { storeFinishedBatch } from './finished-batches.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The values of the deployment (infra/main.bicep). */
const SWEEP_MINUTES = 15;
const INBOX_MINUTES = 10;
/** The limit in docs/performance.md for a day without work, for any number of queues. */
const PUBLISHED_OPERATIONS = 250;
const BATCHES_PER_DAY = 4;
/** Batches that were finished a day earlier are deleted during the simulated day, which is not idleness. */
const DAYS_KEPT = 29;

/** The app's clock is the service's, which is ahead by this. No payload is checked for the first time. */
let offsetMs = 2 * DAY_MS;
let storage: CountingStorage;

beforeAll(async () => {
  storage = await startCountingStorage(() => offsetMs);
});
afterAll(() => storage.stop());

async function storeHistory(startMs: number): Promise<void> {
  const clients = createClients(readSettings(connectionsTo(storage.direct)), createMeter());
  for (let day = 1; day <= DAYS_KEPT; day += 1) {
    for (let nth = 0; nth < BATCHES_PER_DAY; nth += 1)
      await storeFinishedBatch(clients, 'billing', startMs - day * DAY_MS + nth * HOUR_MS);
  }
  await clients.close();
}

/** The host handles these requests itself; only the requests to it are counted. */
const durable = {
  calls: 0,
  startNew: async () => 'never',
  getStatus: async () => Promise.reject(new Error('no drain runs')),
  purgeInstanceHistoryBy: async () => {
    durable.calls += 1;
    return { instancesDeleted: 0 };
  },
};

async function startApp() {
  Object.assign(process.env, connectionsTo(storage.counted));
  const pipeline = await createAppPipeline();
  const { registry, settings } = pipeline;
  const client = durable as never;
  return {
    registry,
    /** Its clock follows the responses of storage: after a jump it needs one. */
    hearClock: () => pipeline.deps().depthOf('none'),
    sweep: () => sweep(pipeline.sweepDeps(client)),
    scanInbox: () => scanInbox({ ...pipeline.requestDeps(client), registry, settings }),
  };
}

it(`does at most ${PUBLISHED_OPERATIONS} operations per day without work, with a month of batches in its tables`, async () => {
  const startMs = Date.now() + offsetMs;
  await storeHistory(startMs);
  const app = await startApp();
  expect(app.registry.queues().length).toBeGreaterThan(5);
  // The first sweep does the chores of all the time before it.
  await app.hearClock();
  await withLog(faultsOnly, app.sweep);
  durable.calls = 0;

  let operations: Operations = {};
  const fire = async <T>(minute: number, timer: () => Promise<T>): Promise<T> => {
    offsetMs = 2 * DAY_MS + minute * MINUTE_MS;
    await app.hearClock();
    storage.take();
    const result = await withLog(faultsOnly, timer);
    operations = addOperations(operations, storage.take());
    return result;
  };
  for (let minute = 1; minute <= DAY_MS / MINUTE_MS; minute += 1) {
    if (minute % SWEEP_MINUTES === 0) expect(await fire(minute, app.sweep)).toMatchObject({ open: 0, failed: 0 });
    if (minute % INBOX_MINUTES === 0)
      expect(await fire(minute, app.scanInbox)).toEqual({
        accepted: 0,
        rejected: 0,
        deferred: 0,
        unfinished: 0,
        stuck: 0,
      });
  }

  const total = totalOperations(operations);
  expect(operations['blob.list']).toBeGreaterThanOrEqual(144);
  expect(durable.calls).toBe(1);
  expect(total, JSON.stringify(operations)).toBeLessThanOrEqual(PUBLISHED_OPERATIONS);
});
