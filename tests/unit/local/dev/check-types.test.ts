import { expect, it } from 'vitest';
import { describeTypeErrors } from '../../../../local/dev/check-types.ts';

it('shows the first errors, and the number of other lines', () => {
  const output = Array.from({ length: 23 }, (_, n) => `workloads/a.ts(${n},1): error TS1: x\n`).join('\n');
  const lines = describeTypeErrors(output);
  expect(lines.slice(0, 2)).toEqual([
    'Types: these errors do not stop the run.',
    '  workloads/a.ts(0,1): error TS1: x',
  ]);
  expect(lines.at(-1)).toBe('  and 3 more lines: npm run check shows all');
  expect(lines).toHaveLength(22);
});
