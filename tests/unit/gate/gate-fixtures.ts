import type { GateDeps } from '../../../shared/gate/gate.ts';
import type { GateRow } from '../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../shared/gate/gate-store.ts';
import type { DrainStatus } from '../../../shared/gate/heartbeat.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

export const QUEUE = 'billing-normal-0';
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

export interface Fixture {
  deps: GateDeps;
  started: string[];
  clock: { now: number };
  status: { of: DrainStatus };
  gate: () => Promise<GateRow>;
  set: (fields: Partial<GateRow>) => Promise<unknown>;
}

export function fixture(): Fixture {
  const { table } = memoryTable();
  const started: string[] = [];
  const clock = { now: NOW };
  const status: { of: DrainStatus } = { of: 'Running' };
  return {
    started,
    clock,
    status,
    deps: {
      table,
      now: () => clock.now,
      start: async ({ instanceId }) => {
        started.push(instanceId);
      },
      status: async () => status.of,
    },
    gate: async () => (await readGate(table, QUEUE)).row,
    set: (fields) => changeGate(table, QUEUE, () => fields),
  };
}
