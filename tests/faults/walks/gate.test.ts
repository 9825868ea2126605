import type { TableClient } from '@azure/data-tables';
import type { QueueClient } from '@azure/storage-queue';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishWave } from '../../../shared/gate/finish-wave.ts';
import { fence, type GateDeps, wake } from '../../../shared/gate/gate.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { type DrainStatus, recordHeartbeat, showFirstWave } from '../../../shared/gate/heartbeat.ts';
import { queueDepth } from '../../../shared/queues/depths.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { address, finishWaveDeps, summary, wave } from '../../unit/drain/drain-fixtures.ts';
import { startStore, type WalkStore } from './azurite.ts';

/** The concurrent actions of one step of a walk. */
const ACTS = ['publish', 'publish', 'wave', 'wave', 'wake', 'fail', 'publish-late'] as const;
type Act = (typeof ACTS)[number];
const walks = fc.array(fc.array(fc.constantFrom<Act[]>(...ACTS), { minLength: 1, maxLength: 4 }), {
  minLength: 3,
  maxLength: 10,
});

const PATIENCE_MS = 20_000;

let store: WalkStore;
let gates: TableClient;
let count = 0;
beforeAll(async () => {
  store = await startStore();
  gates = await store.table('gates');
});
afterAll(() => store.stop());

/** Drains that a runtime would run; a wave belongs to a live one. */
class Walk {
  readonly name: string;
  readonly queue: QueueClient;
  readonly instances = new Map<string, { generation: number; wakes: number; status: DrainStatus }>();
  readonly address: QueueAddress;
  #clock = Date.UTC(2026, 0, 1);

  constructor(name: string, queue: QueueClient) {
    this.name = name;
    this.queue = queue;
    this.address = { ...address, queue: name };
  }

  readonly deps: GateDeps = {
    table: gates,
    now: () => this.#clock,
    start: async ({ instanceId, generation, wakes }: GateRow) => {
      if (this.instances.get(instanceId)?.status === 'Running') return;
      this.instances.set(instanceId, { generation, wakes, status: 'Running' });
    },
    status: async (id) => this.instances.get(id)?.status,
  };

  async act(act: Act): Promise<void> {
    if (act === 'publish') await this.queue.sendMessage('x');
    if (act === 'publish-late') await this.queue.sendMessage('x', { visibilityTimeout: 1 });
    if (act === 'publish' || act === 'publish-late' || act === 'wake') await wake(this.deps, this.name);
    if (act === 'wave') await this.wave();
    if (act === 'fail') this.fail();
  }

  /** An orchestration fails: only the next wake, or the sweep, can detect it. */
  fail(): void {
    const alive = [...this.instances].find(([, { status }]) => status === 'Running');
    if (alive) this.instances.set(alive[0], { ...alive[1], status: 'Failed' });
  }

  async wave(): Promise<void> {
    const alive = [...this.instances].find(([, { status }]) => status === 'Running');
    if (!alive) return;
    const [id, { generation, wakes }] = alive;
    const received = await this.slice(generation);
    const deps = {
      ...finishWaveDeps(gates),
      gate: this.deps,
      depthOf: () => queueDepth(this.queue),
      plan: async (_address: QueueAddress, gate: GateRow) => wave({ wakes: gate.wakes }),
    };
    const step = await finishWave(deps, {
      address: this.address,
      generation,
      wave: summary({ received, done: received, wakes }),
    });
    const instance = this.instances.get(id) ?? alive[1];
    if ('next' in step) this.instances.set(id, { ...instance, wakes: step.next.wakes });
    else this.instances.set(id, { ...instance, status: 'Completed' });
  }

  async slice(generation: number): Promise<number> {
    const current = await fence(gates, this.name, generation);
    if (!current) return 0;
    const isShown = await showFirstWave(gates, current, { active: 1, depth: 1, until: this.#clock });
    if (!isShown) await recordHeartbeat(gates, { queue: this.name, task: 't0', generation, until: this.#clock });
    const { receivedMessageItems } = await this.queue.receiveMessages({ numberOfMessages: 2, visibilityTimeout: 30 });
    for (const { messageId, popReceipt } of receivedMessageItems) await this.queue.deleteMessage(messageId, popReceipt);
    return receivedMessageItems.length;
  }

  /** Whether there is work although the gate is idle or its drain does not exist: no process would ever receive it. */
  async isForgotten(): Promise<boolean> {
    const { row } = await readGate(gates, this.name);
    if (row.parkedUntil !== '' || (await queueDepth(this.queue)) === 0) return false;
    return row.status === 'idle' || !this.instances.has(row.instanceId);
  }

  /** The sweep's wake, and waves until the queue is empty. */
  async bringToEnd(): Promise<void> {
    // Bounded by time, not by turns: a delayed message takes a second to become visible, even if the turns are fast.
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
      if ((await queueDepth(this.queue)) === 0) return;
      await wake(this.deps, this.name);
      await this.wave();
    }
  }
}

test('no wake is lost and the queue is emptied under concurrent actions on a real store', async () => {
  await fc.assert(
    fc.asyncProperty(walks, async (steps) => {
      const name = `walk-${count++}`;
      const walk = new Walk(name, await store.queue(name));
      for (const acts of steps) {
        await Promise.all(acts.map((act) => walk.act(act)));
        expect(await walk.isForgotten()).toBe(false);
      }
      await walk.bringToEnd();

      expect(await queueDepth(walk.queue)).toBe(0);
    }),
    { numRuns: Number(process.env.SLUICE_WALKS ?? 15) },
  );
});
