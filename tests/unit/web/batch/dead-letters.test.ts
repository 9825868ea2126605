import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../../shared/contract/text/exact-json.ts';
import type { DeadLetter } from '../../../../web/api/types.ts';
import { type Groups, groupsOfRow, toGroups } from '../../../../web/batch/dead-letters/groups.ts';
import { hasText, itemJson } from '../../../../web/batch/dead-letters/item-json.ts';
import { runOver, type Step } from '../../../../web/steps/run-over.ts';

describe('the groups of a batch that runs', () => {
  const batch = (causes: Record<string, number>, dead: number) => ({ causes, counts: { dead } });

  it('are the causes of its row, the most frequent first; the rest are others', () => {
    expect(groupsOfRow(batch({ a: 1, b: 5 }, 9), undefined)).toEqual({
      groups: [
        { cause: 'b', count: 5 },
        { cause: 'a', count: 1 },
      ],
      ...{ count: 9, otherCauses: 3 },
    });
  });

  it('keep the full text of a known cause that the row has cut', () => {
    const cause = `rejected: ${'x'.repeat(150)}`;
    const known: Groups = { groups: [{ cause, reason: 'rejected', count: 2 }], count: 2, otherCauses: 0 };
    const { groups } = groupsOfRow(batch({ [cause.slice(0, 120)]: 7 }, 7), known);
    expect(groups).toEqual([{ cause, reason: 'rejected', count: 7 }]);
  });
});

describe('the groups that were read after the end of a batch', () => {
  const group = { cause: 'a', reason: 'rejected', count: 2 } as never;
  const read = { batch: 'b', groups: [group], otherCauses: 1 };
  const row = { causes: { a: 7, b: 3 }, counts: { dead: 12 } };

  it('are exact if one page contains them all', () => {
    expect(toGroups(row, { ...read, count: 3, scanned: 3 })).toEqual({ groups: [group], count: 3, otherCauses: 1 });
  });

  it('are counted by the row if there are further pages', () => {
    expect(toGroups(row, { ...read, count: 12, scanned: 3 })).toEqual({
      groups: [
        { cause: 'a', reason: 'rejected', count: 7 },
        { cause: 'b', count: 3 },
      ],
      ...{ count: 12, otherCauses: 2 },
    });
  });
});

it.each([
  ['9', true],
  ['8', true],
  ['ACCT-3', true],
  ['zero or more', true],
  ['7', false],
])('a dead letter is found by %s: %s', (text, found) => {
  const error = { name: 'Reject', message: 'Expected zero or more' };
  const letter = { index: 8, line: 9, item: { account: 'acct-3' }, error };
  expect(hasText(letter, text)).toBe(found);
});

it('an item is shown and edited with the digits of the upload', () => {
  const letter = parseExact('{"item":{"account":12345678901234567890,"amount":1.10}}') as Pick<DeadLetter, 'item'>;
  expect(itemJson(letter)).toBe('{\n  "account": 12345678901234567890,\n  "amount": 1.10\n}');
});

describe('the same for many batches', () => {
  it('runs one after the other, also after a failure, until it is stopped', async () => {
    const seen: string[] = [];
    let steps: readonly Step[] = [];
    await runOver({
      subjects: ['a', 'b', 'c', 'd'],
      work: async (name) => {
        seen.push(name);
        if (name === 'b') throw new Error('b is running');
        return `${name} done`;
      },
      isStopped: () => seen.length === 3,
      onSteps: (now) => {
        steps = now;
      },
    });
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(steps).toEqual([
      { state: 'done', result: 'a done' },
      { state: 'failed', result: 'b is running' },
      { state: 'done', result: 'c done' },
      { state: 'skipped', result: 'Skipped' },
    ]);
  });

  it('runs up to the limit at the same time, and starts the others in order', async () => {
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const work = (n: number): Promise<string> => {
      started.push(n);
      return new Promise((resolve) => {
        ends[n] = () => resolve(`${n} done`);
      });
    };
    let steps: readonly Step[] = [];
    const run = runOver({ subjects: [0, 1, 2], work, atOnce: 2, onSteps: (now) => (steps = now) });
    expect(started).toEqual([0, 1]);
    ends[1]?.();
    await expect.poll(() => started).toEqual([0, 1, 2]);
    expect(steps.map(({ state }) => state)).toEqual(['running', 'done', 'running']);
    for (const end of ends) end();
    await run;
    expect(steps.map(({ result }) => result)).toEqual(['0 done', '1 done', '2 done']);
  });
});
