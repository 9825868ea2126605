/**
 * The whole pipeline on a real Azurite, with a durable client and a topic that a test controls. A queue is drained only
 * after a wake was published or an orchestration started; without one, its messages stay in the queue.
 */
import { odata } from '@azure/data-tables';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { noteKeys, openBatches } from '../../../shared/batches/listing/open-rows.ts';
import { currentDeadLetters } from '../../../shared/commands/redrive/current-dead.ts';
import { CONTAINERS } from '../../../shared/contract/names.ts';
import type { DrainInput } from '../../../shared/drain/drain-queue.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { GATES_PARTITION } from '../../../shared/gate/gate-row.ts';
import type { Wave } from '../../../shared/gate/planning/plan.ts';
import { emptyCounts } from '../../../shared/gate/planning/slice-result.ts';
import { submit } from '../../../shared/intake/submit.ts';
import { createPipeline, type Pipeline } from '../../../shared/pipeline.ts';
import { receive } from '../../../shared/queues/messages.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { createMergeAhead } from '../../../shared/results/merge-ahead.ts';
import type { Clients } from '../../../shared/storage/clients.ts';
import { toEntity } from '../../../shared/storage/entity.ts';
import { queryEntities } from '../../../shared/storage/table.ts';
import { choresNote, NOTE } from '../../../shared/sweep/chores.ts';
import { readReport } from '../../helpers/data/read-report.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import { createInlineProcessor } from '../../helpers/threads/inline-processor.ts';
import { downstream, echo, type Item, itemsOf, ndjson, registry } from './echo.ts';
import { checkLaw, type Storage, startStorage } from './storage.ts';
import { Runtime, Topic } from './stubs.ts';

export { downstream, itemsOf, ndjson } from './echo.ts';
export { inventory } from './storage.ts';

const VISIBILITY_SECONDS = 30;
const RECEIVE = 32;
const NOTHING_COLLECTED = { maxChunksCollected: 0 };

/** Starts a world; `stop` it. */
export const startWorld = async (): Promise<World> => new World(await startStorage());

export class World {
  readonly clients: Clients;
  readonly topic: Topic;
  readonly runtime = new Runtime();
  readonly pipeline: Pipeline;
  readonly deps: ReturnType<Pipeline['sweepDeps']>;
  readonly #storage: Storage;
  #offsetMs = 0;

  /**
   * `collecting`: by default, workers collect no batch themselves, because the sweep's repairs of result messages and
   * their queue are checked here; `{}` is the default of the app.
   */
  constructor(storage: Storage, topic = new Topic(), collecting: { maxChunksCollected?: number } = NOTHING_COLLECTED) {
    this.#storage = storage;
    this.topic = topic;
    this.clients = storage.clients;
    const meter = { ...this.clients.meter, serviceNowMs: () => this.clients.meter.serviceNowMs() + this.#offsetMs };
    this.pipeline = createPipeline({
      settings: { ...storage.settings, sliceSeconds: 5, visibilitySeconds: VISIBILITY_SECONDS },
      registry,
      host: HOST,
      processor: createInlineProcessor(registry),
      clients: { ...this.clients, meter, topic: this.topic },
      ...collecting,
    });
    this.deps = this.pipeline.sweepDeps(this.runtime.client);
  }

  get settings() {
    return this.#storage.settings;
  }

  stop(): Promise<void> {
    return this.#storage.stop();
  }

  /** Advances the time for all parts except the storage, which dates its writes by its own clock. */
  wait(ms: number): void {
    this.#offsetMs += ms;
  }

  /** Returns to the storage's time, with unused gates; with `chores`, the next sweep does its rare work. */
  async reset({ chores } = { chores: false }): Promise<void> {
    this.#offsetMs = 0;
    this.topic.events.length = 0;
    this.runtime.started.length = 0;
    this.runtime.statuses.clear();
    const all = odata`PartitionKey eq ${GATES_PARTITION}`;
    for await (const { partitionKey, rowKey } of queryEntities(this.clients.gates, all)) {
      await this.clients.gates.deleteEntity(partitionKey, rowKey);
    }
    const at = new Date(chores ? 0 : this.deps.gate.now()).toISOString();
    const note = toEntity(NOTE, noteKeys(choresNote(undefined)), { at, left: false });
    await this.clients.batches.upsertEntity(note, 'Replace');
  }

  submit(
    items: readonly Item[],
    { key, deps = this.deps }: { key?: string; deps?: World['deps'] } = {},
  ): Promise<BatchRow> {
    return submit(deps, {
      workload: echo,
      key,
      source: { kind: 'http', name: 'test' },
      body: (async function* () {
        yield Buffer.from(ndjson(items));
      })(),
      format: 'ndjson',
      encoding: 'identity',
      limits: this.settings,
    });
  }

  /** Runs a batch of nine items, of which those of `parts` become dead letters; returns its id. */
  async submitWithDead(...parts: string[]): Promise<string> {
    for (const part of parts) downstream.broken.add(part);
    const { id } = await this.submit(itemsOf(9));
    await this.drainAll();
    downstream.broken.clear();
    return id;
  }

  /** Delivers wakes and runs drains until there are none left. */
  async drainAll(): Promise<void> {
    for (;;) {
      const wakes = this.topic.takeWakes();
      for (const { queue } of wakes) await wake(this.deps.gate, queue);
      if ((await this.runDrains()) === 0 && wakes.length === 0) return;
    }
  }

  /** Runs the started drains; returns their number. */
  async runDrains(): Promise<number> {
    const drains = this.runtime.started.splice(0);
    for (const drain of drains) await this.#run(drain);
    return drains.length;
  }

  async #run({ queue, generation, wave }: DrainInput): Promise<void> {
    for (let next: Wave | undefined = wave; next !== undefined; ) {
      await this.drainUnasked(queue);
      const slices = [{ ...emptyCounts(), ended: 'empty' as const, seconds: 0.1 }];
      ({ next } = await this.pipeline.activities().finishWave({ queue, generation, slices, wakes: next.wakes }));
    }
    this.runtime.statuses.set(`drain-${queue}-${generation}`, 'Completed');
  }

  /** Drains one queue although no wake was published. */
  async drainUnasked(queue: string): Promise<void> {
    while (await this.drainOne(queue, RECEIVE));
  }

  /** Receives some messages of a queue, as if a drain had died after that; returns false if there was none. */
  async drainOne(queue: string, most = 1): Promise<boolean> {
    const address = this.deps.registry.queue(queue);
    if (!address) throw new Error(`There is no queue ${queue}.`);
    const messages = await receive(this.clients.queue(queue), most, VISIBILITY_SECONDS);
    if (messages.length > 0) await this.pipeline.roundFor(address)(messages);
    return messages.length > 0;
  }

  /**
   * Collects one round of results with other dependencies, as another process would: it has merged nothing in advance.
   */
  async collectAs(deps: FinalizeDeps): Promise<void> {
    const address = this.deps.registry.queue('echo-results');
    const messages = await receive(this.clients.queue('echo-results'), RECEIVE, VISIBILITY_SECONDS);
    if (address) await createCollectRound({ ...deps, mergeAhead: createMergeAhead(deps.registry) }, address)(messages);
  }

  /** The row of a batch; its rows are counted after it is read. */
  async batch(id: string): Promise<BatchRow> {
    const found = await readBatch(this.clients.batches, id);
    if (!found) throw new Error(`There is no batch ${id}.`);
    await checkLaw(this.clients, found.row);
    return found.row;
  }

  /** The ids of the open batches. */
  async openIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of openBatches(this.clients.batches)) ids.push(id);
    return ids;
  }

  /** Positions of the current dead letters of a batch. */
  async deadIndices(id: string): Promise<number[]> {
    const indices: number[] = [];
    for await (const { item } of currentDeadLetters(this.deps, await this.batch(id))) indices.push(item.index);
    return indices.sort((a, b) => a - b);
  }

  /** The values of a report by key. */
  async report(id: string, revision: number): Promise<Record<string, unknown>> {
    const report = await readReport(this.clients.container(CONTAINERS.reports), id, revision);
    const lines = report?.lines.map((line) => JSON.parse(line) as { key: string; value: unknown }) ?? [];
    return Object.fromEntries(lines.map(({ key, value }) => [key, value]));
  }
}
