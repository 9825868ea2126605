import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEvents } from '../../../shared/events/on-events.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { itemsOf, startWorld, type World } from '../in-process/world.ts';

/** The pipeline on a real Azurite. Published messages are kept, and delivered as the topic would. */
describe('from upload to report', () => {
  let world: World;
  let spans: InMemorySpanExporter;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());
  beforeEach(() => {
    spans = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    world.topic.events.length = 0;
  });
  afterEach(() => trace.disable());

  async function run(): Promise<string> {
    const { id } = await world.submit(itemsOf(7));
    const { events } = world.topic;
    for (let seen = 0; seen < events.length; seen += 1) {
      const event = events[seen];
      if (event?.type !== 'QueueWorkDetected') continue;
      await onEvents(
        {
          registry: world.deps.registry,
          pool: undefined,
          account: () => world.clients.account,
          coalesce: (_queue, run) => run(),
        },
        [event],
        (queue, put) => wake(world.deps.gate, queue, put),
      );
      await world.drainUnasked(event.queue);
    }
    return id;
  }

  const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);

  it('a batch is one trace through the queue, the topic and the result queue', async () => {
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
    expect(world.topic.events.map((event) => [event.type, event.traceparent])).toEqual([
      ['QueueWorkDetected', traceparent],
      ['QueueWorkDetected', traceparent],
      ['BatchCompleted', traceparent],
    ]);
  });

  it('without an SDK there is no trace, and everything else is the same', async () => {
    trace.disable();

    const batch = await world.batch(await run());

    expect([batch.state, batch.traceparent]).toEqual(['completed', undefined]);
    expect(world.topic.events.every((event) => !('traceparent' in event))).toBe(true);
  });
});
