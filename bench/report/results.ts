/** What a run of the bench leaves: the file that README, chart and docs/performance.md speak of. */
import { totalOperations } from '../../shared/contract/operations.ts';
import type { HttpResult } from '../measures/http.ts';
import type { LimitsResult } from '../measures/limits.ts';
import type { Measurement } from '../measures/measurement.ts';
import type { MemoryResult } from '../measures/memory.ts';
import type { SmallResult } from '../measures/small.ts';
import type { StartResult } from '../measures/start.ts';
import type { Throughput } from '../measures/throughput.ts';
import type { WaitingResult } from '../measures/waiting.ts';
import type { Wait, WakeResult } from '../measures/wake.ts';

/** Everything that one run measured; what it was not asked for is absent. */
export interface Results {
  date: string;
  commit: string;
  command: string;
  machine: { cores: number; cpu: string; memoryBytes: number; node: string; loadBefore: number };
  throughput?: Throughput;
  small?: SmallResult;
  wake?: { measured: WakeResult[]; secondPoller: Wait; queueTriggerAtMost: Wait };
  memory?: MemoryResult;
  start?: StartResult;
  waiting?: WaitingResult[];
  http?: HttpResult[];
  limits?: LimitsResult;
}

const MILLION = 1_000_000;

/** All storage requests for a million items. */
export const operationsAMillion = ({ operations, items }: Measurement): number =>
  (totalOperations(operations) / items) * MILLION;
