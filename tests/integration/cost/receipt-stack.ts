/** The app on a storage whose front counts each request, with workloads whose items specify how they end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { type StorageFault, startStack } from 'functions-local';
import { startServiceBus } from 'functions-local/service-bus';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { TABLES } from '../../../shared/contract/names.ts';
import { addOperations, type Operations } from '../../../shared/contract/operations.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { readGates } from '../../../shared/gate/gate-store.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import { openTable } from '../../../shared/storage/table.ts';
import { directEntities, SUBSCRIPTIONS } from '../../faults/harness/entities.ts';
import { FAULT_APP } from '../../faults/harness/fault-app.ts';
import { faultSettings } from '../../faults/harness/settings.ts';
import { buildAppCopy } from '../../helpers/app-copy.ts';
import { type CountingStorage, startCountingStorage } from '../idle/counting-storage.ts';

export interface ReceiptStack {
  api: (path: string, init?: RequestInit) => Promise<Response>;
  /** Submits items and returns the id of the batch. */
  submit: (workload: string, items: readonly unknown[], key?: string) => Promise<string>;
  row: (id: string) => Promise<BatchRow>;
  gates: () => Promise<Map<string, GateRow>>;
  receipt: (id: string) => Promise<BatchView['receipt']>;
  /**
   * Waits until nothing of the batches is left to do: finished, announced, gates idle, queues and topic empty. With
   * `stepMs`, each check moves the clocks of the services forward by that time, so that retries are due soon.
   */
  quiet: (ids: readonly string[], options?: { stepMs?: number }) => Promise<void>;
  /** Makes calls fail from now on; `undefined` ends that. */
  setFault: (faultOf: ((operation: string, path: string) => StorageFault | undefined) | undefined) => void;
  /** Returns what the front has counted since the last call. */
  take: () => Operations;
  storage: CountingStorage;
  stop: () => Promise<void>;
}

const STEP_MS = 100;
const QUIET_STEPS = 15;
const GIVE_UP_MS = 120_000;

/** Starts the app, built into a separate folder. */
export async function startReceiptStack(settings: Record<string, string> = {}): Promise<ReceiptStack> {
  let offsetMs = 0;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-receipts-'));
  const appFolder = await buildAppCopy({ ...FAULT_APP, name: 'receipts' });
  let faultOf: (operation: string, path: string) => StorageFault | undefined = () => undefined;
  const storage = await startCountingStorage(
    () => offsetMs,
    (operation, path) => faultOf(operation, path),
  );
  const bus = await startServiceBus({ config: directEntities(), file: ':memory:', now: () => Date.now() + offsetMs });
  const connections = { storage: storage.counted, serviceBus: bus.connectionString };
  const stack = await startStack({
    ...{ appFolder, folder: join(folder, 'app'), restart: false, enforceKeys: false },
    settings: () => ({
      ...faultSettings({ appFolder, ...connections, subscription: SUBSCRIPTIONS.wake }),
      // A receive whose response was lost hides its messages for this time.
      SLUICE_VISIBILITY_SECONDS: '15',
      SLUICE_SLICE_SECONDS: '10',
      ...settings,
    }),
  });
  void stack.failed.then(console.error);
  const tableOf = (name: string) =>
    openTable(TableClient.fromConnectionString(storage.direct, name, { allowInsecureConnection: true }));
  const [batches, gateTable] = [tableOf(TABLES.batches), tableOf(TABLES.gates)];
  const queues = QueueServiceClient.fromConnectionString(storage.direct);
  const api: ReceiptStack['api'] = async (path, init) => {
    const answer = await fetch(`${stack.url}/api/${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const row = async (id: string): Promise<BatchRow> => {
    const found = await readBatch(batches, id);
    if (!found) throw new Error(`There is no batch ${id}.`);
    return found.row;
  };
  let counted: Operations = {};
  const gather = (): boolean => {
    const more = storage.take();
    counted = addOperations(counted, more);
    return Object.keys(more).length > 0;
  };
  const isBusy = async (ids: readonly string[]): Promise<boolean> => {
    if (gather()) return true;
    if (Object.values(bus.counts()).some((entity) => (entity.active ?? 0) + (entity.scheduled ?? 0) > 0)) return true;
    for (const id of ids) if (!(await row(id)).announced) return true;
    for (const [queue, { status }] of await readGates(gateTable)) {
      if (status !== 'idle') return true;
      const { approximateMessagesCount = 0 } = await queues
        .getQueueClient(queue)
        .getProperties()
        .catch(() => ({ approximateMessagesCount: 0 }));
      if (approximateMessagesCount > 0) return true;
    }
    return false;
  };
  return {
    api,
    row,
    storage,
    gates: () => readGates(gateTable),
    submit: async (workload, items, key) => {
      const answer = await api(`workloads/${workload}/batches`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...(key === undefined ? {} : { 'idempotency-key': key }) },
        body: items.map((item) => `${JSON.stringify(item)}\n`).join(''),
      });
      return ((await answer.json()) as { id: string }).id;
    },
    receipt: async (id) => ((await (await api(`batches/${id}`)).json()) as BatchView).receipt,
    setFault: (next = () => undefined) => {
      faultOf = next;
    },
    quiet: async (ids, { stepMs = 0 } = {}) => {
      const untilMs = Date.now() + GIVE_UP_MS;
      for (let quiet = 0; quiet < QUIET_STEPS; quiet += 1) {
        if (await isBusy(ids)) {
          quiet = -1;
          offsetMs += stepMs;
        }
        if (Date.now() > untilMs) throw new Error('It does not come to rest.');
        await sleep(STEP_MS);
      }
    },
    take: () => {
      gather();
      const taken = counted;
      counted = {};
      return taken;
    },
    stop: async () => {
      await stack.stop();
      await bus.close();
      await storage.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
