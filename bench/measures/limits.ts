/** The cost of a rate limit that is above the machine's rate, and the utilization of one that is below it. */
import { LIMIT_KINDS, type LimitKind, limitedName, limitOn, MACHINE_RATE } from '../app/limited.ts';
import type { BenchOptions } from '../arguments.ts';
import { measureSluice } from '../contenders/sluice.ts';
import type { BenchStack } from '../stack/stack.ts';
import { type Measurement, median, rateOf } from './measurement.ts';

/** The result of one kind of limit. */
export interface LimitResult {
  kind: LimitKind;
  /** Items per second. */
  limit: number;
  run: Measurement;
}

export interface LimitsResult {
  /** The same items without a limit, on the same stack. */
  unlimited: Measurement;
  limited: LimitResult[];
}

/** A stack with these settings of its host. */
export type OnStack = <T>(
  name: string,
  settings: Record<string, string>,
  work: (stack: BenchStack) => Promise<T>,
) => Promise<T>;

/**
 * Measures the machine's rate first, because the limits are parts of it. Then measures all kinds in turn, `rounds`
 * times.
 */
export async function measureLimits(
  onStack: OnStack,
  files: { upload: string; warmUp: string },
  { rounds }: Pick<BenchOptions, 'rounds'>,
): Promise<LimitsResult> {
  const machineRate = await onStack('rate of the machine', {}, async (stack) => {
    await measureSluice(stack, files.warmUp);
    return Math.round(rateOf(await measureSluice(stack, files.upload)));
  });
  return onStack('limits', { [MACHINE_RATE]: String(machineRate) }, async (stack) => {
    const unlimited: Measurement[] = [];
    const runs = new Map(LIMIT_KINDS.map((kind): [LimitKind, Measurement[]] => [kind, []]));
    await measureSluice(stack, files.warmUp);
    for (let round = 0; round < rounds; round += 1) {
      unlimited.push(await measureSluice(stack, files.upload));
      for (const kind of LIMIT_KINDS) runs.get(kind)?.push(await measureSluice(stack, files.upload, limitedName(kind)));
    }
    const limited = LIMIT_KINDS.map((kind) => ({
      kind,
      limit: limitOn(machineRate, kind),
      run: median(runs.get(kind) ?? []),
    }));
    return { unlimited: median(unlimited), limited };
  });
}

/** Items per second from acceptance to the report. Before acceptance, the limit has no effect. */
export const rateOnceAccepted = ({ items, seconds, acceptedSeconds = 0 }: Measurement): number =>
  items / (seconds - acceptedSeconds);
