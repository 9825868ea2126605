/**
 * The metrics of the app; docs/observability.md lists names, units and attributes. Without an SDK, these functions have
 * no effect.
 */
import {
  type Attributes,
  type Counter,
  type Gauge,
  type Histogram,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api';
import type { Operations } from '../contract/operations.ts';
import type { Counts } from '../contract/outcome.ts';

/** From a tenth of a second to an hour: a batch may contain three items or ten million. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

type Instruments = ReturnType<typeof create>;

let known: { provider: MeterProvider; instruments: Instruments } | undefined;

/**
 * Creates the instruments again after an SDK was registered: unlike tracers, instruments that were created before
 * remain without effect.
 */
function instruments(): Instruments {
  const provider = metrics.getMeterProvider();
  if (known?.provider !== provider) known = { provider, instruments: create(provider) };
  return known.instruments;
}

function create(provider: MeterProvider) {
  const meter = provider.getMeter('sluice');
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } });
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  const gauge = (name: string, unit: string, description: string): Gauge =>
    meter.createGauge(name, { unit, description });
  return {
    accepted: counter('sluice.items.accepted', '{item}', 'Items of accepted batches'),
    items: counter('sluice.items', '{item}', 'Items by their outcome in a chunk'),
    batches: counter('sluice.batches', '{batch}', 'Batches finished, by their final state'),
    batchDuration: seconds('sluice.batch.duration', 'From the opening of a revision to its end'),
    chunkDuration: seconds('sluice.chunk.duration', 'Time of a chunk in its handler'),
    chunkLatency: seconds('sluice.chunk.latency', 'From the opening of a revision to the end of one of its chunks'),
    unhandled: counter(
      'sluice.handler.unhandled',
      '{error}',
      'Errors that a handler did not await, or that were thrown in a callback',
    ),
    depth: gauge('sluice.queue.depth', '{message}', 'Messages of a queue'),
    active: gauge('sluice.queue.active', '{task}', 'Dequeue tasks of a wave'),
    instances: gauge('sluice.wave.instances', '{instance}', 'Processes that ran the last wave'),
    cpu: gauge('sluice.wave.cpu', '1', 'Fraction of its cores that the busiest of them used'),
    eventLoop: gauge('sluice.wave.event_loop', '1', 'Utilization of the event loop of the busiest of them'),
    response: gauge('sluice.wave.response', 's', 'Mean response time of storage operations'),
    latency: gauge('sluice.wave.latency', 's', 'Age of the oldest work of the wave at its end'),
    wakes: counter('sluice.wakes', '{wake}', 'Wake events by their result'),
    missedWakes: counter(
      'sluice.wakes.missed',
      '{wake}',
      'Work found by the sweep for which no wake event had arrived',
    ),
    rateLowered: counter(
      'sluice.rate.lowered',
      '{event}',
      'Reports by a process that calls of a workload with a rate limit were throttled',
    ),
    rejectedFiles: counter('sluice.inbox.rejected', '{file}', 'Inbox files that were rejected'),
  };
}

export interface Subject {
  workload: string;
  lane: string;
}

const subjectOf = ({ workload, lane }: Subject): Attributes => ({ workload, lane });

/** Counts an accepted batch. */
export const countAccepted = (subject: Subject, items: number): void =>
  instruments().accepted.add(items, subjectOf(subject));

/** Records the handler time of a chunk. */
export const measureChunk = (subject: Subject, handlerSeconds: number): void =>
  instruments().chunkDuration.record(handlerSeconds, subjectOf(subject));

/** Counts the outcome of a chunk when the ledger first records it, so each item is counted once per run. */
export function countChunk(subject: Subject, counts: Counts, latencySeconds: number): void {
  const { items, chunkLatency } = instruments();
  for (const outcome of ['succeeded', 'dead', 'cancelled', 'retried'] as const) {
    if (counts[outcome] > 0) items.add(counts[outcome], { ...subjectOf(subject), outcome });
  }
  chunkLatency.record(latencySeconds, subjectOf(subject));
}

/** Counts a finished batch. */
export function countBatch(subject: Subject, state: string, seconds: number): void {
  const attributes = { ...subjectOf(subject), state };
  instruments().batches.add(1, attributes);
  instruments().batchDuration.record(seconds, attributes);
}

/** Counts an unhandled error of a handler. `wasInFlight`: a call in flight was charged, or is repeated alone. */
export const countUnhandled = (wasInFlight: boolean): void => instruments().unhandled.add(1, { inFlight: wasInFlight });

/**
 * Records the depth of a queue and the number of its dequeue tasks, as a drain just measured them; the latest value of
 * any instance counts.
 */
export function measureQueue(queue: string, depth: number, active: number): void {
  instruments().depth.record(depth, { queue });
  instruments().active.record(active, { queue });
}

/** What a wave has measured about its instances; times in milliseconds. */
export interface WaveFigures {
  queue: string;
  instances: number;
  cpu: number;
  eventLoop: number;
  responseMs: number;
  latencyMs: number;
}

/** Records the measurements of a finished wave. */
export function measureWave({ queue, ...figures }: WaveFigures): void {
  const { instances, cpu, eventLoop, response, latency } = instruments();
  instances.record(figures.instances, { queue });
  cpu.record(figures.cpu, { queue });
  eventLoop.record(figures.eventLoop, { queue });
  response.record(figures.responseMs / 1000, { queue });
  latency.record(figures.latencyMs / 1000, { queue });
}

/** Counts a wake event. */
export const countWake = (queue: string, result: string): void => instruments().wakes.add(1, { queue, result });

/** Counts work that the sweep found and for which no wake event had arrived. */
export const countLostWake = (queue: string): void => instruments().missedWakes.add(1, { queue });

/** Counts a process's report that calls of a workload were throttled: its rate is lowered, or was already. */
export const countRateLowered = (workload: string): void => instruments().rateLowered.add(1, { workload });

/** Counts a rejected inbox file. `workload` is undefined if the path of the file contains no known workload. */
export const countRejectedFile = (workload: string | undefined): void =>
  instruments().rejectedFiles.add(1, workload === undefined ? {} : { workload });

/** Reports the operations of this process whenever metrics are read. Call it once, after the SDK was registered. */
export function observeOperations(total: () => Operations): void {
  const counter = metrics
    .getMeter('sluice')
    .createObservableCounter('sluice.operations', { unit: '{operation}', description: 'Billed operations' });
  counter.addCallback((result) => {
    for (const [operation, n] of Object.entries(total())) result.observe(n, { operation });
  });
}
