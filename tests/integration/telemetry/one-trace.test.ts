import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBatch } from '../../../shared/batches/ledger.ts';
import type { SluiceEvent } from '../../../shared/contract/events.ts';
import { createItemsRound } from '../../../shared/processing/items-round.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import { receive } from '../../../shared/wake/messages.ts';
import { onEvents } from '../../../shared/wake/on-events.ts';
import { createPublisher } from '../../../shared/wake/publish.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { processor } from '../sweep/echo.ts';
import { itemsOf, startWorld, type World } from '../sweep/world.ts';

/** The pipeline on a real Azurite, with the real publisher; what it sends is kept, and delivered as the topic would. */
describe('from upload to report', () => {
  let world: World;
  let spans: InMemorySpanExporter;
  const events: SluiceEvent[] = [];
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());
  beforeEach(() => {
    spans = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    events.length = 0;
  });
  afterEach(() => trace.disable());

  const topic = {
    sendMessages: async (message: unknown) => {
      events.push((message as { body: SluiceEvent }).body);
    },
  };
  const depsOf = () => ({
    ...world.deps,
    publish: createPublisher({ topic, account: 'here', meter: world.clients.meter }),
  });

  async function drain(address: QueueAddress): Promise<void> {
    const deps = depsOf();
    const batchState = async (batch: string) => (await readBatch(deps.table, batch))?.row.state;
    const round =
      address.kind === 'results'
        ? createCollectRound(deps, address)
        : createItemsRound({ ...deps, processor, lock: createSharedLock(), batchState }, address);
    for (;;) {
      const messages = await receive(world.clients.queue(address.queue), 32, 30);
      if (messages.length === 0) return;
      await round(messages);
    }
  }

  async function run(): Promise<string> {
    const { id } = await world.submit(itemsOf(7), { deps: depsOf() });
    for (let seen = 0; seen < events.length; seen += 1) {
      const event = events[seen];
      const address = event && world.deps.registry.queue(event.queue);
      if (event?.type !== 'QueueWorkDetected' || !address) continue;
      await onEvents(
        { registry: world.deps.registry, pool: undefined, account: () => 'here', coalesce: (_queue, run) => run() },
        [event],
        () => world.deps.gate,
      );
      await drain(address);
    }
    return id;
  }

  const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);

  it('a batch is one trace: through the queue, the topic, and the result queue', async () => {
    const id = await run();

    expect((await world.batch(id)).state).toBe('completed');
    const [intake] = named('sluice.intake');
    const traceId = intake?.spanContext().traceId;
    expect(new Set(spans.getFinishedSpans().map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
    expect(
      named('sluice.chunk')
        .map(({ attributes }) => attributes['sluice.items'])
        .sort(),
    ).toEqual([1, 3, 3]);
    for (const name of ['sluice.chunk', 'sluice.collect', 'sluice.finalize'])
      expect(named(name)[0]?.parentSpanContext?.spanId).toBe(intake?.spanContext().spanId);
    expect(named('sluice.wake').length).toBeGreaterThanOrEqual(2);
    const { traceparent } = await world.batch(id);
    expect(traceparent).toContain(traceId);
    expect(events.map((event) => [event.type, event.traceparent])).toEqual([
      ['QueueWorkDetected', traceparent],
      ['QueueWorkDetected', traceparent],
      ['BatchCompleted', traceparent],
    ]);
  });

  it('without an SDK there is no trace, and nothing else is different', async () => {
    trace.disable();

    const batch = await world.batch(await run());

    expect([batch.state, batch.traceparent]).toEqual(['completed', undefined]);
    expect(events.every((event) => !('traceparent' in event))).toBe(true);
  });
});
