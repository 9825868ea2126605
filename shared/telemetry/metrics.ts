/**
 * What the app measures of itself; names, units and attributes: docs/observability.md. Without an SDK all of it does
 * nothing.
 */
import {
  type Attributes,
  type Counter,
  type Gauge,
  type Histogram,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api';
import type { Counts } from '../contract/counts.ts';
import type { Operations } from '../contract/operations.ts';

/** From a tenth of a second to an hour: a batch may be three items or ten million. */
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600];

interface Instruments {
  accepted: Counter;
  items: Counter;
  batches: Counter;
  batchDuration: Histogram;
  chunkDuration: Histogram;
  chunkLatency: Histogram;
  unhandled: Counter;
  depth: Gauge;
  active: Gauge;
  instances: Gauge;
  cpu: Gauge;
  eventLoop: Gauge;
  response: Gauge;
  latency: Gauge;
  wakes: Counter;
  missedWakes: Counter;
  rateLowered: Counter;
  rejectedFiles: Counter;
}

let known: { provider: MeterProvider; instruments: Instruments } | undefined;

/** Made anew when an SDK has come: unlike tracers, instruments made before it would never do anything. */
function instruments(): Instruments {
  const provider = metrics.getMeterProvider();
  if (known?.provider !== provider) known = { provider, instruments: create(provider) };
  return known.instruments;
}

function create(provider: MeterProvider): Instruments {
  const meter = provider.getMeter('sluice');
  const seconds = (name: string, description: string): Histogram =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } });
  const counter = (name: string, unit: string, description: string): Counter =>
    meter.createCounter(name, { unit, description });
  const gauge = (name: string, unit: string, description: string): Gauge =>
    meter.createGauge(name, { unit, description });
  return {
    accepted: counter('sluice.items.accepted', '{item}', 'Items of accepted batches'),
    items: counter('sluice.items', '{item}', 'Items by what became of them in a chunk'),
    batches: counter('sluice.batches', '{batch}', 'Batches finished, by their final state'),
    batchDuration: seconds('sluice.batch.duration', 'From the opening of a revision to its end'),
    chunkDuration: seconds('sluice.chunk.duration', 'Time of a chunk in its handler'),
    chunkLatency: seconds('sluice.chunk.latency', 'From the opening of a revision to a chunk of it being done'),
    unhandled: counter(
      'sluice.handler.unhandled',
      '{error}',
      'Errors that no handler awaited, or thrown in a callback',
    ),
    depth: gauge('sluice.queue.depth', '{message}', 'Messages of a queue'),
    active: gauge('sluice.queue.active', '{task}', 'Dequeue tasks of a wave'),
    instances: gauge('sluice.wave.instances', '{instance}', 'Processes that ran the last wave'),
    cpu: gauge('sluice.wave.cpu', '1', 'Share of its cores that the busiest of them used'),
    eventLoop: gauge('sluice.wave.event_loop', '1', 'Utilization of the event loop of the busiest of them'),
    response: gauge('sluice.wave.response', 's', 'Mean response time of storage operations'),
    latency: gauge('sluice.wave.latency', 's', 'Age of the oldest work of the wave at its end'),
    wakes: counter('sluice.wakes', '{wake}', 'Wake events taken, by what they came to'),
    missedWakes: counter(
      'sluice.wakes.missed',
      '{wake}',
      'Work that the sweep found and for which no wake had arrived',
    ),
    rateLowered: counter(
      'sluice.rate.lowered',
      '{event}',
      'Reports of a process that calls of a workload with a rate limit were throttled',
    ),
    rejectedFiles: counter('sluice.inbox.rejected', '{file}', 'Files of the inbox that were rejected'),
  };
}

/** Which workload and lane a number is about. */
export interface Subject {
  workload: string;
  lane: string;
}

const subjectOf = ({ workload, lane }: Subject): Attributes => ({ workload, lane });

/** A batch was accepted. */
export const countAccepted = (subject: Subject, items: number): void =>
  instruments().accepted.add(items, subjectOf(subject));

/** A chunk ran in a handler. */
export const measureChunk = (subject: Subject, handlerSeconds: number): void =>
  instruments().chunkDuration.record(handlerSeconds, subjectOf(subject));

/** A chunk's end went into the ledger, for the first time: each item is counted once per run. */
export function countChunk(subject: Subject, counts: Counts, latencySeconds: number): void {
  const { items, chunkLatency } = instruments();
  for (const outcome of ['succeeded', 'dead', 'cancelled', 'retried'] as const) {
    if (counts[outcome] > 0) items.add(counts[outcome], { ...subjectOf(subject), outcome });
  }
  chunkLatency.record(latencySeconds, subjectOf(subject));
}

/** A batch was finished. */
export function countBatch(subject: Subject, state: string, seconds: number): void {
  const attributes = { ...subjectOf(subject), state };
  instruments().batches.add(1, attributes);
  instruments().batchDuration.record(seconds, attributes);
}

/** A handler left an error that nobody awaited. `wasInFlight`: a call in flight was charged, or is made again alone. */
export const countUnhandled = (wasInFlight: boolean): void => instruments().unhandled.add(1, { inFlight: wasInFlight });

/** What a drain has just seen of its queue; the newest of any instance counts. */
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

/** Records the figures of a wave that has ended. */
export function measureWave({ queue, ...figures }: WaveFigures): void {
  const { instances, cpu, eventLoop, response, latency } = instruments();
  instances.record(figures.instances, { queue });
  cpu.record(figures.cpu, { queue });
  eventLoop.record(figures.eventLoop, { queue });
  response.record(figures.responseMs / 1000, { queue });
  latency.record(figures.latencyMs / 1000, { queue });
}

/** A wake event was taken. */
export const countWake = (queue: string, result: string): void => instruments().wakes.add(1, { queue, result });

/** The sweep found work for which no wake had arrived. */
export const countLostWake = (queue: string): void => instruments().missedWakes.add(1, { queue });

/** A process has reported that calls of a workload were throttled: its rate is lowered, or is low already. */
export const countRateLowered = (workload: string): void => instruments().rateLowered.add(1, { workload });

/** A file of the inbox was rejected; undefined: its path names no known workload. */
export const countRejectedFile = (workload: string | undefined): void =>
  instruments().rejectedFiles.add(1, workload === undefined ? {} : { workload });

/** Has the operations of this process reported whenever metrics are read; once, after the SDK has come. */
export function observeOperations(total: () => Operations): void {
  const counter = metrics
    .getMeter('sluice')
    .createObservableCounter('sluice.operations', { unit: '{operation}', description: 'Billed operations' });
  counter.addCallback((result) => {
    for (const [operation, n] of Object.entries(total())) result.observe(n, { operation });
  });
}
