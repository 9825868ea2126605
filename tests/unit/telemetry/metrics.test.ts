import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, describe, expect, it } from 'vitest';
import {
  countAccepted,
  countBatch,
  countChunk,
  countLostWake,
  countWake,
  measureChunk,
  measureQueue,
  observeOperations,
} from '../../../shared/telemetry/metrics.ts';

const subject = { workload: 'billing', lane: 'normal', secret: 'of the row' };
const own = { workload: 'billing', lane: 'normal' };

afterEach(() => metrics.disable());

/** What was measured, as `name` → `[attributes, value]`; of a histogram the sum. */
async function measured(act: () => void): Promise<Record<string, [object, unknown][]>> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(provider);
  act();
  await provider.forceFlush();
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  await provider.shutdown();
  const values = (points: { attributes: object; value: unknown }[]): [object, unknown][] =>
    points.map(({ attributes, value }) => [
      attributes,
      typeof value === 'object' && value !== null && 'sum' in value ? value.sum : value,
    ]);
  return Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, values(dataPoints)]));
}

describe('the metrics', () => {
  it('count items by what became of them, and name no field of a batch but workload and lane', async () => {
    const found = await measured(() => {
      countAccepted(subject, 10);
      countChunk(subject, { items: 10, succeeded: 7, dead: 2, cancelled: 0, retried: 1 }, 1.5);
      measureChunk(subject, 0.25);
    });

    expect(found).toEqual({
      'sluice.items.accepted': [[own, 10]],
      'sluice.items': [
        [{ ...own, outcome: 'succeeded' }, 7],
        [{ ...own, outcome: 'dead' }, 2],
        [{ ...own, outcome: 'retried' }, 1],
      ],
      'sluice.chunk.latency': [[own, 1.5]],
      'sluice.chunk.duration': [[own, 0.25]],
    });
  });

  it('tell batches, queues, wakes and operations', async () => {
    const found = await measured(() => {
      countBatch(subject, 'completed', 12);
      measureQueue('billing-normal-0', 5, 2);
      measureQueue('billing-normal-0', 3, 1);
      countWake('billing-normal-0', 'started');
      countLostWake('billing-normal-0');
      observeOperations(() => ({ 'queue.put': 4 }));
    });

    const queue = 'billing-normal-0';
    expect(found).toEqual({
      'sluice.batches': [[{ ...own, state: 'completed' }, 1]],
      'sluice.batch.duration': [[{ ...own, state: 'completed' }, 12]],
      'sluice.queue.depth': [[{ queue }, 3]],
      'sluice.queue.active': [[{ queue }, 1]],
      'sluice.wakes': [[{ queue, result: 'started' }, 1]],
      'sluice.wakes.missed': [[{ queue }, 1]],
      'sluice.operations': [[{ operation: 'queue.put' }, 4]],
    });
  });

  it('do nothing without an SDK, and count from the moment one is there', async () => {
    countWake('q', 'started');

    const found = await measured(() => countWake('q', 'started'));

    expect(found['sluice.wakes']).toEqual([[{ queue: 'q', result: 'started' }, 1]]);
  });
});
