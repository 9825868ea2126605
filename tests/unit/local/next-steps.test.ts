import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Batch } from '../../../local/batch/api.ts';
import { describeNextSteps } from '../../../local/next-steps.ts';

it('contains the shell command that submits the file in the same format', () => {
  const stack = { url: 'http://app.test', keys: { function: 'f', master: 'm' }, storage: 's', instances: [] as never };
  const submission = { file: resolve('my sales.csv'), workload: 'sales', csv: { decimal: ',' as const } };
  const lines = describeNextSteps(stack, { id: 'b' } as Batch, submission);
  expect(lines.map((line) => line.trim())).toContain(
    "npm run --silent sluice -- submit 'my sales.csv' --workload sales --decimal comma --again --wait",
  );
});
