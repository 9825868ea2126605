import { describe, expect, it } from 'vitest';
import { type Claim, claimShare } from '../../../shared/limits/claim.ts';
import { newQuota, type QuotaRow, type Share, toQuotaEntity } from '../../../shared/limits/quota-row.ts';
import type { Limit } from '../../../shared/workload/limit.ts';

const NOW = 1_000_000;
const EVERYTHING: Share = { permitsPerSecond: Number.POSITIVE_INFINITY, inFlight: Number.POSITIVE_INFINITY };

const LIMIT: Limit = {
  permitsPerSecond: 100,
  itemsPerSecond: 100,
  unit: 'calls',
  perSeconds: 1,
  permitsPerCall: 1,
  maxInFlight: undefined,
  itemsPerCall: 1,
  timeoutMs: 60_000,
};

/** A quota that processes claim, each for its own queue: process a for queue-a. */
function quota(fields: Partial<Limit> = {}) {
  const limit = { ...LIMIT, ...fields };
  let row: QuotaRow = newQuota('mail');
  const change = (id: string, nowMs: number, claim: Partial<Claim> = {}) => {
    const whole = { id, queues: [`queue-${id}`], wants: EVERYTHING, inFlight: 0, quiet: 0, ...claim };
    const claimed = claimShare(row, whole, { limit, nowMs });
    row = claimed.row;
    return claimed;
  };
  return {
    claim: change,
    leave: (id: string, nowMs: number) => change(id, nowMs, { queues: [], left: [`queue-${id}`] }),
    row: () => row,
    /** Total permits per second of all valid leases. */
    leased: (nowMs: number) =>
      row.holders.reduce((sum, { has, until }) => sum + (until > nowMs ? has.permitsPerSecond : 0), 0),
  };
}

describe('the rate', () => {
  it('belongs to one process while no other process claims', () => {
    const { claim } = quota();
    const first = claim('a', NOW);
    expect(first).toMatchObject({ share: { permitsPerSecond: 100 }, until: NOW + 5_000, isShared: false });
    expect(claim('a', NOW + 3_000, { quiet: 1 })).toMatchObject({ until: NOW + 13_000 });
  });

  it('is divided when its holder renews; until then a second queue waits', () => {
    const { claim, leased } = quota();
    claim('a', NOW);
    const early = claim('b', NOW + 100);
    expect(early).toMatchObject({ share: { permitsPerSecond: 0, inFlight: 0 }, renewsAt: NOW + 3_500 });
    expect(claim('a', NOW + 3_000)).toMatchObject({ share: { permitsPerSecond: 50 }, isShared: true });
    expect(claim('b', NOW + 3_500).share.permitsPerSecond).toBe(50);
    expect(leased(NOW + 3_500)).toBe(100);
  });

  it('lets the queue wait, not the process: its next task may run in the process that holds the share', () => {
    const { claim } = quota();
    claim('a', NOW);
    claim('b', NOW + 100);
    expect(claim('a', NOW + 3_000, { queues: ['queue-a', 'queue-b'] })).toMatchObject({
      share: { permitsPerSecond: 100 },
      row: { waiting: [] },
    });
  });

  it('is not reserved for another task of a served queue, which gets what the holder does not use', () => {
    const { claim } = quota();
    claim('a', NOW);
    claim('b', NOW + 100, { queues: ['queue-a'] });
    expect(claim('a', NOW + 3_000).share.permitsPerSecond).toBe(100);
    const wants = { ...EVERYTHING, permitsPerSecond: 30 };
    expect(claim('a', NOW + 6_000, { wants }).share.permitsPerSecond).toBe(30);
    expect(claim('b', NOW + 6_100, { queues: ['queue-a'] }).share.permitsPerSecond).toBe(70);
  });

  it('is free immediately when its holder leaves, except half of it, which the queue’s next task can claim for two seconds', () => {
    const { claim, leave } = quota();
    claim('a', NOW);
    leave('a', NOW + 1_000);
    expect(claim('b', NOW + 1_100).share.permitsPerSecond).toBe(50);
    expect(claim('c', NOW + 1_200, { queues: ['queue-a'] }).share.permitsPerSecond).toBe(50);
    leave('c', NOW + 2_000);
    leave('b', NOW + 2_000);
    expect(claim('d', NOW + 4_100).share.permitsPerSecond).toBe(100);
  });

  it('of a process that died is free after its lease has ended', () => {
    const { claim } = quota();
    claim('a', NOW);
    expect(claim('b', NOW + 4_999).share.permitsPerSecond).toBe(0);
    expect(claim('b', NOW + 5_000).share.permitsPerSecond).toBe(100);
  });

  it('that is too low for all goes in turns to as many holders as it feeds with one call at a time', () => {
    const { claim } = quota({ permitsPerSecond: 0.95 });
    claim('a', NOW);
    claim('b', NOW + 100);
    for (let at = 3_000; at < 30_000; at += 3_000) {
      expect(claim('a', NOW + at).share.permitsPerSecond).toBe(0.95);
      expect(claim('b', NOW + at + 100).share.permitsPerSecond).toBe(0);
    }
    expect(claim('a', NOW + 30_000).share.permitsPerSecond).toBe(0);
    expect(claim('b', NOW + 30_500).share.permitsPerSecond).toBe(0.95);
  });
});

it('is shared by as many processes as fit in the row; the others wait', () => {
  const { claim, row } = quota({ permitsPerSecond: undefined, maxInFlight: 100_000 });
  const wants = { ...EVERYTHING, inFlight: 32 };
  const queues = Array.from({ length: 8 }, (_, n) => `mail-transactional-${n}`);
  const ids = Array.from({ length: 200 }, (_, n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`);
  const served = new Set<string>();
  for (let at = 0; at < 12_000; at += 1_500) {
    for (const [n, id] of ids.entries()) {
      const { share } = claim(id, NOW + at + n, { queues, wants, inFlight: served.has(id) ? 3 : 0 });
      if (share.inFlight > 0) served.add(id);
      expect(() => toQuotaEntity(row())).not.toThrow();
    }
  }
  expect(served.size).toBeGreaterThan(60);
});

describe('queues that wait', () => {
  it('keep their places in a row with room for 200 of them, those that wait longest', () => {
    const { claim, row } = quota();
    claim('holder', NOW);
    for (let n = 0; n < 300; n += 1) claim(`p${n}`, NOW + n, { queues: [`${n}`.padEnd(63, '-')] });
    const { waiting } = row();
    expect(waiting).toHaveLength(200);
    expect(waiting.map(({ since }) => since)).toEqual(Array.from({ length: 200 }, (_, n) => NOW + n));
    expect(() => toQuotaEntity(row())).not.toThrow();
  });
});

describe('the limit of items in flight', () => {
  it('is divided in whole items', () => {
    const { claim } = quota({ permitsPerSecond: undefined, maxInFlight: 7 });
    expect(claim('a', NOW).share).toEqual({ permitsPerSecond: Number.POSITIVE_INFINITY, inFlight: 7 });
    claim('b', NOW + 100);
    expect(claim('a', NOW + 3_000).share.inFlight).toBe(3);
    expect(claim('b', NOW + 3_500).share.inFlight).toBe(3);
  });

  it('keeps counting items until they finish, whatever share the process gets', () => {
    const { claim } = quota({ permitsPerSecond: undefined, maxInFlight: 8 });
    claim('a', NOW);
    claim('b', NOW + 100);
    claim('a', NOW + 3_000, { inFlight: 8 });
    expect(claim('b', NOW + 3_500).share.inFlight).toBe(0);
    claim('a', NOW + 6_500, { inFlight: 5 });
    expect(claim('b', NOW + 7_000).share.inFlight).toBe(3);
  });

  it('loses the items of a process that died once', () => {
    const { claim } = quota({ permitsPerSecond: undefined, maxInFlight: 9 });
    claim('a', NOW);
    claim('b', NOW + 100);
    claim('a', NOW + 3_000);
    expect(claim('b', NOW + 3_500, { inFlight: 4 }).share.inFlight).toBe(4);
    for (const at of [9_000, 60_000]) expect(claim('b', NOW + at, { inFlight: 4 }).share.inFlight).toBe(5);
    expect(claim('b', NOW + 70_000, { inFlight: 4 }).share.inFlight).toBe(9);
  });

  it('does not release the items of a process that died until their calls have timed out', () => {
    const { claim } = quota({ permitsPerSecond: undefined, maxInFlight: 8, timeoutMs: 60_000 });
    claim('a', NOW);
    expect(claim('b', NOW + 64_999).share.inFlight).toBe(0);
    expect(claim('b', NOW + 65_000).share.inFlight).toBe(8);
  });
});

describe('a provider that throttles', () => {
  it('halves the rate once for simultaneous responses; each period restores a tenth of it', () => {
    const { claim, row } = quota({ perSeconds: 60 });
    claim('a', NOW);
    expect(claim('a', NOW + 1_000, { throttledSeconds: 7 }).share.permitsPerSecond).toBe(50);
    expect(row()).toMatchObject({ factor: 0.5, heldUntil: NOW + 8_000 });
    expect(claim('a', NOW + 2_000, { throttledSeconds: 1 }).share.permitsPerSecond).toBe(50);
    expect(claim('a', NOW + 60_000).share.permitsPerSecond).toBe(50);
    expect(claim('a', NOW + 61_000).share.permitsPerSecond).toBe(60);
    expect(claim('a', NOW + 400_000).share.permitsPerSecond).toBe(100);
  });

  it('never stops calls completely: some are always tried, after a pause of at most one period', () => {
    const { claim, row } = quota();
    for (let at = 0; at < 100_000; at += 6_000) claim('a', NOW + at, { throttledSeconds: 3_600 });
    expect(row()).toMatchObject({ factor: 0.05, heldUntil: NOW + 96_000 + 1_000 });
    expect(claim('a', NOW + 97_000).share.permitsPerSecond).toBe(5);
  });
});
