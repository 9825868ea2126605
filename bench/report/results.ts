/** The file that a run of the bench saves. README, chart and docs/performance.md use it. */
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

/** All results of one run; a measure that was not requested is absent. */
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

/** All storage requests per million items. */
export const operationsAMillion = ({ operations, items }: Measurement): number =>
  (totalOperations(operations) / items) * MILLION;
