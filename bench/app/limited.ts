/** The app's own billing with two rate limits: one above the machine's rate, and one below it. */
import process from 'node:process';
import type { Workload } from '../../shared/workload/define.ts';
import billing from '../../workloads/billing.ts';

/** Environment variable of the host: items per second that this machine reaches without a limit. */
export const MACHINE_RATE = 'BENCH_MACHINE_RATE';
/** Limits as parts of the machine's rate, which differs by a third from one minute to the next. */
const PARTS = { loose: 1.5, binding: 0.5 } as const;
export type LimitKind = keyof typeof PARTS;
export const LIMIT_KINDS = Object.keys(PARTS) as LimitKind[];

/** Name of the workload with this limit. */
export const limitedName = (kind: LimitKind): string => `billing-${kind}`;

/** Items per second that the limit allows on a machine. */
export const limitOn = (machineRate: number, kind: LimitKind): number => Math.round(machineRate * PARTS[kind]);

const machineRate = Number(process.env[MACHINE_RATE] ?? 100_000);

export const limited: Workload[] = LIMIT_KINDS.map((kind) => ({
  ...billing,
  name: limitedName(kind),
  rateLimit: { items: limitOn(machineRate, kind), perSeconds: 1 },
}));
