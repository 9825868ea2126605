/** What tests import as `sluice/testing`: runs a workload over a list of items, and throws if a test should fail. */
import type { Workload } from '../workload/define.ts';
import { type RunOptions, type RunResult, runItems } from './run-items.ts';

export type { RunOptions, RunResult } from './run-items.ts';

/**
 * Runs `workload` over `items` until each is a result, a dead letter or cancelled.
 * @throws Error if the report depends on the order of the chunks, or if an item is none of them; Problem if there are no
 * items; ReportError if `merge` or `finish` throws or returns a value that is not JSON.
 */
export async function runWorkload(
  workload: Workload,
  items: Iterable<unknown>,
  options: RunOptions = {},
): Promise<RunResult> {
  const { reportError, ...result } = await runItems(workload, items, options);
  if (reportError !== undefined) throw reportError;
  return result;
}
