import { expect, it } from 'vitest';
import type { Batch } from '../../../demo/batch/api.ts';
import { verdictOf } from '../../../demo/batch/verdict.ts';

const compare = async () => [];
const ended = (state: Batch['state'], problems: string[] = []) => ({ batch: { state } as Batch, problems });

it.each([
  ['completed', 'Checked: equal to the totals computed straight from the input.', 0],
  ['completedWithDeadLetters', 'Checked: equal to the totals computed straight from the input.', 0],
  ['suspect', 'Correct the file, or name the workload that it is for: --workload W', 9],
] as const)('a batch that is %s, and as its file wants it', (state, line, code) => {
  expect(verdictOf(ended(state), { compare })).toEqual({ lines: [line], code });
});

it('a batch that nothing can be compared with is checked for lost items alone', () => {
  expect(verdictOf(ended('completed'), {}).lines).toEqual(['Checked: no item is lost.']);
});

it('what is not as it has to be comes first, whatever the state, and only its beginning is shown', () => {
  const problems = Array.from({ length: 30 }, (_, n) => `lost: ${n}`);
  const { lines, code } = verdictOf(ended('suspect', problems), { compare });

  expect([lines[0], lines[1], lines.length, code]).toEqual(['NOT as it has to be (points: 30):', '  lost: 0', 21, 1]);
});
