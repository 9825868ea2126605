/** The checker must be able to fail: each test spoils one thing, and expects it to be found. */
import { describe, expect, test } from 'vitest';
import type { BatchRow, BatchState } from '../../../shared/batches/batch-row.ts';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import type { FaultResult, FaultTotal } from '../app/items.ts';
import { brokenLaw, type LedgerView } from './ledger-view.ts';
import { truthOf } from './truth.ts';
import { isGood, verify } from './verify.ts';

const ITEMS = 4;
const allGood = truthOf(ITEMS, new Map());
const oneRejected = truthOf(ITEMS, new Map([[2, 'reject']]));

interface Found {
  results: FaultResult[];
  report: { key: string; value: FaultTotal }[];
  dead: { index: number; reason: string; error?: { message: string }; item?: { t: string | undefined } }[];
  batch: Partial<BatchRow>;
}

/** The correct output, changed by `spoil`. */
function judge(spoil: (found: Found) => void, truth = allGood, isCancelled = false) {
  const results = [...truth.succeeded.values()].map(({ n, k, v, t }) => ({
    n,
    position: n,
    k,
    v,
    t: t?.toWellFormed(),
  }));
  const report = [...truth.totals].map(([key, value]) => ({ key, value: { ...value } }));
  const dead = [...truth.dead].map(([index, { reason, text }]) => ({
    ...{ index, reason, item: { t: text } },
    error: { name: 'Error', message: `Refused: ${text}` },
  }));
  const state = dead.length > 0 ? 'completedWithDeadLetters' : 'completed';
  const counts = { accepted: ITEMS, succeeded: results.length, dead: dead.length, cancelled: 0 };
  const found: Found = { results, report, dead, batch: { id: 'b', state, ...counts } };
  spoil(found);
  const ledger: LedgerView = { batch: found.batch as BatchRow, etag: '', chunks: [] };
  const api = {
    results: async () => found.results,
    report: async () => found.report,
    deadLetters: async () => found.dead,
  };
  return verify(truth, ledger, api, { isCancelled });
}

describe('the comparison of the output with the promises', () => {
  test('finds nothing if everything is correct', async () => {
    expect(isGood(await judge(() => undefined))).toBe(true);
    expect(isGood(await judge(() => undefined, oneRejected))).toBe(true);
  });

  test('expects the state suspect for a batch of invalid items, and no other state', async () => {
    const truth = truthOf(ITEMS, new Map([0, 1, 2, 3].map((n) => [n, 'invalid'])));
    const judged = (state: BatchState) => judge(({ batch }) => Object.assign(batch, { state }), truth);
    expect(isGood(await judged('suspect'))).toBe(true);
    expect(isGood(await judged('completedWithDeadLetters'))).toBe(false);
    expect(isGood(await judge(({ batch }) => Object.assign(batch, { state: 'suspect' }), oneRejected))).toBe(false);
  });

  test('finds a missing item', async () => {
    const { lost } = await judge(({ results }) => results.splice(2, 1));
    expect(lost).toEqual([2]);
  });

  test('finds an item that came out twice', async () => {
    const { doubled } = await judge(({ results }) => results.push({ n: 1, position: 1, k: 'k7', v: 31 }));
    expect(doubled).toEqual([1]);
  });

  test('finds an item that has both a result and a dead letter', async () => {
    const { doubled, wrong } = await judge(({ dead }) => dead.push({ index: 3, reason: 'rejected' }));
    expect(doubled).toEqual([3]);
    expect(wrong).toEqual(['dead letter 3: rejected']);
  });

  test('finds a result under the wrong position', async () => {
    const { wrong } = await judge(({ results }) => results.splice(0, 1, { n: 3, position: 0, k: 'k1', v: 93 }));
    expect(wrong).toEqual(['result {"n":3,"position":0,"k":"k1","v":93}']);
  });

  test('finds a changed text', async () => {
    const { wrong } = await judge(({ results: [first] }) => {
      if (first) first.t = first.t?.replace('\ufffe', '\ufffd');
    });
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(/^result {"n":0,/);
  });

  test('finds a dead letter without its message or its item', async () => {
    const spoils: ((found: Found) => void)[] = [
      ({ dead: [first] }) => void (first && delete first.item),
      ({ dead: [first] }) => {
        if (first?.error) first.error.message = 'Refused: ?';
      },
    ];
    for (const spoil of spoils) {
      const { wrong } = await judge(spoil, oneRejected);
      expect(wrong).toHaveLength(1);
      expect(wrong[0]).toMatch(/^dead letter 2: {/);
    }
  });

  test('finds a total that counts an item twice', async () => {
    const { wrong } = await judge(({ report: [first] }) => {
      if (first) first.value.count += 1;
    });
    expect(wrong).toHaveLength(1);
  });

  test('finds a wrong counter', async () => {
    const { wrong } = await judge(({ batch }) => {
      batch.succeeded = ITEMS - 1;
    });
    expect(wrong).toEqual(['counts {"state":"completed","accepted":4,"succeeded":3,"dead":0,"cancelled":0}']);
  });
});

describe('the comparison of a batch that was cancelled', () => {
  /** The last item was cancelled. */
  const cancel = ({ results, report, batch }: Found): void => {
    const gone = results.pop();
    const total = report.findIndex(({ key }) => key === gone?.k);
    report.splice(total, 1);
    Object.assign(batch, { state: 'cancelled', succeeded: ITEMS - 1, cancelled: 1 });
  };

  test('finds nothing if as many items are missing as were cancelled', async () => {
    expect(isGood(await judge(cancel, allGood, true))).toBe(true);
  });

  test('finds an item that is missing but not cancelled', async () => {
    const spoil = (found: Found): void => {
      cancel(found);
      found.results.pop();
    };
    expect((await judge(spoil, allGood, true)).lost).toEqual([2, 3]);
  });

  test('finds a finished item that the report lacks', async () => {
    const spoil = (found: Found): void => {
      cancel(found);
      found.report.pop();
    };
    expect((await judge(spoil, allGood, true)).wrong).toHaveLength(1);
  });

  test('finds a cancelled batch without a cancel request', async () => {
    expect((await judge(cancel, allGood)).lost).toEqual([3]);
  });
});

describe('the conservation law', () => {
  const view = (state: BatchRow['state'], succeeded: number, pending: number): LedgerView => ({
    batch: { state, accepted: 10, succeeded, dead: 1, discarded: 0, cancelled: 0 } as BatchRow,
    etag: '',
    chunks: [
      { state: 'done', items: 5 },
      { state: 'pending', items: pending },
    ] as ChunkRow[],
  });

  test('holds if the pending rows contain all items without an outcome', () => {
    expect(brokenLaw(view('running', 4, 5))).toBeUndefined();
  });

  test('is violated by an additional row', () => {
    expect(brokenLaw(view('running', 4, 6))).toBe(
      '10 accepted is not 4 succeeded + 1 dead + 0 discarded + 0 cancelled + 6 pending (running)',
    );
  });

  test('is checked only after all rows exist', () => {
    expect(brokenLaw(view('enqueueing', 0, 5))).toBeUndefined();
  });
});
