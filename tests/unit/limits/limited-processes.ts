import { vi } from 'vitest';
import { z } from 'zod';
import { createLimiter } from '../../../shared/limits/limiter.ts';
import { endCall, type Permits, take } from '../../../shared/limits/permits.ts';
import { type Holder, newQuota, readQuota, writeQuota } from '../../../shared/limits/quota-row.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { defineWorkload, type WorkloadOptions } from '../../../shared/workload/define.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

/** Starts the clock of the processes; stop it with `vi.useRealTimers`. */
export const startClock = () =>
  vi.useFakeTimers({ now: 1_767_225_600_000, toFake: ['setInterval', 'clearInterval', 'Date'] });

type Limits = Pick<WorkloadOptions<z.ZodUnknown, unknown, never>, 'rateLimit' | 'maxConcurrency'>;
export const workloadOf = (limits: Limits) =>
  defineWorkload({ name: 'mail', version: 1, item: z.unknown(), map: async () => 1, ...limits });

/** Processes that work on one workload; their operations are recorded. */
export function limitedProcesses(limits: Limits) {
  const workload = workloadOf(limits);
  const { table } = memoryTable();
  const operations: string[] = [];
  /** Every operation waits for this promise. */
  let before: Promise<unknown> = Promise.resolve();
  const counting = new Proxy(table, {
    get: (target, name: keyof Table) => {
      const method = target[name] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        operations.push(name);
        await before;
        return method.apply(target, args);
      };
    },
  });
  const process = (id: string) => {
    const clock = { now: () => Date.now(), clockMs: () => Date.now() };
    const limiter = createLimiter({ ...clock, table: counting, id, callsInFlight: () => 32 });
    const permits = (): Permits => limiter.permitsOf(workload) as Permits;
    /** Takes all available permits and returns their number. */
    const used = (): number => {
      let calls = 0;
      for (; take(permits(), 1, Date.now()); calls += 1) endCall(permits(), 1);
      return calls;
    };
    return {
      limiter,
      enter: (queue: string) => limiter.enter({ queue, workload }),
      permits,
      /** Takes the permit of a call if one is available. */
      take: () => take(permits(), 1, Date.now()),
      used,
      /** Returns the number of calls that start within `ms` if each finishes immediately. */
      calls: async (ms: number): Promise<number> => {
        let calls = 0;
        for (let at = 0; at < ms; at += 20) {
          await vi.advanceTimersByTimeAsync(20);
          calls += used();
        }
        return calls;
      },
    };
  };
  /** Blocks all operations; returns functions that release them or make them fail. */
  const hold = (): { release: () => void; fail: () => void } => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    before = promise;
    return { release: resolve, fail: () => reject(new Error('The service does not respond.')) };
  };
  /** Writes a row with these holders, which must be the first one. */
  const fill = (holders: readonly Holder[]): Promise<unknown> =>
    writeQuota(table, { row: { ...newQuota('mail'), holders }, etag: undefined });
  return { process, operations, hold, fill, row: async () => (await readQuota(table, 'mail')).row };
}

/** The `leave` of a task that got a share. */
export const leaveOf = (
  entry: Awaited<ReturnType<ReturnType<ReturnType<typeof limitedProcesses>['process']>['enter']>>,
) => {
  if ('retryAt' in entry) throw new Error('There is no share.');
  return entry.leave;
};
