import { expect, it } from 'vitest';
import { dropOrphanPayloads } from '../../../shared/sweep/orphan-payloads.ts';
import { DEFAULT_PATIENCE, type SweepRun } from '../../../shared/sweep/sweep-run.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** The age of the ids that begin with the same five digits. */
const WINDOW_MS = 2 ** 28;
const START_MS = Date.parse('2026-11-28T00:00:00Z');

/** Returns the prefixes that a daily run at this time lists. */
async function listedAt(nowMs: number): Promise<string[]> {
  const listed: string[] = [];
  const listBlobsFlat = ({ prefix }: { prefix: string }): [] => {
    listed.push(prefix);
    return [];
  };
  const run = {
    gate: { now: () => nowMs },
    patient: DEFAULT_PATIENCE,
    container: () => ({ listBlobsFlat }),
    endMs: Number.POSITIVE_INFINITY,
  };
  await dropOrphanPayloads(run as unknown as SweepRun, nowMs - DAY_MS);
  return listed;
}

it('a daily listing needs at most five requests, at every time', async () => {
  for (let atMs = START_MS; atMs < START_MS + WINDOW_MS; atMs += HOUR_MS)
    expect((await listedAt(atMs)).length, new Date(atMs).toISOString()).toBeLessThanOrEqual(5);
});

it('a daily listing contains the ids that are one to ten days old', async () => {
  for (let atMs = START_MS; atMs < START_MS + WINDOW_MS; atMs += HOUR_MS) {
    const listed = await listedAt(atMs);
    for (const days of [1, 2, 5, 9, 10]) {
      const time = (atMs - days * DAY_MS).toString(16).padStart(12, '0');
      expect(listed, `${days} days before ${new Date(atMs).toISOString()}`).toContain(time.slice(0, 5));
    }
  }
});
