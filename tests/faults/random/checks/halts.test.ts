import { describe, expect, test } from 'vitest';
import { HALT } from '../../app/items.ts';
import { createHalts, type HaltVerdict } from './halts.ts';

const BATCH = '0199e0a0-0000-7000-8000-000000000001';
const BY_HALT = { by: 'halt', reason: 'too many', at: '2026-11-22T12:00:00.000Z' };
const enough = { succeeded: HALT.after / 2, dead: HALT.after / 2 };

/** Returns the problems of consecutive row writes for a workload with the rule. */
async function judge(...rows: readonly Record<string, unknown>[]): Promise<HaltVerdict> {
  const halts = createHalts();
  for (const { paused, haltFrom, ...columns } of rows) {
    const json = { paused: JSON.stringify(paused), haltFrom: JSON.stringify(haltFrom) };
    const keys = { PartitionKey: BATCH, RowKey: 'batch' };
    const base = { workload: 'slot2', state: 'running', succeeded: 0, dead: 0, chunksDone: 1, chunksTotal: 2 };
    const entity = JSON.stringify({ ...keys, ...base, ...columns, ...json });
    const body = ['--changeset', 'PATCH /batches(...) HTTP/1.1', '', entity, '--changeset--'].join('\r\n');
    const path = '/account/$batch';
    const call = { service: 'table', method: 'POST', path, url: path, headers: [] } as const;
    await halts.note({ ...call, body: async () => Buffer.from(body) });
  }
  return halts.of(BATCH);
}

describe('the check of the halt rule', () => {
  test('counts each halt once, and accepts a batch that ends or is resumed after it', async () => {
    const halted = { ...enough, state: 'paused', paused: BY_HALT };
    const later = { ...halted, paused: { ...BY_HALT, at: '2026-11-22T12:01:00.000Z' } };
    const rows = [halted, { ...halted, succeeded: 99_999 }, { ...enough, haltFrom: enough }, later];
    expect(await judge(...rows)).toEqual({ halted: 2, wrong: [] });
    expect(await judge({ ...enough, chunksDone: 2 })).toEqual({ halted: 0, wrong: [] });
    expect(await judge({ ...enough, workload: 'slot0' })).toEqual({ halted: 0, wrong: [] });
  });

  test('finds a batch that continues although the rule pauses it', async () => {
    const { wrong } = await judge(enough);
    expect(wrong).toEqual([expect.stringMatching(/^continues, and should have halted/)]);
  });

  test('finds a batch that was halted although the rule does not pause it', async () => {
    const share = { succeeded: HALT.after * (1 - HALT.deadShare), dead: HALT.after * HALT.deadShare };
    for (const counts of [share, { succeeded: 0, dead: HALT.after - 1 }]) {
      const { wrong } = await judge({ ...counts, state: 'paused', paused: BY_HALT });
      expect(wrong).toEqual([expect.stringMatching(/^halted without need/)]);
    }
  });
});
