import { metrics } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import {
  countAccepted,
  countBatch,
  countChunk,
  countLostWake,
  countRateLowered,
  countWake,
  measureChunk,
  measureQueue,
  measureWave,
  observeOperations,
} from '../../../shared/telemetry/metrics.ts';
import { measured } from '../../helpers/fakes/measured.ts';

const subject = { workload: 'billing', lane: 'normal', secret: 'of the row' };
const own = { workload: 'billing', lane: 'normal' };

afterEach(() => metrics.disable());

describe('the metrics', () => {
  it('count items by outcome, with workload and lane as the only fields of a batch', async () => {
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

  it('measure batches, queues, wakes, lowered rates and operations', async () => {
    const found = await measured(() => {
      countBatch(subject, 'completed', 12);
      measureQueue('billing-normal-0', 5, 2);
      measureQueue('billing-normal-0', 3, 1);
      measureWave({
        queue: 'billing-normal-0',
        instances: 2,
        cpu: 0.5,
        eventLoop: 0.25,
        responseMs: 12,
        latencyMs: 1_500,
      });
      countWake('billing-normal-0', 'started');
      countLostWake('billing-normal-0');
      countRateLowered('billing');
      observeOperations(() => ({ 'queue.put': 4 }));
    });

    const queue = 'billing-normal-0';
    expect(found).toEqual({
      'sluice.batches': [[{ ...own, state: 'completed' }, 1]],
      'sluice.batch.duration': [[{ ...own, state: 'completed' }, 12]],
      'sluice.queue.depth': [[{ queue }, 3]],
      'sluice.queue.active': [[{ queue }, 1]],
      'sluice.wave.instances': [[{ queue }, 2]],
      'sluice.wave.cpu': [[{ queue }, 0.5]],
      'sluice.wave.event_loop': [[{ queue }, 0.25]],
      'sluice.wave.response': [[{ queue }, 0.012]],
      'sluice.wave.latency': [[{ queue }, 1.5]],
      'sluice.wakes': [[{ queue, result: 'started' }, 1]],
      'sluice.wakes.missed': [[{ queue }, 1]],
      'sluice.rate.lowered': [[{ workload: 'billing' }, 1]],
      'sluice.operations': [[{ operation: 'queue.put' }, 4]],
    });
  });

  it('have no effect without an SDK, and count after one is registered', async () => {
    countWake('q', 'started');

    const found = await measured(() => countWake('q', 'started'));

    expect(found['sluice.wakes']).toEqual([[{ queue: 'q', result: 'started' }, 1]]);
  });
});
