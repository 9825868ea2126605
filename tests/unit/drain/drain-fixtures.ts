import { z } from 'zod';
import type { EventDetails, PublishOptions, WorkPut } from '../../../shared/events/publish.ts';
import type { FinishWaveDeps } from '../../../shared/gate/finish-wave.ts';
import type { Wave } from '../../../shared/gate/planning/plan.ts';
import type { WaveSummary } from '../../../shared/gate/planning/wave-summary.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';

/** 2026-01-01T00:00:00Z */
export const NOW = 1_767_225_600_000;

const workload = defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item });
export const registry = createRegistry([workload]);
export const address = registry.queue('billing-normal-0') as QueueAddress;

export const wave = (fields: Partial<Wave> = {}): Wave => ({
  depth: 1,
  wakes: 0,
  tasks: 1,
  quota: 1,
  receive: 1,
  sliceSeconds: 30,
  probe: false,
  ...fields,
});

/** A wave of one task that has finished what it received. */
export const summary = (fields: Partial<WaveSummary> = {}): WaveSummary => ({
  tasks: 1,
  wakes: 2,
  received: 1,
  done: 1,
  items: 10,
  ran: 10,
  failures: 0,
  orphanedReferences: 0,
  handlerSeconds: 0.5,
  seconds: 1,
  throttled: 0,
  tripped: false,
  faulted: false,
  starved: 0,
  retryAt: 0,
  waitedSeconds: 0,
  oldestAt: '',
  startError: '',
  failure: '',
  taskSeconds: 1,
  load: undefined,
  ...fields,
});

/** The published events, with the amount of work and the scheduled time. */
export type Published = Pick<EventDetails, 'type'> & Partial<WorkPut> & { at?: string | undefined };

/** Dependencies that finish waves of an empty queue, unless a test overrides them. */
export function finishWaveDeps(table: Table, published: Published[] = []): FinishWaveDeps {
  return {
    gate: { table, now: () => NOW },
    depthOf: async () => 0,
    publish: async (_address, { details: _details, ...event }, options: PublishOptions = {}) => {
      published.push({ ...event, ...(options.at === undefined ? {} : { at: options.at.toISOString() }) });
    },
    plan: async () => wave(),
    visibilitySeconds: 300,
    concurrentActivities: 2,
    activityVisibilitySeconds: 60,
  };
}
