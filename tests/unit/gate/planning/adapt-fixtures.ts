import { type GateRow, newGate } from '../../../../shared/gate/gate-row.ts';
import { adaptGate } from '../../../../shared/gate/planning/adapt.ts';
import { emptyCounts, type SliceResult } from '../../../../shared/gate/planning/slice-result.ts';
import type { WaveLoad } from '../../../../shared/gate/planning/wave-load.ts';
import type { WaveContext, WaveSummary } from '../../../../shared/gate/planning/wave-summary.ts';
import { NOW } from '../../drain/drain-fixtures.ts';

export const gate = newGate('billing-normal-0');
export const adapt = (row: GateRow, wave: WaveSummary, context: Partial<WaveContext> = {}): Partial<GateRow> =>
  adaptGate(row, wave, { isLimited: false, concurrentActivities: 5, nowMs: NOW, ...context });
/** The load of one instance with spare capacity, with storage that responds in 10 ms. */
export const load = (fields: Partial<WaveLoad> = {}): WaveLoad => ({
  instances: 1,
  cpu: 0.4,
  eventLoop: 0.2,
  responses: 100,
  responseMs: 10,
  ...fields,
});
export const slice = (fields: Partial<SliceResult>): SliceResult => ({
  ...emptyCounts(),
  ended: 'quotaReached',
  seconds: 1,
  ...fields,
});
