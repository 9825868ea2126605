import { type LineSteps, LineStepsWriter } from '../../../shared/contract/line-steps.ts';

/** Encodes runs of distances between lines. */
export function lineSteps(...runs: readonly (readonly [count: number, step: number])[]): LineSteps {
  const writer = new LineStepsWriter();
  for (const [count, step] of runs) writer.add(step, count);
  return writer.end();
}
