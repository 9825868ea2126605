import { expect, it } from 'vitest';
import type { Batch } from '../../../local/batch/api.ts';
import { verdictOf } from '../../../local/batch/verdict.ts';

const compare = async () => [];
const submission = { file: 'orders.csv', workload: 'orders', compare };
const shown = (state: Batch['state'], given: Partial<Batch> = {}, problems: string[] = []) => {
  const counts = {
    accepted: 2,
    succeeded: 1,
    dead: 1,
    discarded: 0,
    cancelled: 0,
    pending: 0,
    retried: 0,
    duplicatesSeen: 0,
  };
  return { batch: { id: 'b1', state, counts, ...given } as Batch, problems };
};

it.each(['completed', 'completedWithDeadLetters'] as const)(
  'a batch that is %s, as expected from its file',
  (state) => {
    const lines = ['Checked: equal to the totals computed directly from the input.'];
    expect(verdictOf(shown(state), submission)).toEqual({ lines, code: 0 });
  },
);

it('a suspect batch: an explanation, and the command that lists the errors', () => {
  const { lines, code } = verdictOf(shown('suspect'), submission);
  expect(code).toBe(9);
  expect(lines[0]).toContain('none of its first items fits the schema');
  expect(lines.at(-1)).toBe('  npm run --silent sluice -- try orders.csv --workload orders');
});

it('a batch without a report: the problem, and the command that creates the report after a fix', () => {
  const { lines, code } = verdictOf(shown('reportFailed', { reportProblem: 'x' }, ['no report: x']), submission);
  expect(code).toBe(1);
  expect(lines.slice(0, 2)).toEqual(['NOT as expected (differences: 1):', '  no report: x']);
  expect(lines.at(-1)).toBe('  npm run --silent sluice -- redrive b1');
});

it('a batch without expected totals is checked only for lost items', () => {
  const alone = { file: 'orders.csv', workload: 'orders' };
  expect(verdictOf(shown('completed'), alone).lines).toEqual(['Checked: no item is lost.']);
});

it('a batch with only dead letters is not a success', () => {
  const counts = {
    accepted: 2,
    succeeded: 0,
    dead: 2,
    discarded: 0,
    cancelled: 0,
    pending: 0,
    retried: 0,
    duplicatesSeen: 0,
  };
  const batch = shown('completedWithDeadLetters', { counts });
  expect(verdictOf(batch, { file: 'orders.csv', workload: 'orders' })).toEqual({
    lines: ['No item succeeded. Why:', '  npm run --silent sluice -- dead-letters b1'],
    code: 5,
  });
});

it('differences come first, in any state, and only the first ones are shown', () => {
  const problems = Array.from({ length: 30 }, (_, n) => `lost: ${n}`);
  const { lines, code } = verdictOf(shown('suspect', {}, problems), submission);

  expect([lines[0], lines[1], lines.length, code]).toEqual(['NOT as expected (differences: 30):', '  lost: 0', 21, 1]);
});
