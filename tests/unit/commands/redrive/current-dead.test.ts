import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toChunkEntity } from '../../../../shared/batches/chunk-row.ts';
import { type CurrentDead, readCurrentDead } from '../../../../shared/commands/redrive/current-dead.ts';
import { type Redrive, writeRedrive } from '../../../../shared/commands/redrive/redrive-blob.ts';
import { CONTAINERS, redriveChunkId } from '../../../../shared/contract/names.ts';
import { batchRowOf, chunkRowOf, referenceOf } from '../../../helpers/data/factories.ts';
import { redriveOf } from '../../../helpers/data/redrives.ts';
import { memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';

/** Stores redrives, the earliest first, and returns a function that reads them. */
async function stored(redrives: readonly Redrive[]): Promise<() => Promise<CurrentDead>> {
  const [{ table }, { container }] = [memoryTable(), memoryBlobs()];
  for (const redrive of redrives) {
    const blob = `redrive-${redrive.revision}`;
    await writeRedrive(container(CONTAINERS.redrives), blob, { redrive, frames: [] });
    const chunk = redriveChunkId(redrive.revision, 0);
    await table.createEntity(toChunkEntity(chunkRowOf({ chunk, reference: referenceOf({ chunk, blob }) })));
  }
  return () => readCurrentDead({ table, container }, batchRowOf({ revision: redrives.length }));
}

const ITEMS = 40;

describe('a dead letter is current', () => {
  it('unless a later redrive has taken its item, in whatever order its chunks hold the items', async () => {
    const chunk = fc.uniqueArray(fc.nat(ITEMS - 1), { minLength: 1, maxLength: 10 });
    const redrive = fc
      .array(chunk, { minLength: 1, maxLength: 6 })
      .map((chunks) =>
        chunks.map((each, n) => each.filter((item) => !chunks.slice(0, n).some((a) => a.includes(item)))),
      )
      .map((chunks) => chunks.filter(({ length }) => length > 0).map((each) => each.toSorted((a, b) => a - b)));
    await fc.assert(
      fc.asyncProperty(fc.array(redrive, { minLength: 1, maxLength: 3 }), async (redrives) => {
        const read = await stored(await Promise.all(redrives.map((each, n) => redriveOf(each, { revision: n + 1 }))));
        const { isCurrent } = await read();
        for (let item = 0; item < ITEMS; item += 1)
          for (let own = 0; own <= redrives.length; own += 1) {
            const isTaken = redrives.slice(own).some((chunks) => chunks.flat().includes(item));
            expect(isCurrent(own === 0 ? '000000' : redriveChunkId(own, 0), item)).toBe(!isTaken);
          }
      }),
      { numRuns: 50 },
    );
  });

  it('which is found out for 600,000 scattered items without blocking the process', async () => {
    const chunks = Array.from({ length: 120 }, (_, n) =>
      Array.from({ length: 5_000 }, (_each, item) => 3 * (5_000 * (n ^ 1) + item)),
    );
    const read = await stored([await redriveOf(chunks)]);

    const { value, longestMs, totalMs } = await longestTurn(read);

    expect([0, 1, 3, 1_799_997, 1_800_000].map((item) => value.isCurrent('000000', item))).toEqual([
      ...[false, true, false, false, true],
    ]);
    // Parsed as JSON and kept in a map by item, a million of them blocked it for all the time that this took, two seconds.
    expect(longestMs).toBeLessThan(totalMs / 2);
  });
});

/** Returns the duration of `work`, and the longest time without a turn of the event loop meanwhile. */
async function longestTurn<T>(work: () => Promise<T>): Promise<{ value: T; longestMs: number; totalMs: number }> {
  const startMs = performance.now();
  let [longestMs, lastMs, isOver] = [0, startMs, false];
  const turn = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const value = await work();
  turn();
  isOver = true;
  return { value, longestMs, totalMs: lastMs - startMs };
}
