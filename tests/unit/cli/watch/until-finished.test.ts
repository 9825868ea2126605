import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../../../../cli/api/problem.ts';
import { Unreachable } from '../../../../cli/process/errors.ts';
import { pollEveryMs, untilFinished } from '../../../../cli/watch/until-finished.ts';

type Poll = { state: 'running' | 'completed' } | Error;

function waiting(polls: Poll[], more: { first?: { state: 'running' } } = {}) {
  let now = 0;
  const shown: unknown[] = [];
  const batch = untilFinished<{ state: 'running' | 'completed' }>({
    ...more,
    poll: async () => {
      const answer = polls.length > 1 ? polls.shift() : polls[0];
      if (answer instanceof Error) throw answer;
      return answer ?? { state: 'completed' };
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
  it('continues after a restart of the app', async () => {
    const { batch, shown } = waiting([
      { state: 'running' },
      gone,
      new ApiProblem({ status: 503, text: '' }),
      { state: 'completed' },
    ]);
    expect(await batch).toEqual({ state: 'completed' });
    expect(shown).toEqual([{ state: 'running' }]);
  });

  it('fails immediately if the app never answered', async () => {
    await expect(waiting([gone, { state: 'completed' }]).batch).rejects.toBe(gone);
    const known = waiting([gone, { state: 'completed' }], { first: { state: 'running' } });
    expect(await known.batch).toEqual({ state: 'completed' });
  });

  it('fails after a minute without an answer, and immediately if the batch was deleted', async () => {
    await expect(waiting([{ state: 'running' }, gone]).batch).rejects.toBe(gone);
    const deleted = new ApiProblem({ status: 404, text: '' });
    await expect(waiting([{ state: 'running' }, deleted, { state: 'completed' }]).batch).rejects.toBe(deleted);
  });

  it('polls at increasing intervals', () => {
    expect([0, 10_000, 40_000, 1_000_000].map(pollEveryMs)).toEqual([500, 500, 2_000, 5_000]);
  });
});
