import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../../../../cli/api/problem.ts';
import { Unreachable } from '../../../../cli/process/errors.ts';
import { lookEveryMs, untilFinished } from '../../../../cli/watch/until-finished.ts';

type Look = { state: 'running' | 'completed' } | Error;

function waiting(looks: Look[], more: { first?: { state: 'running' } } = {}) {
  let now = 0;
  const shown: unknown[] = [];
  const batch = untilFinished<{ state: 'running' | 'completed' }>({
    ...more,
    look: async () => {
      const look = looks.length > 1 ? looks.shift() : looks[0];
      if (look instanceof Error) throw look;
      return look ?? { state: 'completed' };
    },
    show: (each) => void shown.push(each),
    sleep: async (ms) => {
      now += ms;
    },
    now: () => now,
  });
  return { batch, shown };
}

const gone = new Unreachable('gone');

describe('waiting for a batch', () => {
  it('goes on over a restart of the app', async () => {
    const { batch, shown } = waiting([{ state: 'running' }, gone, new ApiProblem(503, ''), { state: 'completed' }]);
    expect(await batch).toEqual({ state: 'completed' });
    expect(shown).toEqual([{ state: 'running' }]);
  });

  it('does not go on when nobody ever answered', async () => {
    await expect(waiting([gone, { state: 'completed' }]).batch).rejects.toBe(gone);
    const known = waiting([gone, { state: 'completed' }], { first: { state: 'running' } });
    expect(await known.batch).toEqual({ state: 'completed' });
  });

  it('gives up after a minute of silence, and at once when the batch is gone', async () => {
    await expect(waiting([{ state: 'running' }, gone]).batch).rejects.toBe(gone);
    const deleted = new ApiProblem(404, '');
    await expect(waiting([{ state: 'running' }, deleted, { state: 'completed' }]).batch).rejects.toBe(deleted);
  });

  it('looks ever more seldom', () => {
    expect([0, 10_000, 40_000, 1_000_000].map(lookEveryMs)).toEqual([500, 500, 2_000, 5_000]);
  });
});
